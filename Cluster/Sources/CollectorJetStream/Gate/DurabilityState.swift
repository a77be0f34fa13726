// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What is known about a stream's durability, and when to check again.
///
/// A value type.
///
/// A proof is valid only for the connection it was made on: while disconnected, a client may have missed that servers
/// were restarted with other settings.
package struct DurabilityState: Sendable, Hashable {
    /// Whether records may be published and their acknowledgements trusted.
    package enum Standing: Sendable, Hashable {
        /// Acknowledged records are durable.
        case proven
        /// It is unknown, for lack of a connection or a report.
        ///
        /// May resolve shortly.
        case unknown(String)
        /// They are not durable until an operator intervenes.
        case unproven([DurabilityFault])
    }

    /// The result of one check.
    package enum Look: Sendable, Hashable {
        /// All facts were reported.
        case verdict(DurabilityGate.Verdict)
        /// Too few facts were reported.
        case failed(String)
        /// The leader reports the stream as closed, and no others accept its records yet.
        case closed(String)
    }

    /// When to check again.
    struct Times: Sendable, Hashable {
        /// If everything is proven.
        var usual: Duration = .seconds(10)
        /// While a server is gone: it must be checked when it is back.
        var withoutServer: Duration = .seconds(1)
        /// While nothing is known.
        var unknown: Duration = .milliseconds(250)
        /// While a requirement is not met.
        var unproven: Duration = .seconds(2)
    }

    /// The number of consecutive checks without a result after which to switch servers.
    ///
    /// This server may be cut off from the others.
    static let looksInVain = 3

    private let times: Times
    private var connection: UInt64?
    private var look: Look?
    /// The reason from the leader's last report if it reported the stream as closed.
    ///
    /// Nil otherwise.
    private var closed: String?
    private var vain = 0

    init(times: Times = Times()) {
        self.times = times
    }

    /// Handles the result of a check that began on this connection.
    ///
    /// - Returns: Whether to leave the connection, because checks on it have failed for a while.
    mutating func looked(_ look: Look, on connection: UInt64?) -> Bool {
        self.connection = connection
        self.look = look
        var isTold = false
        switch look {
        case .closed(let reason): (closed, isTold) = (reason, true)
        case .verdict: closed = nil
        // A lost connection does not open a stream.
        case .failed: break
        }
        // The leader itself reports a closed stream; other servers would report the same.
        guard connection != nil, !isTold, case .unknown = standing(on: connection) else {
            vain = 0
            return false
        }
        vain += 1
        guard vain >= Self.looksInVain else { return false }
        vain = 0
        return true
    }

    /// Returns the state for publishing on this connection.
    func standing(on current: UInt64?) -> Standing {
        guard let current else { return .unknown(reason("not connected to the NATS cluster")) }
        switch look {
        // A fault applies to every connection until a check reports otherwise.
        case .verdict(.unproven(let faults)):
            // A server that was just killed is silent, and not yet known to be gone.
            guard faults.allSatisfy(\.mayPass) else { return .unproven(faults) }
            return .unknown(Self.reason(faults))
        case .verdict(.proven) where connection == current: return .proven
        case .verdict(.proven), nil: return .unknown("the NATS cluster is not proven durable yet on this connection")
        case .failed(let words), .closed(let words): return .unknown(reason(words))
        }
    }

    /// Adds the command for a closed stream to a reason.
    ///
    /// An operator must finish the change of streams in any case.
    private func reason(_ words: String) -> String {
        guard let closed, closed != words else { return words }
        return "\(words); last known: \(closed)"
    }

    /// Whether the leader last reported the stream as closed, without a successor.
    var isClosed: Bool { closed != nil }

    /// What a proof is missing, as a clause.
    private static func reason(_ faults: [DurabilityFault]) -> String {
        var silent: [String] = []
        var off: [String] = []
        for fault in faults {
            switch fault {
            case .silentServer(let name): silent.append(name)
            case .storesNothing(let name): off.append(name)
            default: break
            }
        }
        var reasons: [String] = []
        if !off.isEmpty { reasons.append(storesNothing(off)) }
        if !silent.isEmpty {
            reasons.append(
                "\(silent.joined(separator: ", ")) did not report how \(silent.count == 1 ? "it syncs" : "they sync"); "
                    + "set credentials of the system account; check that all servers run and reach each other"
            )
        }
        return reasons.joined(separator: "; ")
    }

    /// Which servers store nothing and why, as a clause.
    static func storesNothing(_ servers: [String]) -> String {
        guard servers.count > 1 else {
            return "\(servers.first ?? "") stores nothing: \(DurabilityFault.causeOfStoringNothing)"
        }
        return
            "\(servers.joined(separator: ", ")) store nothing: JetStream is off there, usually due to full or failing "
            + "disks; see their logs, free up store_dir, and restart them"
    }

    /// The pause until the next check, unless the connection changes first.
    var pause: Duration {
        switch look {
        case .verdict(.proven(let without)): without.isEmpty ? times.usual : times.withoutServer
        case .verdict(.unproven): if case .unproven = standing(on: connection) { times.unproven } else { times.unknown }
        case .failed, .closed, nil: times.unknown
        }
    }
}
