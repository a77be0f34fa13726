// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// NATS's report on a stream: settings, members and extent.
package struct StreamFacts: Sendable, Hashable {
    /// A server with a copy, other than the leader.
    package struct Replica: Sendable, Hashable {
        /// The server's name.
        package var name: String
        /// Whether the leader considers it offline.
        package var isOffline: Bool
        /// Whether the leader has not heard from it since becoming leader.
        ///
        /// `silence` is zero then.
        package var isUnheard: Bool
        /// The time since the leader last heard from it.
        package var silence: Duration

        /// Whether it is gone: offline, never heard from, or silent for this long.
        func isGone(after silence: Duration) -> Bool { isOffline || isUnheard || self.silence >= silence }

        /// Creates a replica.
        package init(name: String, isOffline: Bool = false, isUnheard: Bool = false, silence: Duration = .zero) {
            self.name = name
            self.isOffline = isOffline
            self.isUnheard = isUnheard
            self.silence = silence
        }
    }

    /// The stream's name.
    package var name: String
    /// `file` or `memory`.
    package var storage = "file"
    /// The configured number of copies.
    package var copies = 3
    /// `limits`, or a policy that removes records once they are read.
    package var retention = "limits"
    /// What a full stream does: `new` rejects new records, `old` deletes old ones.
    package var discard = "new"
    /// How writes reach the disk: `default`, or a mode that does not sync.
    package var persistMode = "default"
    /// The maximum age of records, in nanoseconds; 0 for unlimited.
    package var longestAge: Int64 = 0
    /// The maximum number of records; unlimited if not positive.
    package var maxRecords: Int64 = -1
    /// The maximum number of records of a subject; unlimited if not positive.
    package var maxRecordsPerSubject: Int64 = -1
    /// The maximum length of a record, in bytes; unlimited if not positive.
    package var longestRecord: Int64 = -1
    /// The time for which ids are remembered, in nanoseconds.
    package var idWindow: Int64 = 120_000_000_000
    /// Whether every server with a copy serves reads.
    package var allowsDirect = true
    /// The subjects that the stream accepts.
    package var subjects = ["intake.*"]
    /// The maximum size on each server, in bytes; unlimited if not positive.
    package var longest: Int64 = -1
    /// The size of its records, in bytes.
    package var bytes: Int64 = 0
    /// Whether publishers get no acknowledgement.
    package var isSilent = false
    /// Whether it mirrors another stream.
    package var isMirror = false
    /// Whether the stream is read-only.
    package var isSealed = false
    /// The leader, or nil for none.
    package var leader: String?
    /// The servers with the other copies.
    package var replicas: [Replica] = []
    /// The creation time, as NATS reports it.
    package var created = ""
    /// The sequence of the oldest record.
    ///
    /// In a stream without records, at most that of the next one.
    package var firstSequence: UInt64 = 0
    /// The sequence of the last record; 0 for none.
    package var lastSequence: UInt64 = 0

    /// Creates the facts of a stream with correct settings.
    package init(name: String) {
        self.name = name
    }

    /// Whether the reporting leader has contact with a majority.
    ///
    /// A leader that was cut off from the others reports outdated facts until it notices.
    ///
    /// - Parameter silence: A replica that was silent for at least this long is not counted.
    func isReportedByMajority(after silence: Duration) -> Bool {
        let heard = replicas.count { !$0.isGone(after: silence) }
        return leader != nil && (heard + 1) * 2 > max(copies, replicas.count + 1)
    }

    /// All servers with a copy.
    package var members: [String] { (leader.map { [$0] } ?? []) + replicas.map(\.name) }
}

extension StreamFacts {
    /// Why NATS does not report on a stream.
    package enum Failure: Error, Sendable, Hashable {
        /// The stream does not exist.
        case missing
        /// NATS returned an error with this message.
        case refused(String)
        /// The report is invalid.
        case unreadable(String)
    }

    private static let streamNotFound: Int64 = 10_059

    /// Parses an answer to `STREAM.INFO`, `STREAM.CREATE` or `STREAM.UPDATE`. Unknown members are ignored.
    ///
    /// - Throws: ``Failure``.
    package init(_ answer: NATSMessage) throws(Failure) {
        if let status = answer.status {
            throw .refused(
                status == 503 ? "JetStream is not enabled for this account, or has no leader" : "status \(status)"
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
            throw .unreadable("it does not describe a stream")
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
