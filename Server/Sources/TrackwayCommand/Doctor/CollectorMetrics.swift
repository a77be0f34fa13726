// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The values of a collector's metrics without labels.
struct CollectorMetrics: Sendable, Hashable {
    private var values: [String: Double] = [:]

    /// Parses the Prometheus text format.
    ///
    /// Lines with labels and invalid lines are skipped.
    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 2, !words[0].contains("{"), let value = Double(words[1]) else { continue }
            values[String(words[0])] = value
        }
    }

    /// The value of a metric; nil if the collector does not report it.
    subscript(_ name: String) -> Double? { values[name] }

    /// The value of a metric in bytes; nil if the collector does not report it.
    func bytes(_ name: String) -> Int64? { values[name].flatMap { Int64(exactly: $0.rounded()) } }

    /// The findings about disk, index, load and alerts.
    var findings: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if let free = bytes("trackway_disk_free_bytes"), let size = bytes("trackway_disk_size_bytes") {
            let reserve = bytes("trackway_disk_reserve_bytes") ?? 0
            findings.append(
                DiskThreshold(free: free, size: size, reserve: reserve).finding("the collector's folder")
            )
        }
        if let log = bytes("trackway_index_wal_bytes").flatMap(WriteAheadLogThreshold.finding) { findings.append(log) }
        if let lag = self["trackway_index_lag_seconds"], lag > Self.longestLag {
            findings.append(
                .warning(
                    .index,
                    "index_lag",
                    "The index is \(TimeSpan(milliseconds: Int64(lag * 1_000)).text) behind.",
                    "Wait until it has caught up; if the time grows, reduce what is sent, or use a faster disk."
                )
            )
        }
        if let damaged = self["trackway_index_damaged"], damaged > 0 {
            findings.append(
                .fault(
                    .index,
                    "log_damaged",
                    "The intake log has \(Int64(damaged)) damaged ranges, whose events are not in the index.",
                    "Check the disk, and restore the log from a backup; `trackway ledger` shows the ranges."
                )
            )
        }
        findings.append(load)
        if let unknown = self["trackway_alerts_unknown"], unknown > 0 {
            findings.append(
                .warning(
                    .alerts,
                    "alerts_unknown",
                    "The state of \(Int64(unknown)) alerts is unknown, so they cannot fire.",
                    "Run `trackway alerts list`, which shows the reason."
                )
            )
        }
        return findings
    }

    /// The longest lag of a healthy index in seconds.
    private static let longestLag = 300.0

    private var load: DoctorFinding {
        guard let open = self["trackway_connections_open"], let limit = self["trackway_connections_limit"] else {
            return .skipped(.load, "The collector does not report its connections.", "Update the collector.")
        }
        guard open < 0.9 * limit else {
            return .warning(
                .load,
                "connections_full",
                "\(Int64(open)) of at most \(Int64(limit)) connections are open; more would close idle ones.",
                "Raise the limit of open files (`ulimit -n`, LimitNOFILE in systemd), or put a proxy in front."
            )
        }
        return .ok(.load, "\(Int64(open)) of at most \(Int64(limit)) connections are open.")
    }
}
