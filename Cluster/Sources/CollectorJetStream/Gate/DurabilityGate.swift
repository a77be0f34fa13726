// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Decides whether what a stream acknowledges survives power loss: whether it lies on the disks of a majority of at least three
/// servers, and nothing lets go of it by itself. A function of what the engine says.
package enum DurabilityGate {
    /// What it asks of a stream and its servers.
    package struct Demands: Sendable, Hashable {
        /// The fewest copies.
        package var copies = 3
        /// The longest message that has to fit, headers included, in bytes.
        package var messageBytes = 8 << 20
        /// The longest record that has to fit, in bytes.
        package var recordBytes = 8 << 20
        /// The subjects that the stream has to take.
        package var subjects = ["intake.*"]
        /// The subject that it has alone while it is closed and nobody said yet which others take its records; nil where that cannot be.
        package var closedSubject: String?
        /// Ids have to be remembered for so long at least: longer than a record is held.
        package var idWindow: Duration = .seconds(60)
        /// A server that its leader has not heard for so long is taken for gone.
        package var silence: Duration = .seconds(2)

        /// Whether it may keep only the last record of each subject.
        package var keepsLast = false

        /// The usual demands.
        package init() {}

        /// All subjects beside those that the stream has to take.
        var subjectTree: String { "\((subjects.first ?? "").prefix { $0 != "." }).>" }

        /// Those that a stream of these subjects does not take.
        func missing(in subjects: [String]) -> [String] {
            subjects.contains(subjectTree) ? [] : self.subjects.filter { !subjects.contains($0) }
        }
    }

    /// What it comes to.
    package enum Verdict: Sendable, Hashable {
        /// Everything is proven; the servers that are gone now have to be proven when they are back.
        case proven(without: [String])
        /// Something is not as it has to be, or not known.
        case unproven([DurabilityFault])
    }

    /// Looks at everything.
    ///
    /// - Parameters:
    ///   - stream: What the engine says of the stream.
    ///   - reports: What its servers say of themselves.
    ///   - server: The server this side is connected to.
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
        // Of a server that is not there nothing can be known, and nothing is kept on it. One that is there has to speak. One that stores
        // nothing acknowledges nothing, so it counts as one that is not there; if it leads, another is elected in a moment.
        let isMajority = (members.count - absent.count) * 2 > max(members.count, stream.copies)
        for (server, isOff) in absent {
            let isPassedOver = isOff ? server.name != stream.leader : server.isGone(after: demands.silence)
            if !isMajority || !isPassedOver {
                faults.append(isOff ? .storesNothing(server.name) : .silentServer(server.name))
            }
        }
        return faults.isEmpty ? .proven(without: absent.map { $0.server.name }) : .unproven(faults)
    }

    /// A list that is not too long for a sentence.
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
        ask(stream.storage == "file", "storage", stream.storage, "file", "records would be gone with the power")
        ask(
            stream.copies >= demands.copies,
            "num_replicas",
            "\(stream.copies)",
            "\(demands.copies)",
            "there are too few copies"
        )
        ask(stream.retention == "limits", "retention", stream.retention, "limits", "records vanish when they were read")
        ask(stream.discard == "new", "discard", stream.discard, "new", "a full stream forgets what it has promised")
        ask(stream.persistMode == "default", "persist_mode", stream.persistMode, "default", "records are not synced")
        ask(stream.longestAge == 0, "max_age", "\(stream.longestAge) ns", "0", "it lets go of records by the clock")
        ask(stream.maxRecords <= 0, "max_msgs", "\(stream.maxRecords)", "-1", "space is what is limited, by max_bytes")
        ask(
            stream.maxRecordsPerSubject <= 0 || demands.keepsLast,
            "max_msgs_per_subject",
            "\(stream.maxRecordsPerSubject)",
            "-1",
            "older records of a subject vanish"
        )
        ask(
            stream.longestRecord <= 0 || stream.longestRecord >= Int64(demands.recordBytes),
            "max_msg_size",
            "\(stream.longestRecord)",
            "\(demands.recordBytes)",
            "long records would be refused"
        )
        let window = Duration.nanoseconds(stream.idWindow)
        ask(
            window >= demands.idWindow,
            "duplicate_window",
            "\(window.wholeMilliseconds) ms",
            "120 s",
            "records asked for twice would be kept twice"
        )
        ask(stream.allowsDirect, "allow_direct", "false", "true", "indexes could not read it while there is no leader")
        let missing = demands.missing(in: stream.subjects)
        ask(
            missing.isEmpty,
            "subjects",
            list(stream.subjects),
            list(missing),
            "records are published there"
        )
        ask(!stream.isSilent, "no_ack", "true", "false", "nothing is acknowledged")
        ask(!stream.isMirror, "mirror", "set", "none", "it repeats another stream")
        ask(!stream.isSealed, "sealed", "true", "false", "nothing can be added; make another stream")
        if stream.members.count < demands.copies {
            faults.append(.fewMembers(stream: stream.name, stream.members, wanted: demands.copies))
        }
        return faults
    }
}

