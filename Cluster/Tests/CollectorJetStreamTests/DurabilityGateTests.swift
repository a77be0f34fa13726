// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable import CollectorJetStream

@Suite("Durability of acknowledged records")
struct DurabilityGateTests {
    private static let server = NATSServerInfo(name: "n0")
    private static let reports = [MemberReport(name: "n0"), MemberReport(name: "n1"), MemberReport(name: "n2")]

    private static var stream: StreamFacts {
        var stream = StreamFacts(name: "INTAKE_0")
        stream.leader = "n0"
        stream.replicas = [.init(name: "n1"), .init(name: "n2")]
        return stream
    }

    /// A violated requirement, and a part of the expected message.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout StreamFacts, inout [MemberReport], inout NATSServerInfo) -> Void

        init(
            _ sentence: String,
            _ change: @escaping @Sendable (inout StreamFacts, inout [MemberReport], inout NATSServerInfo) -> Void
        ) {
            testDescription = sentence
            self.change = change
        }
    }

    private static let cases: [Case] = [
        Case("INTAKE_0 has storage memory: records would not survive a power failure; set storage to file") {
            stream,
            _,
            _ in
            stream.storage = "memory"
        },
        Case("INTAKE_0 has num_replicas 1: there are too few copies; set num_replicas to 3") { stream, _, _ in
            stream.copies = 1
        },
        Case("INTAKE_0 is on 1 servers (n0), but 3 are required") { stream, reports, _ in
            stream.replicas = []
            stream.copies = 1
            reports = [MemberReport(name: "n0")]
        },
        Case("has retention workqueue: records would be deleted once read; set retention to limits") { stream, _, _ in
            stream.retention = "workqueue"
        },
        Case("has discard old: a full stream would drop old records; set discard to new") { stream, _, _ in
            stream.discard = "old"
        },
        Case("has persist_mode async: records are not synced; set persist_mode to default") { stream, _, _ in
            stream.persistMode = "async"
        },
        Case("has max_age 1 ns: records would expire by age; set max_age to 0") { stream, _, _ in
            stream.maxAge = 1
        },
        Case("has max_msgs 5: limit its size with max_bytes instead; set max_msgs to -1") { stream, _, _ in
            stream.maxRecords = 5
        },
        Case("has max_msgs_per_subject 1: older records of a subject would be deleted") { stream, _, _ in
            stream.maxRecordsPerSubject = 1
        },
        Case("has max_msg_size 8388607: long records would be rejected; set max_msg_size to 8388608") { stream, _, _ in
            stream.maxRecordBytes = 8_388_607
        },
        Case("has duplicate_window 59999 ms: records sent twice would be stored twice") { stream, _, _ in
            stream.idWindow = 59_999_000_000
        },
        Case("has no_ack true: records would not be acknowledged; set no_ack to false") { stream, _, _ in
            stream.disablesAcks = true
        },
        Case("has allow_direct false: indexes could not read the stream without a leader") { stream, _, _ in
            stream.allowsDirect = false
        },
        Case("has subjects intake.7,a: records are published to these subjects; set subjects to a,intake.*") {
            stream,
            _,
            _ in
            stream.subjects = ["intake.7", "a"]
        },
        Case("has mirror set: it mirrors another stream") { stream, _, _ in stream.isMirror = true },
        Case("has sealed true: no records can be added") { stream, _, _ in stream.isSealed = true },
        Case("The server n1 does not sync every write, so records it has acknowledged may not survive") {
            _,
            reports,
            _ in
            reports[1].storage = .syncsLater
        },
        Case("The server n2 has version 2.9.10, which does not support “sync_interval: always” under jetstream") {
            _,
            reports,
            _ in
            reports[2] = MemberReport(name: "n2", version: "2.9.10", syncsAlways: false)
        },
        Case("The server n2 did not report how it syncs") { _, reports, _ in reports.removeLast() },
        Case("The server n0 did not report how it syncs") { _, reports, _ in reports.removeFirst() },
        Case("The server n1 did not report how it syncs") { stream, reports, _ in
            // It contacted the leader a moment ago: it is running and must report.
            stream.replicas[0].sinceContact = .milliseconds(1_999)
            reports.remove(at: 1)
        },
        Case("The server n0 accepts messages of 1048576 bytes, but 8388608 are required; set “max_payload: 8MB”") {
            _,
            _,
            server in
            server.maxMessageBytes = 1 << 20
        },
    ]

    @Test(arguments: cases)
    func `a violated requirement is reported with its fix, and nothing else is reported`(case: Case) {
        var (stream, reports, server) = (Self.stream, Self.reports, Self.server)
        `case`.change(&stream, &reports, &server)
        guard case .unproven(let faults) = DurabilityGate.verdict(on: stream, reports, server: server) else {
            Issue.record("The cluster counts as proven.")
            return
        }
        #expect(faults.contains { $0.description.contains(`case`.testDescription) }, "\(faults)")
        #expect(faults.count == (stream.replicas.isEmpty ? 2 : 1), "\(faults)")
    }

    @Test
    func `three servers that sync every write are proven, and unlimited settings are as good as high limits`() {
        #expect(DurabilityGate.verdict(on: Self.stream, Self.reports, server: Self.server) == .proven(without: []))
        var stream = Self.stream
        (stream.maxRecordBytes, stream.maxRecords, stream.maxRecordsPerSubject) = (8_388_608, 0, 0)
        stream.idWindow = 60_000_000_000
        #expect(DurabilityGate.verdict(on: stream, Self.reports, server: Self.server) == .proven(without: []))
    }

    @Test
    func `a missing server is ignored while the others are a proven majority`() {
        var stream = Self.stream
        stream.replicas[1].isOffline = true
        let two = Array(Self.reports.prefix(2))
        #expect(DurabilityGate.verdict(on: stream, two, server: Self.server) == .proven(without: ["n2"]))
        stream.replicas[1] = .init(name: "n2", sinceContact: .seconds(2))
        #expect(DurabilityGate.verdict(on: stream, two, server: Self.server) == .proven(without: ["n2"]))
        // A new leader that has had no contact with n2 reports a silence of zero.
        stream.replicas[1] = .init(name: "n2", isUnseen: true)
        #expect(DurabilityGate.verdict(on: stream, two, server: Self.server) == .proven(without: ["n2"]))
        // n2 is back, but does not sync: records that two servers acknowledge may be on only one disk.
        stream.replicas[1] = .init(name: "n2")
        let back = two + [MemberReport(name: "n2", syncsAlways: false)]
        #expect(
            DurabilityGate.verdict(on: stream, back, server: Self.server)
                == .unproven([.notSyncing(server: "n2", version: "2.15.1")])
        )
    }

    @Test
    func `without a majority of proven servers, nothing is proven, whatever the reason for their silence`() {
        var stream = Self.stream
        stream.replicas = [.init(name: "n1", isOffline: true), .init(name: "n2", isOffline: true)]
        #expect(
            DurabilityGate.verdict(on: stream, [Self.reports[0]], server: Self.server)
                == .unproven([.missingReport("n1"), .missingReport("n2")])
        )
        // Two of four are not a majority.
        stream = Self.stream
        stream.replicas.append(.init(name: "n3", isOffline: true))
        stream.replicas[1].isOffline = true
        stream.copies = 4
        #expect(
            DurabilityGate.verdict(on: stream, Array(Self.reports.prefix(2)), server: Self.server)
                == .unproven([.missingReport("n2"), .missingReport("n3")])
        )
    }

    @Test
    func `a server that stores nothing counts as missing, even if the others reach it`() {
        let off = MemberReport(name: "n2", storage: .off)
        let two = Array(Self.reports.prefix(2))
        var stream = Self.stream
        for replica in [
            StreamFacts.Replica(name: "n2"), .init(name: "n2", isOffline: true),
            .init(name: "n2", sinceContact: .seconds(9)),
        ] {
            stream.replicas[1] = replica
            #expect(DurabilityGate.verdict(on: stream, two + [off], server: Self.server) == .proven(without: ["n2"]))
        }
        // Then the others are not a majority, or one of them does not sync.
        let one = [Self.reports[0], MemberReport(name: "n1", storage: .off), off]
        #expect(
            DurabilityGate.verdict(on: Self.stream, one, server: Self.server)
                == .unproven([.storageDisabled("n1"), .storageDisabled("n2")])
        )
        let notSyncing = [Self.reports[0], MemberReport(name: "n1", syncsAlways: false), off]
        #expect(
            DurabilityGate.verdict(on: Self.stream, notSyncing, server: Self.server)
                == .unproven([.notSyncing(server: "n1", version: "2.15.1")])
        )
        // A leader that stores nothing acknowledges nothing: another leader is about to be elected.
        let leader = [MemberReport(name: "n0", storage: .off)] + Self.reports.dropFirst()
        #expect(
            DurabilityGate.verdict(on: Self.stream, leader, server: Self.server) == .unproven([.storageDisabled("n0")])
        )
        // n2 is back, but does not sync: records that two servers acknowledge may be on only one disk.
        let back = two + [MemberReport(name: "n2", syncsAlways: false)]
        #expect(
            DurabilityGate.verdict(on: Self.stream, back, server: Self.server)
                == .unproven([.notSyncing(server: "n2", version: "2.15.1")])
        )
    }

    @Test
    func `the later of two reports of a server counts, and reports of servers without a copy are ignored`() {
        let late =
            Self.reports + [MemberReport(name: "n1", syncsAlways: false), MemberReport(name: "n9", syncsAlways: false)]
        #expect(
            DurabilityGate.verdict(on: Self.stream, late, server: Self.server)
                == .unproven([.notSyncing(server: "n1", version: "2.15.1")])
        )
    }

    private static func answer(_ text: String) -> NATSMessage {
        NATSMessage(subject: "_INBOX.a.1", subscription: 1, body: Array(text.utf8))
    }

    @Test
    func `a stream's description is parsed as servers write it`() throws {
        let text = """
            {"type":"io.nats.jetstream.api.v1.stream_info_response","total":0,"config":{"name":"INTAKE_0",\
            "subjects":["intake.*"],"retention":"limits","max_consumers":-1,"max_msgs":-1,"max_bytes":268435456,"max_age":0,\
            "max_msgs_per_subject":-1,"max_msg_size":8388608,"discard":"new","storage":"file","num_replicas":3,\
            "duplicate_window":120000000000,"allow_direct":true,"sealed":false,"metadata":{"_nats.ver":"2.15.1"}},\
            "created":"2026-01-01T00:00:55.372570819Z","state":{"messages":7,"bytes":900,"first_seq":3,"last_seq":9},\
            "cluster":{"name":"trackway","leader":"n1","replicas":[{"name":"n0","current":true,"active":41683039},\
            {"name":"n2","current":false,"offline":true,"active":7000000000}]}}
            """
        let stream = try StreamFacts(Self.answer(text))
        var expected = StreamFacts(name: "INTAKE_0")
        expected.maxRecordBytes = 8_388_608
        expected.leader = "n1"
        expected.replicas = [
            .init(name: "n0", sinceContact: .nanoseconds(41_683_039)),
            .init(name: "n2", isOffline: true, sinceContact: .seconds(7)),
        ]
        expected.created = "2026-01-01T00:00:55.372570819Z"
        expected.firstSequence = 3
        expected.lastSequence = 9
        expected.maxBytes = 268_435_456
        expected.bytes = 900
        #expect(stream == expected)
    }

    @Test
    func `a replica that never contacted its leader differs from one that just did`() throws {
        let text =
            #"{"config":{"name":"I"},"cluster":{"leader":"n1","replicas":[{"name":"n0","current":false,"active":0},"#
            + #"{"name":"n2","current":false,"active":5},{"name":"n3","current":true,"active":0}]}}"#
        #expect(try StreamFacts(Self.answer(text)).replicas.map(\.isUnseen) == [true, false, false])
    }

    @Test
    func `an omitted member counts as the server's default, which is never the safer value`() throws {
        let stream = try StreamFacts(Self.answer(#"{"config":{"name":"INTAKE_0"}}"#))
        #expect(stream.storage == "memory" && stream.copies == 1 && stream.discard == "old" && stream.idWindow == 0)
        #expect(stream.members.isEmpty && stream.lastSequence == 0)
        let full =
            #"{"config":{"name":"I","max_age":5,"no_ack":true,"mirror":{"name":"O"},"sealed":true,"persist_mode":"async"}}"#
        let bad = try StreamFacts(Self.answer(full))
        #expect(bad.maxAge == 5 && bad.disablesAcks && bad.isMirror && bad.isSealed && bad.persistMode == "async")
    }

    @Test(arguments: [
        (#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#, StreamFacts.Failure.missing),
        (
            #"{"error":{"code":503,"err_code":10039,"description":"JetStream not enabled"}}"#,
            .rejected("JetStream not enabled")
        ),
        ("{}", .invalid("it does not describe a stream")),
        (#"{"config":{}}"#, .invalid("it does not describe a stream")),
    ])
    func `an answer that does not describe a stream is reported with its reason`(
        text: String,
        failure: StreamFacts.Failure
    ) {
        #expect(throws: failure) { try StreamFacts(Self.answer(text)) }
    }

    /// Answers with these members in place of `data`, and the expected storage.
    private static let answers: [(String, MemberReport.Storage?)] = [
        (#""data":{"config":{"sync_interval":120000000000,"sync_always":true}}"#, .syncsAlways),
        // Servers that do not sync every write omit sync_always.
        (
            #""data":{"config":{"max_memory":1,"max_storage":4,"store_dir":"/x","sync_interval":120000000000}}"#,
            .syncsLater
        ),
        (#""data":{"config":{"sync_interval":120000000000}}"#, .syncsLater),
        // Versions before 2.10 omit the interval.
        (#""data":{"config":{"max_memory":0,"max_storage":4}}"#, .syncsLater),
        (#""data":{"config":{"store_dir":"/x"}}"#, .syncsLater),
        (#""data":{"config":{"sync_always":false}}"#, .syncsLater),
        (#""data":{"disabled":true,"config":{"max_memory":0,"max_storage":0}}"#, .off),
        // JetStream is disabled, whatever the configuration says.
        (#""data":{"disabled":true,"config":{"max_storage":4,"sync_always":true}}"#, .off),
        (#""data":{"disabled":true}"#, .off), (#""data":{}"#, .off), (#""data":{"config":{}}"#, .off),
        (#""data":{"config":{"max_memory":0,"max_storage":0}}"#, .off),
        // The storage of a server that answers with an error is unknown: it may acknowledge records.
        (#""error":{"code":500,"description":"no"}"#, nil), (#""more":1"#, nil),
    ]

    @Test(arguments: answers)
    func `a server's report states whether it syncs every write, syncs later or stores nothing`(
        text: String,
        storage: MemberReport.Storage?
    ) {
        let report = MemberReport(Self.answer(#"{"server":{"name":"n1","ver":"2.15.1"},\#(text)}"#))
        #expect(report == storage.map { MemberReport(name: "n1", storage: $0) })
        #expect(report?.syncsAlways == storage.map { $0 == .syncsAlways })
    }

    @Test
    func `an invalid report is ignored, and the server's time is parsed`() {
        for text in ["{}", "", #"{"data":{"config":{"sync_always":true}}}"#] {
            #expect(MemberReport(Self.answer(text)) == nil)
        }
        let now = Timestamp(milliseconds: 1_764_000_000_123)
        for text in [
            #"{"server":{"name":"n1","time":"2020-01-01T00:00:00Z"},"data":{"now":"\#(now.iso8601)","disabled":true}}"#,
            #"{"server":{"name":"n1","time":"\#(now.iso8601.dropLast())456Z"},"data":{"disabled":true}}"#,
        ] {
            #expect(MemberReport(Self.answer(text))?.time == now)
        }
        #expect(MemberReport(Self.answer(#"{"server":{"name":"n1"},"data":{"now":"noon"}}"#))?.time == nil)
    }
}
