// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state of the servers that store an intake's records, for metrics.
public struct EngineStatistics: Sendable, Hashable {
    /// The known state of one server.
    public enum ServerState: String, Sendable, Hashable, CaseIterable {
        /// It waits for its disk before it acknowledges.
        case proven
        /// It acknowledges before records are on its disk.
        case notSynced = "not_synced"
        /// It runs and stores nothing, because JetStream is off there.
        case off
        /// The other servers do not reach it.
        case gone
        /// It did not respond to the last check.
        case unknown
    }

    /// The number of servers by state.
    public var servers: [ServerState: Int] = [:]
    /// Whether there is a connection to one of them.
    public var isConnected = false
    /// Whether every open stream had a leader at the last check.
    public var hasLeader = false
    /// Whether acknowledged records are proven to be durable.
    public var isProven = false
    /// The offset of this machine's clock from the servers' clocks.
    ///
    /// Positive when it is ahead; nil when it was not compared.
    public var clockOffset: Duration?
    /// Records that were refused since the start, by reason.
    public var refused: [IntakeError.Code: UInt64] = [:]

    /// Creates statistics in which nothing is known yet.
    public init() {}

    /// The reasons for which an engine refuses records.
    public static let refusals: [IntakeError.Code] = [
        .busy, .engineUnavailable, .engineFull, .engineNotDurable, .engineMisconfigured, .stopped, .closing,
    ]
}
