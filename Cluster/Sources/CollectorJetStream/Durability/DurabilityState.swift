// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The known durability of a stream, and when to check again.
///
/// A value type.
///
/// A proof is valid only for the connection it was made on: while a client is disconnected, servers may restart with
/// other settings.
package struct DurabilityState: Sendable, Hashable {
    /// Whether records may be published and their acknowledgements trusted.
    package enum Status: Sendable, Hashable {
        /// Acknowledged records are durable.
        case proven
        /// The durability is unknown, because a connection or a report is missing.
        ///
        /// This may resolve shortly.
        case unknown(String)
        /// Records are not durable until an operator intervenes.
        case unproven([DurabilityFault])
    }

    /// The result of one check.
    package enum CheckResult: Sendable, Hashable {
        /// All facts were reported.
        case verdict(DurabilityGate.Verdict)
        /// Too few facts were reported.
        case failed(String)
        /// The leader reports the stream as closed.
        ///
        /// No other streams accept its records yet.
        case closed(String)
    }

    /// The pauses between checks.
    struct Times: Sendable, Hashable {
        /// The pause if everything is proven.
        var proven: Duration = .seconds(10)
        /// The pause while a server is gone, which must be checked when it returns.
        var withoutServer: Duration = .seconds(1)
        /// The pause while the durability is unknown.
        var unknown: Duration = .milliseconds(250)
        /// The pause while a requirement is not met.
        var unproven: Duration = .seconds(2)
    }

    /// The number of consecutive checks without a result after which to switch servers.
    ///
    /// The connected server may be cut off from the others.
    static let maxInconclusiveChecks = 3

    private let times: Times
    private var connection: UInt64?
    private var result: CheckResult?
    /// The reason from the leader's last report if the report described the stream as closed.
    ///
    /// Nil otherwise.
    private var closed: String?
    private var inconclusiveChecks = 0

    init(times: Times = Times()) {
        self.times = times
    }

    /// Handles the result of a check that began on the given connection.
    ///
    /// - Returns: Whether to drop the connection, because several consecutive checks on it were inconclusive.
    mutating func checkFinished(with result: CheckResult, on connection: UInt64?) -> Bool {
        self.connection = connection
        self.result = result
        var isReportedClosed = false
        switch result {
        case .closed(let reason): (closed, isReportedClosed) = (reason, true)
        case .verdict: closed = nil
        // A failed check does not mean that a closed stream is open again.
        case .failed: break
        }
        // The leader itself reports a closed stream; other servers would report the same.
        guard connection != nil, !isReportedClosed, case .unknown = status(on: connection) else {
            inconclusiveChecks = 0
            return false
        }
        inconclusiveChecks += 1
        guard inconclusiveChecks >= Self.maxInconclusiveChecks else { return false }
        inconclusiveChecks = 0
        return true
    }

    /// Returns the durability status for publishing on the given connection.
    func status(on current: UInt64?) -> Status {
        guard let current else { return .unknown(reason("not connected to the NATS cluster")) }
        switch result {
        // A fault applies to every connection until a check reports otherwise.
        case .verdict(.unproven(let faults)):
            // A server that was just killed no longer reports, but the cluster does not yet know that it is gone.
            guard faults.allSatisfy(\.isTransient) else { return .unproven(faults) }
            return .unknown(Self.reason(faults))
        case .verdict(.proven) where connection == current: return .proven
        case .verdict(.proven), nil: return .unknown("the NATS cluster is not proven durable yet on this connection")
        case .failed(let text), .closed(let text): return .unknown(reason(text))
        }
    }

    /// Returns a reason, followed by the last message about a closed stream.
    ///
    /// The message contains the command that finishes the stream change. An operator must run that command,
    /// regardless of the reason.
    private func reason(_ text: String) -> String {
        guard let closed, closed != text else { return text }
        return "\(text); last known: \(closed)"
    }

    /// Whether the leader last reported the stream as closed, without a successor.
    var isClosed: Bool { closed != nil }

    /// Returns which facts are missing for a proof, as a clause.
    private static func reason(_ faults: [DurabilityFault]) -> String {
        var missing: [String] = []
        var off: [String] = []
        for fault in faults {
            switch fault {
            case .missingReport(let name): missing.append(name)
            case .storageDisabled(let name): off.append(name)
            default: break
            }
        }
        var reasons: [String] = []
        if !off.isEmpty { reasons.append(storageDisabled(off)) }
        if !missing.isEmpty {
            reasons.append(
                "\(missing.joined(separator: ", ")) did not report how \(missing.count == 1 ? "it syncs" : "they sync"); "
                    + "set credentials of the system account, and check that all servers can reach each other"
            )
        }
        return reasons.joined(separator: "; ")
    }

    /// Returns a clause with the servers that store nothing, and the cause.
    static func storageDisabled(_ servers: [String]) -> String {
        guard servers.count > 1 else {
            return "\(servers.first ?? "") stores nothing: \(DurabilityFault.storageDisabledCause)"
        }
        return
            "\(servers.joined(separator: ", ")) store nothing: JetStream is off there, usually due to full or failing "
            + "disks; see their logs, free up store_dir, and restart them"
    }

    /// The pause until the next check, unless the connection changes first.
    var pause: Duration {
        switch result {
        case .verdict(.proven(let without)): without.isEmpty ? times.proven : times.withoutServer
        case .verdict(.unproven): if case .unproven = status(on: connection) { times.unproven } else { times.unknown }
        case .failed, .closed, nil: times.unknown
        }
    }
}
