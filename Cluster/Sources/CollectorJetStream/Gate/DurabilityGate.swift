// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Decides whether a stream's acknowledged records survive a power failure.
///
/// They do if they are on the disks of a majority of at least three servers, and are not deleted automatically. A
/// function of NATS's reports.
package enum DurabilityGate {
    /// Requirements for a stream and its servers.
    package struct Demands: Sendable, Hashable {
        /// The minimum number of copies.
        package var copies = 3
        /// The minimum for the maximum message length, headers included, in bytes.
        package var messageBytes = 8 << 20
        /// The minimum for the maximum record length, in bytes.
        package var recordBytes = 8 << 20
        /// The subjects that the stream must accept.
        package var subjects = ["intake.*"]
        /// The only subject of a closed stream without a successor.
        ///
        /// Nil if the stream is never closed.
        package var closedSubject: String?
        /// The minimum time for which ids must be remembered.
        ///
        /// It must exceed the time for which records are held.
        package var idWindow: Duration = .seconds(60)
        /// The time without leader contact after which a server counts as gone.
        package var silence: Duration = .seconds(2)

        /// Whether the stream may keep only the last record of each subject.
        package var keepsLast = false

        /// Creates the default requirements.
        package init() {}

        /// The wildcard that includes all subjects the stream must accept.
        var subjectTree: String { "\((subjects.first ?? "").prefix { $0 != "." }).>" }

        /// Returns the required subjects that are missing.
        func missing(in subjects: [String]) -> [String] {
            subjects.contains(subjectTree) ? [] : self.subjects.filter { !subjects.contains($0) }
        }

        /// Returns a stream's subjects plus the missing ones.
        ///
        /// Omits subjects that a missing one covers, because NATS rejects overlapping subjects.
        func completing(_ subjects: [String]) -> [String] {
            let missing = missing(in: subjects)
            return subjects.filter { subject in
                !missing.contains { $0.hasSuffix(".*") && subject.hasPrefix($0.dropLast()) }
            } + missing
        }
    }

    /// The result.
    package enum Verdict: Sendable, Hashable {
        /// Everything is proven.
        ///
        /// The listed servers are gone or store nothing now; they must be proven when they are back.
        case proven(without: [String])
        /// Some requirements are not met, or not known to be met.
        case unproven([DurabilityFault])
    }

    /// Checks all requirements.
    ///
    /// - Parameters:
    ///   - stream: NATS's report on the stream.
    ///   - reports: The servers' reports on themselves.
    ///   - server: The connected server.
    package static func verdict(
        on stream: StreamFacts,
        _ reports: [MemberReport],
        server: NATSServerInfo,
        demands: Demands = Demands()
    ) -> Verdict {
        var faults = settings(of: stream, demands)
        if server.longestMessage < demands.messageBytes {
            faults.append(.shortMessages(server: server.name, bytes: server.longestMessage, demands.messageBytes))
        }
        let members = stream.members
        var absent: [(server: StreamFacts.Replica, isOff: Bool)] = []
        for name in members {
            let server = stream.replicas.first { $0.name == name } ?? .init(name: name)
            switch reports.last(where: { $0.name == name }) {
            case let report? where report.storage == .syncsAlways: break
            case let report? where report.storage == .off: absent.append((server, true))
            case let report?: faults.append(.lazyDisk(server: name, version: report.version))
            case nil: absent.append((server, false))
            }
        }
        // Nothing is known about a server that is gone, and it stores nothing. One that is present must report. One
        // with JetStream off acknowledges nothing, so it counts as gone; if it is the leader, another one is elected
        // shortly.
        let isMajority = (members.count - absent.count) * 2 > max(members.count, stream.copies)
        for (server, isOff) in absent {
            let isPassedOver = isOff ? server.name != stream.leader : server.isGone(after: demands.silence)
            if !isMajority || !isPassedOver {
                faults.append(isOff ? .storesNothing(server.name) : .silentServer(server.name))
            }
        }
        return faults.isEmpty ? .proven(without: absent.map { $0.server.name }) : .unproven(faults)
    }

    /// Returns a comma-separated list, shortened to fit into a sentence.
    private static func list(_ subjects: [String]) -> String {
        subjects.prefix(8).joined(separator: ",") + (subjects.count > 8 ? ",… (\(subjects.count) in all)" : "")
    }

    private static func settings(of stream: StreamFacts, _ demands: Demands) -> [DurabilityFault] {
        var faults: [DurabilityFault] = []
        func ask(_ isFulfilled: Bool, _ setting: String, _ value: String, _ wanted: String, _ reason: String) {
            if !isFulfilled {
                faults.append(.setting(stream: stream.name, setting, is: value, wanted: wanted, because: reason))
            }
        }
        ask(stream.storage == "file", "storage", stream.storage, "file", "records would not survive a power failure")
        ask(
            stream.copies >= demands.copies,
            "num_replicas",
            "\(stream.copies)",
            "\(demands.copies)",
            "there are too few copies"
        )
        ask(stream.retention == "limits", "retention", stream.retention, "limits", "records would be deleted once read")
        ask(stream.discard == "new", "discard", stream.discard, "new", "a full stream would drop old records")
        ask(stream.persistMode == "default", "persist_mode", stream.persistMode, "default", "records are not synced")
        ask(stream.longestAge == 0, "max_age", "\(stream.longestAge) ns", "0", "records would expire by age")
        ask(stream.maxRecords <= 0, "max_msgs", "\(stream.maxRecords)", "-1", "limit its size with max_bytes instead")
        ask(
            stream.maxRecordsPerSubject <= 0 || demands.keepsLast,
            "max_msgs_per_subject",
            "\(stream.maxRecordsPerSubject)",
            "-1",
            "older records of a subject would be deleted"
        )
        ask(
            stream.longestRecord <= 0 || stream.longestRecord >= Int64(demands.recordBytes),
            "max_msg_size",
            "\(stream.longestRecord)",
            "\(demands.recordBytes)",
            "long records would be rejected"
        )
        let window = Duration.nanoseconds(stream.idWindow)
        ask(
            window >= demands.idWindow,
            "duplicate_window",
            "\(window.wholeMilliseconds) ms",
            "120 s",
            "records sent twice would be stored twice"
        )
        ask(stream.allowsDirect, "allow_direct", "false", "true", "indexes could not read it without a leader")
        let missing = demands.missing(in: stream.subjects)
        ask(
            missing.isEmpty,
            "subjects",
            list(stream.subjects),
            list(demands.completing(stream.subjects)),
            "records are published to these subjects"
        )
        ask(!stream.isSilent, "no_ack", "true", "false", "records would not be acknowledged")
        ask(!stream.isMirror, "mirror", "set", "none", "it mirrors another stream")
        ask(!stream.isSealed, "sealed", "true", "false", "no records can be added; create another stream")
        if stream.members.count < demands.copies {
            faults.append(.fewMembers(stream: stream.name, stream.members, wanted: demands.copies))
        }
        return faults
    }
}

