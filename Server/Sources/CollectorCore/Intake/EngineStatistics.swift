// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state of the servers that store an intake's records, for metrics.
public struct EngineStatistics: Sendable, Hashable {
    /// The known state of one server.
    public enum ServerState: String, Sendable, Hashable, CaseIterable {
        /// The server acknowledges records only once they are on its disk.
        case proven
        /// The server acknowledges records before they are on its disk.
        case notSynced = "not_synced"
        /// The server runs but stores nothing, because JetStream is disabled on it.
        case off
        /// The other servers cannot reach the server.
        case unreachable = "gone"
        /// The server did not respond to the last check.
        case unknown
    }

    /// The number of servers by state.
    public var servers: [ServerState: Int] = [:]
    /// Whether there is a connection to one of the servers.
    public var isConnected = false
    /// Whether every open stream had a leader at the last check.
    public var hasLeader = false
    /// Whether acknowledged records are proven to be durable.
    public var isProven = false
    /// The offset of this machine's clock from the servers' clocks.
    ///
    /// Positive if this machine's clock is ahead; nil if the clocks were not compared.
    public var clockOffset: Duration?
    /// The number of records refused since the start, by reason.
    public var refused: [IntakeError.Code: UInt64] = [:]

    /// Creates empty statistics.
    public init() {}

    /// The reasons why an engine can refuse records.
    public static let refusals: [IntakeError.Code] = [
        .busy, .engineUnavailable, .engineFull, .engineNotDurable, .engineMisconfigured, .stopped, .closing,
    ]
}
