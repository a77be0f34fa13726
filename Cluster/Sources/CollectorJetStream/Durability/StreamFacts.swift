// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// NATS's report on a stream: settings, members, and extent.
package struct StreamFacts: Sendable, Hashable {
    /// A server with a copy, other than the leader.
    package struct Replica: Sendable, Hashable {
        /// The server's name.
        package var name: String
        /// Whether the leader considers the server offline.
        package var isOffline: Bool
        /// Whether the current leader has never had contact with the server.
        ///
        /// If so, `sinceContact` is zero.
        package var isUnseen: Bool
        /// The time since the leader's last contact with the server.
        package var sinceContact: Duration

        /// Returns whether the server is gone: offline, never in contact, or silent for at least the timeout.
        func isUnreachable(after timeout: Duration) -> Bool { isOffline || isUnseen || sinceContact >= timeout }

        /// Creates a replica.
        package init(name: String, isOffline: Bool = false, isUnseen: Bool = false, sinceContact: Duration = .zero) {
            self.name = name
            self.isOffline = isOffline
            self.isUnseen = isUnseen
            self.sinceContact = sinceContact
        }
    }

    /// The stream's name.
    package var name: String
    /// The storage type: `file` or `memory`.
    package var storage = "file"
    /// The configured number of copies.
    package var copies = 3
    /// The retention policy: `limits`, or one that removes records once read.
    package var retention = "limits"
    /// The policy for a full stream: `new` or `old`.
    ///
    /// `new` rejects new records, `old` deletes old ones.
    package var discard = "new"
    /// The write mode: `default`, or one that does not sync.
    package var persistMode = "default"
    /// The maximum age of records, in nanoseconds; 0 for unlimited.
    package var maxAge: Int64 = 0
    /// The maximum number of records; unlimited if not positive.
    package var maxRecords: Int64 = -1
    /// The maximum number of records per subject; unlimited if not positive.
    package var maxRecordsPerSubject: Int64 = -1
    /// The maximum length of a record, in bytes; unlimited if not positive.
    package var maxRecordBytes: Int64 = -1
    /// The time for which message ids are remembered, in nanoseconds.
    package var idWindow: Int64 = 120_000_000_000
    /// Whether every server with a copy serves reads.
    package var allowsDirect = true
    /// The subjects that the stream accepts.
    package var subjects = ["intake.*"]
    /// The maximum size on each server, in bytes; unlimited if not positive.
    package var maxBytes: Int64 = -1
    /// The total size of the stream's records, in bytes.
    package var bytes: Int64 = 0
    /// Whether publishers receive no acknowledgements.
    package var disablesAcks = false
    /// Whether the stream mirrors another stream.
    package var isMirror = false
    /// Whether the stream is read-only.
    package var isSealed = false
    /// The leader's name, or nil for none.
    package var leader: String?
    /// The servers with the other copies.
    package var replicas: [Replica] = []
    /// The creation time, as NATS reports it.
    package var created = ""
    /// The sequence of the oldest record.
    ///
    /// In a stream without records, at most the sequence of the next record.
    package var firstSequence: UInt64 = 0
    /// The sequence of the last record; 0 for none.
    package var lastSequence: UInt64 = 0

    /// Creates the facts about a stream with correct settings.
    package init(name: String) {
        self.name = name
    }

    /// Returns whether the reporting leader has contact with a majority.
    ///
    /// A leader that was cut off from the others reports outdated facts until it notices the loss of contact.
    ///
    /// - Parameter timeout: The duration of silence after which a replica is not counted.
    func isReportedByMajority(after timeout: Duration) -> Bool {
        let reachable = replicas.count { !$0.isUnreachable(after: timeout) }
        return leader != nil && (reachable + 1) * 2 > max(copies, replicas.count + 1)
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
        case rejected(String)
        /// The report is invalid.
        case invalid(String)
    }

    private static let streamNotFound: Int64 = 10_059

    /// Parses an answer to `STREAM.INFO`, `STREAM.CREATE`, or `STREAM.UPDATE`. Unknown members are ignored.
    ///
    /// - Throws: ``Failure``.
    package init(_ answer: NATSMessage) throws(Failure) {
        if let status = answer.status {
            throw .rejected(
                status == 503 ? "JetStream is not enabled for this account, or has no leader" : "status \(status)"
            )
        }
        let json: JSONValue
        do {
            json = try JSONValue.parse(answer.body)
        } catch {
            throw .invalid("\(error)")
        }
        if let error = json["error"], error.object != nil {
            if error["err_code"]?.integer == Self.streamNotFound { throw .missing }
            throw .rejected(error["description"]?.string ?? "no reason given")
        }
        guard let config = json["config"], let name = config["name"]?.string else {
            throw .invalid("it does not describe a stream")
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
        maxAge = config["max_age"]?.integer ?? 0
        maxRecords = config["max_msgs"]?.integer ?? -1
        maxRecordsPerSubject = config["max_msgs_per_subject"]?.integer ?? -1
        maxRecordBytes = config["max_msg_size"]?.integer ?? -1
        idWindow = config["duplicate_window"]?.integer ?? 0
        allowsDirect = config["allow_direct"]?.boolean ?? false
        subjects = (config["subjects"]?.array ?? []).compactMap(\.string)
        maxBytes = config["max_bytes"]?.integer ?? -1
        disablesAcks = config["no_ack"]?.boolean ?? false
        isMirror = config["mirror"]?.object != nil
        isSealed = config["sealed"]?.boolean ?? false
    }

    private mutating func readCluster(_ cluster: JSONValue) {
        leader = cluster["leader"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        replicas = (cluster["replicas"]?.array ?? []).compactMap { replica in
            guard let name = replica["name"]?.string else { return nil }
            let sinceContact = replica["active"]?.integer ?? 0
            return Replica(
                name: name,
                isOffline: replica["offline"]?.boolean ?? false,
                isUnseen: sinceContact == 0 && replica["current"]?.boolean == false,
                sinceContact: .nanoseconds(max(0, sinceContact))
            )
        }
    }
}