/// A reason why a stream is not durable.
package enum DurabilityFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A wrong setting of the stream.
    case setting(stream: String, String, is: String, wanted: String, because: String)
    /// Too few servers have copies of the stream.
    case fewMembers(stream: String, [String], wanted: Int)
    /// A server acknowledges records before they are on disk.
    case lazyDisk(server: String, version: String)
    /// A server that is not known to be gone did not report how it syncs.
    case silentServer(String)
    /// A server stores nothing, and the others are not a majority.
    case storesNothing(String)
    /// A server's maximum message length is too small.
    case shortMessages(server: String, bytes: Int, Int)
    /// The stream does not exist.
    case missing(stream: String)
    /// NATS does not report on the stream.
    case unknown(stream: String, String)

    /// One sentence with the server or stream, the problem and its fix.
    package var description: String {
        switch self {
        case .setting(let stream, let setting, let value, let wanted, let reason):
            "The stream \(stream) has \(setting) \(value): \(reason); set \(setting) to \(wanted)."
        case .fewMembers(let stream, let members, let wanted):
            "The stream \(stream) is on \(members.count) servers (\(members.joined(separator: ", "))), but \(wanted) "
                + "are required; add servers to the cluster and set num_replicas to \(wanted)."
        case .lazyDisk(let server, let version) where Self.isOld(version):
            "The server \(server) has version \(version), which does not support “sync_interval: always” "
                + "under jetstream; install 2.11 or newer, and set it."
        case .lazyDisk(let server, _):
            "The server \(server) does not sync always, so records it has acknowledged may not survive a power "
                + "failure; set “sync_interval: always” under jetstream in its configuration, and restart it."
        case .silentServer(let server):
            "The server \(server) did not report how it syncs; give the collector credentials of the system account, "
                + "and check that the other servers can reach \(server)."
        case .storesNothing(let server): "The server \(server) stores nothing: \(Self.causeOfStoringNothing)."
        case .shortMessages(let server, let bytes, let wanted):
            "The server \(server) accepts messages of \(bytes) bytes, but \(wanted) are required; set “max_payload: "
                + "8MB” in its configuration, and reload it."
        case .missing(let stream):
            "The stream \(stream) does not exist; create it with `trackway-cluster engine init`."
        case .unknown(let stream, let reason):
            "NATS does not report on the stream \(stream): \(reason)."
        }
    }

    /// Why a server stores nothing and what to do, as a clause.
    static let causeOfStoringNothing =
        "JetStream is off there, usually due to a full or failing disk; see its log, free up store_dir, and restart it"

    /// Whether it may resolve without intervention.
    ///
    /// True for faults that occur right after a server was killed or turned JetStream off.
    var mayPass: Bool {
        switch self {
        case .silentServer, .storesNothing: true
        default: false
        }
    }

    /// Whether the setting is unknown to this version: 2.10 introduced it.
    private static func isOld(_ version: String) -> Bool {
        let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return false }
        return (numbers[0], numbers[1]) < (2, 10)
    }
}