/// One thing that keeps a stream from being durable.
package enum DurabilityFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A setting of the stream.
    case setting(stream: String, String, is: String, wanted: String, because: String)
    /// Too few servers keep it.
    case fewMembers(stream: String, [String], wanted: Int)
    /// A server acknowledges what does not lie on its disk yet.
    case lazyDisk(server: String, version: String)
    /// A server has not said how it keeps things, and is there.
    case silentServer(String)
    /// A server stores nothing now, and without it there is no majority.
    case storesNothing(String)
    /// A server takes short messages only.
    case shortMessages(server: String, bytes: Int, Int)
    /// There is no such stream.
    case missing(stream: String)
    /// The engine did not tell about the stream.
    case unknown(stream: String, String)

    /// One sentence that names the server or stream, the setting and the remedy.
    package var description: String {
        switch self {
        case .setting(let stream, let setting, let value, let wanted, let reason):
            "The stream \(stream) has \(setting) \(value): \(reason); set \(setting) to \(wanted)."
        case .fewMembers(let stream, let members, let wanted):
            "The stream \(stream) is kept by \(members.count) servers (\(members.joined(separator: ", "))), and \(wanted) are "
                + "needed; add servers to the cluster and set num_replicas to \(wanted)."
        case .lazyDisk(let server, let version) where Self.isOld(version):
            "The server \(server) has version \(version), which cannot sync always; install 2.11 or newer there, and set "
                + "“sync_interval: always” under jetstream."
        case .lazyDisk(let server, _):
            "The server \(server) does not sync always, so a power failure takes away what it acknowledged; set "
                + "“sync_interval: always” under jetstream in its file, and restart it."
        case .silentServer(let server):
            "The server \(server) did not say how it syncs; give the collector credentials of the system account, and see "
                + "whether \(server) is reached by the others."
        case .storesNothing(let server): "The server \(server) stores nothing: \(Self.causeOfStoringNothing)."
        case .shortMessages(let server, let bytes, let wanted):
            "The server \(server) takes messages of \(bytes) bytes, and \(wanted) are needed; set “max_payload: 8MB” in its "
                + "file, and reload it."
        case .missing(let stream):
            "There is no stream \(stream); make it with `trackway-cluster engine init`."
        case .unknown(let stream, let reason):
            "The engine does not tell about the stream \(stream): \(reason)."
        }
    }

    /// Why a server stores nothing, and what to do, as half a sentence.
    static let causeOfStoringNothing =
        "JetStream is off there, usually because its disk is full or fails; see its log, make room in its store_dir, and restart it"

    /// Whether it may pass without anybody doing something: a server was killed or switched JetStream off a moment ago.
    var mayPass: Bool {
        switch self {
        case .silentServer, .storesNothing: true
        default: false
        }
    }

    /// Versions before 2.10 do not know the setting.
    private static func isOld(_ version: String) -> Bool {
        let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else { return false }
        return (numbers[0], numbers[1]) < (2, 10)
    }
}
