// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Decides whether a stream's acknowledged records survive a power failure.
///
/// Records survive if they are on the disks of a majority of at least three servers, and are not deleted automatically.
/// The verdict depends only on NATS's reports.
package enum DurabilityGate {
    /// Requirements for a stream and its servers.
    package struct Requirements: Sendable, Hashable {
        /// The minimum number of copies.
        package var copies = 3
        /// The smallest acceptable maximum message length, including headers, in bytes.
        package var messageBytes = 8 << 20
        /// The smallest acceptable maximum record length, in bytes.
        package var recordBytes = 8 << 20
        /// The subjects that the stream must accept.
        package var subjects = ["intake.*"]
        /// The only subject of a closed stream without a successor.
        ///
        /// Nil if the stream is never closed.
        package var closedSubject: String?
        /// The minimum time for which NATS must remember message ids.
        ///
        /// This time must exceed the time for which records are held.
        package var idWindow: Duration = .seconds(60)
        /// The time without leader contact after which a server counts as gone.
        package var contactTimeout: Duration = .seconds(2)

        /// Whether the stream may keep only the last record of each subject.
        package var keepsLast = false

        /// Creates the default requirements.
        package init() {}

        /// The wildcard subject that covers all subjects that the stream must accept.
        var subjectTree: String { "\((subjects.first ?? "").prefix { $0 != "." }).>" }

        /// Returns the required subjects that are missing.
        func missing(in subjects: [String]) -> [String] {
            subjects.contains(subjectTree) ? [] : self.subjects.filter { !subjects.contains($0) }
        }

        /// Returns a stream's subjects plus the missing ones.
        ///
        /// Omits subjects that a missing subject covers, because NATS rejects overlapping subjects.
        func completing(_ subjects: [String]) -> [String] {
            let missing = missing(in: subjects)
            return subjects.filter { subject in
                !missing.contains { $0.hasSuffix(".*") && subject.hasPrefix($0.dropLast()) }
            } + missing
        }
    }

    /// The result of the checks.
    package enum Verdict: Sendable, Hashable {
        /// All requirements are proven to be met.
        ///
        /// The listed servers are gone or currently store nothing; they must be checked again when they return.
        case proven(without: [String])
        /// Some requirements are not met, or are not known to be met.
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
        requirements: Requirements = Requirements()
    ) -> Verdict {
        var faults = settingFaults(of: stream, requirements)
        if server.maxMessageBytes < requirements.messageBytes {
            faults.append(
                .messageLimitTooSmall(server: server.name, bytes: server.maxMessageBytes, requirements.messageBytes)
            )
        }
        let members = stream.members
        var absent: [(server: StreamFacts.Replica, isOff: Bool)] = []
        for name in members {
            let server = stream.replicas.first { $0.name == name } ?? .init(name: name)
            switch reports.last(where: { $0.name == name }) {
            case let report? where report.storage == .syncsAlways: break
            case let report? where report.storage == .off: absent.append((server, true))
            case let report?: faults.append(.notSyncing(server: name, version: report.version))
            case nil: absent.append((server, false))
            }
        }
        // A server that is gone cannot report, and it stores nothing. A server that is present must report. A server
        // with JetStream off acknowledges nothing, so it counts as gone, unless it is the leader; in that case, another
        // leader is elected shortly.
        let isMajority = (members.count - absent.count) * 2 > max(members.count, stream.copies)
        for (server, isOff) in absent {
            let isTolerated =
                isOff ? server.name != stream.leader : server.isUnreachable(after: requirements.contactTimeout)
            if !isMajority || !isTolerated {
                faults.append(isOff ? .storageDisabled(server.name) : .missingReport(server.name))
            }
        }
        return faults.isEmpty ? .proven(without: absent.map { $0.server.name }) : .unproven(faults)
    }

    /// Returns a comma-separated list, shortened to fit into a sentence.
    private static func list(_ subjects: [String]) -> String {
        subjects.prefix(8).joined(separator: ",") + (subjects.count > 8 ? ",… (\(subjects.count) in total)" : "")
    }

    private static func settingFaults(of stream: StreamFacts, _ requirements: Requirements) -> [DurabilityFault] {
        var faults: [DurabilityFault] = []
        func require(_ isSatisfied: Bool, _ setting: String, _ value: String, _ required: String, _ reason: String) {
            if !isSatisfied {
                faults.append(.setting(stream: stream.name, setting, is: value, required: required, reason: reason))
            }
        }
        require(
            stream.storage == "file",
            "storage",
            stream.storage,
            "file",
            "records would not survive a power failure"
        )
        require(
            stream.copies >= requirements.copies,
            "num_replicas",
            "\(stream.copies)",
            "\(requirements.copies)",
            "there are too few copies"
        )
        require(
            stream.retention == "limits",
            "retention",
            stream.retention,
            "limits",
            "records would be deleted once read"
        )
        require(stream.discard == "new", "discard", stream.discard, "new", "a full stream would drop old records")
        require(
            stream.persistMode == "default",
            "persist_mode",
            stream.persistMode,
            "default",
            "records are not synced"
        )
        require(stream.maxAge == 0, "max_age", "\(stream.maxAge) ns", "0", "records would expire by age")
        require(
            stream.maxRecords <= 0,
            "max_msgs",
            "\(stream.maxRecords)",
            "-1",
            "limit its size with max_bytes instead"
        )
        require(
            stream.maxRecordsPerSubject <= 0 || requirements.keepsLast,
            "max_msgs_per_subject",
            "\(stream.maxRecordsPerSubject)",
            "-1",
            "older records of a subject would be deleted"
        )
        require(
            stream.maxRecordBytes <= 0 || stream.maxRecordBytes >= Int64(requirements.recordBytes),
            "max_msg_size",
            "\(stream.maxRecordBytes)",
            "\(requirements.recordBytes)",
            "long records would be rejected"
        )
        let window = Duration.nanoseconds(stream.idWindow)
        require(
            window >= requirements.idWindow,
            "duplicate_window",
            "\(window.wholeMilliseconds) ms",
            "120 s",
            "records sent twice would be stored twice"
        )
        require(
            stream.allowsDirect,
            "allow_direct",
            "false",
            "true",
            "indexes could not read the stream without a leader"
        )
        let missing = requirements.missing(in: stream.subjects)
        require(
            missing.isEmpty,
            "subjects",
            list(stream.subjects),
            list(requirements.completing(stream.subjects)),
            "records are published to these subjects"
        )
        require(!stream.disablesAcks, "no_ack", "true", "false", "records would not be acknowledged")
        require(!stream.isMirror, "mirror", "set", "none", "it mirrors another stream")
        require(!stream.isSealed, "sealed", "true", "false", "no records can be added; create another stream")
        if stream.members.count < requirements.copies {
            faults.append(.tooFewMembers(stream: stream.name, stream.members, required: requirements.copies))
        }
        return faults
    }
}

