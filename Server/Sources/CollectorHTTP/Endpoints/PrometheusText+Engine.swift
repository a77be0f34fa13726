// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore

extension PrometheusText {
    /// Writes the metrics of the servers that store the records.
    ///
    /// Every state and reason has a line, even if the value is zero, so that alerting rules can refer to it.
    mutating func write(_ engine: EngineStatistics) {
        gauges(
            "trackway_engine_servers",
            "Servers that store the records, by state.",
            "state",
            EngineStatistics.ServerState.allCases.map { ($0.rawValue, engine.servers[$0] ?? 0) }
        )
        gauge("trackway_engine_connected", "1 while connected to a server.", engine.isConnected ? 1 : 0)
        gauge("trackway_engine_has_leader", "1 while every open stream has a leader.", engine.hasLeader ? 1 : 0)
        gauge("trackway_engine_proven", "1 while acknowledged records are durable.", engine.isProven ? 1 : 0)
        if let offset = engine.clockOffset {
            gauge(
                "trackway_engine_clock_offset_seconds",
                "How far this machine's clock is ahead of the servers' clocks.",
                offset
            )
        }
        counters(
            "trackway_engine_refused_total",
            "Records refused by the servers or before sending, by code.",
            "code",
            EngineStatistics.refusals.map { ($0.rawValue, engine.refused[$0] ?? 0) }
        )
    }
}
