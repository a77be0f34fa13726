// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the engine says of a stream: how it is set up, who keeps it, and how far it has come.
package struct StreamFacts: Sendable, Hashable {
    /// A server that keeps a copy beside the leader.
    package struct Replica: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// Whether the leader holds it for gone.
        package var isOffline: Bool
        /// Whether the leader has not heard it since it leads: then there is no silence to tell.
        package var isUnheard: Bool
        /// How long the leader has not heard it.
        package var silence: Duration

        /// Whether it is not there: the leader says so, or has not heard it for so long or at all.
        func isGone(after silence: Duration) -> Bool { isOffline || isUnheard || self.silence >= silence }

        /// A replica.
        package init(name: String, isOffline: Bool = false, isUnheard: Bool = false, silence: Duration = .zero) {
            self.name = name
            self.isOffline = isOffline
            self.isUnheard = isUnheard
            self.silence = silence
        }
    }

    /// Its name.
    package var name: String
    /// `file`, or `memory`.
    package var storage = "file"
    /// How many copies there are to be.
    package var copies = 3
    /// `limits`, or what removes records that somebody has read.
    package var retention = "limits"
    /// What a full stream does: `new` refuses, `old` forgets.
    package var discard = "new"
    /// How writes reach the disk; `default`, or what gives up syncing.
    package var persistMode = "default"
    /// How long records are kept, in nanoseconds; 0 for ever.
    package var longestAge: Int64 = 0
    /// The most records; not above 0 for any number.
    package var maxRecords: Int64 = -1
    /// The most records of a subject; not above 0 for any number.
    package var maxRecordsPerSubject: Int64 = -1
    /// The longest record, in bytes; not above 0 for any length.
    package var longestRecord: Int64 = -1
    /// How long ids are remembered, in nanoseconds.
    package var idWindow: Int64 = 120_000_000_000
    /// Whether every server that has a copy hands records out.
    package var allowsDirect = true
    /// The subjects whose records it takes.
    package var subjects = ["intake.*"]
    /// How large it may become on each server, in bytes; not above 0 for any size.
    package var longest: Int64 = -1
    /// The bytes of its records.
    package var bytes: Int64 = 0
    /// Whether publishers get no answer.
    package var isSilent = false
    /// Whether it repeats another stream.
    package var isMirror = false
    /// Whether nothing may be added.
    package var isSealed = false
    /// The server that leads it; nil while none does.
    package var leader: String?
    /// Who has the other copies.
    package var replicas: [Replica] = []
    /// When it was made, in the engine's words.
    package var created = ""
    /// The number of the first record that it has still; in a stream without records at most that of the next one.
    package var firstSequence: UInt64 = 0
    /// The number of its last record; 0 for none.
    package var lastSequence: UInt64 = 0

    /// A stream that is set up as it is to be.
    package init(name: String) {
        self.name = name
    }

    /// Whether the leader that tells this hears enough of the others to lead. One that was cut off from them tells old news, and goes on
    /// with it until it knows.
    ///
    /// - Parameter silence: Whom it has not heard for so long does not count.
    func isToldByMajority(after silence: Duration) -> Bool {
        let heard = replicas.count { !$0.isGone(after: silence) }
        return leader != nil && (heard + 1) * 2 > max(copies, replicas.count + 1)
    }

    /// Everybody who keeps it.
    package var members: [String] { (leader.map { [$0] } ?? []) + replicas.map(\.name) }
}

extension StreamFacts {
    /// Why the engine does not tell about a stream.
    package enum Failure: Error, Sendable, Hashable {
        /// There is none of this name.
        case missing
        /// It says something else, in its words.
        case refused(String)
        /// What it says cannot be read.
        case unreadable(String)
    }

    private static let streamNotFound: Int64 = 10_059

    /// Reads the answer to `STREAM.INFO`, `STREAM.CREATE` or `STREAM.UPDATE`. Members it does not know are passed over.
    ///
    /// - Throws: ``Failure``.
    package init(_ answer: NATSMessage) throws(Failure) {
        if let status = answer.status {
            throw .refused(
                status == 503 ? "JetStream is not enabled for this account, or has no leader now" : "status \(status)"
            )
        }
        let json: JSONValue
        do {
            json = try JSONValue.parse(answer.body)
        } catch {
            throw .unreadable("\(error)")
        }
        if let error = json["error"], error.object != nil {
            if error["err_code"]?.integer == Self.streamNotFound { throw .missing }
            throw .refused(error["description"]?.string ?? "no reason given")
        }
        guard let config = json["config"], let name = config["name"]?.string else {
            throw .unreadable("it describes no stream")
        }
        self.init(name: name)
        readConfiguration(config)
        if let cluster = json["cluster"] { readCluster(cluster) }
        created = json["created"]?.string ?? ""
        firstSequence = UInt64(clamping: json["state"]?["first_seq"]?.integer ?? 0)
        lastSequence = UInt64(clamping: json["state"]?["last_seq"]?.integer ?? 0)
        bytes = json["state"]?["bytes"]?.integer ?? 0
    }

    private mutating func readConfiguration(_ config: JSONValue) {
        storage = config["storage"]?.string ?? "memory"
        copies = Int(clamping: config["num_replicas"]?.integer ?? 1)
        retention = config["retention"]?.string ?? "limits"
        discard = config["discard"]?.string ?? "old"
        persistMode = config["persist_mode"]?.string ?? "default"
        longestAge = config["max_age"]?.integer ?? 0
        maxRecords = config["max_msgs"]?.integer ?? -1
        maxRecordsPerSubject = config["max_msgs_per_subject"]?.integer ?? -1
        longestRecord = config["max_msg_size"]?.integer ?? -1
        idWindow = config["duplicate_window"]?.integer ?? 0
        allowsDirect = config["allow_direct"]?.boolean ?? false
        subjects = (config["subjects"]?.array ?? []).compactMap(\.string)
        longest = config["max_bytes"]?.integer ?? -1
        isSilent = config["no_ack"]?.boolean ?? false
        isMirror = config["mirror"]?.object != nil
        isSealed = config["sealed"]?.boolean ?? false
    }

    private mutating func readCluster(_ cluster: JSONValue) {
        leader = cluster["leader"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        replicas = (cluster["replicas"]?.array ?? []).compactMap { replica in
            guard let name = replica["name"]?.string else { return nil }
            let silence = replica["active"]?.integer ?? 0
            return Replica(
                name: name,
                isOffline: replica["offline"]?.boolean ?? false,
                isUnheard: silence == 0 && replica["current"]?.boolean == false,
                silence: .nanoseconds(max(0, silence))
            )
        }
    }
}
