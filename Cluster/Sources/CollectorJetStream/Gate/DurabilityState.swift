// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What is known of the durability of a stream at this moment, and when to look again. A value.
///
/// A proof holds for the connection it was made on: whoever is connected anew may have missed that servers were started
/// differently meanwhile.
package struct DurabilityState: Sendable, Hashable {
    /// Whether records may be published, and their acknowledgements believed.
    package enum Standing: Sendable, Hashable {
        /// What is acknowledged is durable.
        case proven
        /// It is not known: there is no connection, or nobody tells. That may pass in a moment.
        case unknown(String)
        /// It is not: somebody has to do something.
        case unproven([DurabilityFault])
    }

    /// What one look came to.
    package enum Look: Sendable, Hashable {
        /// The engine told all that there is to tell.
        case verdict(DurabilityGate.Verdict)
        /// It told too little.
        case failed(String)
        /// Its leader tells that the stream is closed, and no others take its records yet.
        case closed(String)
    }

    /// When to look again.
    struct Times: Sendable, Hashable {
        /// When everything is proven.
        var usual: Duration = .seconds(10)
        /// While a server is gone: it has to be looked at when it is back.
        var withoutServer: Duration = .seconds(1)
        /// While nothing is known.
        var unknown: Duration = .milliseconds(250)
        /// While something is not as it has to be.
        var unproven: Duration = .seconds(2)
    }

    /// After so many looks in a row that came to nothing another server is asked: this one may be cut off from the others.
    static let looksInVain = 3

    private let times: Times
    private var connection: UInt64?
    private var look: Look?
    /// The leader's last report on the stream, if the stream was closed then; nil otherwise.
    private var closed: String?
    private var vain = 0

    init(times: Times = Times()) {
        self.times = times
    }

    /// A look at the engine has ended that began on this connection.
    ///
    /// - Returns: Whether to leave the connection, since nobody there has told enough for a while.
    mutating func looked(_ look: Look, on connection: UInt64?) -> Bool {
        self.connection = connection
        self.look = look
        var isTold = false
        switch look {
        case .closed(let reason): (closed, isTold) = (reason, true)
        case .verdict: closed = nil
        // A lost connection opens no stream.
        case .failed: break
        }
        // Of a closed stream its leader knows; other servers would say the same.
        guard connection != nil, !isTold, case .unknown = standing(on: connection) else {
            vain = 0
            return false
        }
        vain += 1
        guard vain >= Self.looksInVain else { return false }
        vain = 0
        return true
    }

    /// Where it stands for whoever publishes on this connection.
    func standing(on current: UInt64?) -> Standing {
        guard let current else { return .unknown(reason("there is no connection to the engine")) }
        switch look {
        // What is wrong with the engine is wrong on every connection, until a look says otherwise.
        case .verdict(.unproven(let faults)):
            // A server that was killed a moment ago is silent, and not yet known to be gone.
            guard faults.allSatisfy(\.mayPass) else { return .unproven(faults) }
            return .unknown(Self.reason(faults))
        case .verdict(.proven) where connection == current: return .proven
        case .verdict(.proven), nil: return .unknown("the engine's durability is not proven yet on this connection")
        case .failed(let words), .closed(let words): return .unknown(reason(words))
        }
    }

    /// Why the state is unknown, with the command for a closed stream: an operator has to continue the change of streams in any case.
    private func reason(_ words: String) -> String {
        guard let closed, closed != words else { return words }
        return "\(words); last known: \(closed)"
    }

    /// Whether the leader last reported the stream as closed while no others took its records.
    var isClosed: Bool { closed != nil }

    /// What is missing for a proof, in half a sentence.
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
                "\(silent.joined(separator: ", ")) did not say how \(silent.count == 1 ? "it syncs" : "they sync"); give the "
                    + "collector credentials of the system account, and see whether all servers run and reach each other"
            )
        }
        return reasons.joined(separator: "; ")
    }

    /// Which servers store nothing and why, in half a sentence.
    static func storesNothing(_ servers: [String]) -> String {
        guard servers.count > 1 else {
            return "\(servers.first ?? "") stores nothing: \(DurabilityFault.causeOfStoringNothing)"
        }
        return
            "\(servers.joined(separator: ", ")) store nothing: JetStream is off there, usually because their disks are full or fail; see "
            + "their logs, make room in their store_dir, and restart them"
    }

    /// How long until the next look, unless the connection changes before.
    var pause: Duration {
        switch look {
        case .verdict(.proven(let without)): without.isEmpty ? times.usual : times.withoutServer
        case .verdict(.unproven): if case .unproven = standing(on: connection) { times.unproven } else { times.unknown }
        case .failed, .closed, nil: times.unknown
        }
    }
}