/// A reason why a stream is not durable.
package enum DurabilityFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stream has a wrong setting.
    case setting(stream: String, String, is: String, required: String, reason: String)
    /// Too few servers have copies of the stream.
    case tooFewMembers(stream: String, [String], required: Int)
    /// A server acknowledges records before they are on disk.
    case notSyncing(server: String, version: String)
    /// A server that may be present did not report how it syncs.
    case missingReport(String)
    /// A server that leads, or is needed for a majority, stores nothing.
    case storageDisabled(String)
    /// A server's maximum message length is too small.
    case messageLimitTooSmall(server: String, bytes: Int, Int)
    /// The stream does not exist.
    case missing(stream: String)
    /// NATS does not report on the stream.
    case unknown(stream: String, String)

    /// One sentence with the server or stream, the problem, and its fix.
    package var description: String {
        switch self {
        case .setting(let stream, let setting, let value, let required, let reason):
            "The stream \(stream) has \(setting) \(value): \(reason); set \(setting) to \(required)."
        case .tooFewMembers(let stream, let members, let required):
            "The stream \(stream) is on \(members.count) servers (\(members.joined(separator: ", "))), but \(required) "
                + "are required; add servers to the cluster and set num_replicas to \(required)."
        case .notSyncing(let server, let version) where Self.predatesSyncAlways(version):
            "The server \(server) has version \(version), which does not support “sync_interval: always” "
                + "under jetstream; install 2.11 or newer, and set it."
        case .notSyncing(let server, _):
            "The server \(server) does not sync every write, so records it has acknowledged may not survive a power "
                + "failure; set “sync_interval: always” under jetstream in its configuration, and restart it."
        case .missingReport(let server):
            "The server \(server) did not report how it syncs; give the collector credentials of the system account, "
                + "and check that the other servers can reach \(server)."
        case .storageDisabled(let server): "The server \(server) stores nothing: \(Self.storageDisabledCause)."
        case .messageLimitTooSmall(let server, let bytes, let required):
            "The server \(server) accepts messages of \(bytes) bytes, but \(required) are required; set “max_payload: "
                + "8MB” in its configuration, and reload it."
        case .missing(let stream):
            "The stream \(stream) does not exist; create it with `trackway-cluster cluster init`."
        case .unknown(let stream, let reason):
            "NATS does not report on the stream \(stream): \(reason)."
        }
    }

    /// Why a server stores nothing and how to fix it, as a clause.
    static let storageDisabledCause =
        "JetStream is off there, usually due to a full or failing disk; see its log, free up store_dir, and restart it"

    /// Whether the fault may resolve without intervention.
    ///
    /// True for faults that occur right after a server was killed or turned JetStream off.
    var isTransient: Bool {
        switch self {
        case .missingReport, .storageDisabled: true
        default: false
        }
    }

    /// Whether a server version does not support “sync_interval: always”, which 2.10 introduced.
    private static func predatesSyncAlways(_ version: String) -> Bool {
        let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return false }
        return (numbers[0], numbers[1]) < (2, 10)
    }
}
