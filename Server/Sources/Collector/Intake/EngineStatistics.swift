// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state of the servers that keep an intake's records, for metrics.
public struct EngineStatistics: Sendable, Hashable {
    /// What is known of one server.
    public enum ServerState: String, Sendable, Hashable, CaseIterable {
        /// It waits for its disk before it acknowledges.
        case proven
        /// It acknowledges before records are on its disk.
        case notSynced = "not_synced"
        /// It runs and stores nothing, because JetStream is off there.
        case off
        /// The others do not hear it.
        case gone
        /// It said nothing at the last check.
        case unknown
    }

    /// Number of servers by state.
    public var servers: [ServerState: Int] = [:]
    /// Whether there is a connection to one of them.
    public var isConnected = false
    /// Whether every open stream had a leader at the last check.
    public var hasLeader = false
    /// Whether acknowledged records are proven to be durable.
    public var isProven = false
    /// The lead of this machine's clock over those of the servers.
    ///
    /// Negative when it is behind; nil when it was not compared.
    public var clockOffset: Duration?
    /// Records that were refused since the start, by reason.
    public var refused: [IntakeError.Code: UInt64] = [:]

    /// Nothing is known yet.
    public init() {}

    /// The reasons that an engine has to refuse records.
    public static let refusals: [IntakeError.Code] = [
        .busy, .engineUnavailable, .engineFull, .engineNotDurable, .engineMisconfigured, .stopped, .closing,
    ]
}
