// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorJetStream

/// A cluster with the streams of an intake and of its readers, to the extent that retention uses them.
private final class RetentionCluster: NATSRequesting {
    struct State: Sendable {
        var subjects: [String: (body: String, time: String)] = [:]
        var exists = false
        var created: [String] = []
        var times: [Int: String] = [:]
        var first = 1
        var sinceContact = "0"
        /// The answer to every request, if set.
        var answer: String?
    }

    let state = Locked(State())
    var connection: NATSConnection? { nil }
    var connectionError: String? { nil }
    func dropConnection(_ number: UInt64) {}

    func collect(
        _ subject: String,
        body: [UInt8],
        upTo count: Int,
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage] { throw .notConnected }

    func request(
        _ subject: String,
        headers: NATSHeaders?,
        body: [UInt8],
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> NATSMessage {
        let text = String(decoding: body, as: UTF8.self)
        let json = try? JSONValue.parse(body)
        return state.withLock { state in
            if let answer = state.answer { return Self.message(answer) }
            switch subject {
            case "$JS.API.STREAM.INFO.READERS_0", "$JS.API.STREAM.CREATE.READERS_0":
                if subject.contains("CREATE") {
                    state.exists = true
                    state.created.append(text)
                }
                guard state.exists else {
                    return Self.message(#"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#)
                }
                let subjects = state.subjects.keys.map { #""\#($0)":1"# }.joined(separator: ",")
                return Self.message(#"{"config":{"name":"READERS_0"},"state":{"subjects":{\#(subjects)}}}"#)
            case "$JS.API.DIRECT.GET.READERS_0":
                guard let report = state.subjects[json?["last_by_subj"]?.string ?? ""] else { return Self.status(404) }
                return Self.message(report.body, time: report.time)
            case "$JS.API.STREAM.PURGE.READERS_0":
                state.subjects[json?["filter"]?.string ?? ""] = nil
                return Self.message(#"{"success":true,"purged":1}"#)
            case "$JS.API.STREAM.INFO.INTAKE_0":
                return Self.message(
                    #"{"config":{"name":"INTAKE_0","num_replicas":3},"state":{"first_seq":\#(state.first),"last_seq":9},"cluster":"#
                        + #"{"leader":"a","replicas":[{"name":"b","active":\#(state.sinceContact)},{"name":"c","active":\#(state.sinceContact)}]}}"#
                )
            case "$JS.API.DIRECT.GET.INTAKE_0":
                guard let time = state.times[Int(json?["seq"]?.integer ?? 0)] else { return Self.status(404) }
                return Self.message("x", time: time)
            case "$JS.API.STREAM.PURGE.INTAKE_0":
                let removed = Int(json?["seq"]?.integer ?? 0) - state.first
                state.first += removed
                return Self.message(#"{"success":true,"purged":\#(removed)}"#)
            default:
                guard state.exists else { return Self.status(503) }
                state.subjects[subject] = (text, "2026-11-26T13:00:00.5Z")
                return Self.message(#"{"stream":"READERS_0","seq":1}"#)
            }
        }
    }

    private static func message(_ text: String, time: String? = nil) -> NATSMessage {
        var headers = NATSHeaders()
        if let time { headers.fields.append(.init(name: "Nats-Time-Stamp", value: time)) }
        return NATSMessage(subject: "a", subscription: 1, headers: headers, body: Array(text.utf8))
    }

    private static func status(_ status: Int) -> NATSMessage {
        var headers = NATSHeaders()
        headers.status = status
        return NATSMessage(subject: "a", subscription: 1, headers: headers)
    }
}

@Suite("Stream retention")
struct StreamRetentionTests {
    private let engine = RetentionCluster()
    private var retention: StreamRetention { StreamRetention(engine, names: StreamNames()) }

    @Test
    func `each collector's last report is kept until it is forgotten, in a stream that the first report creates`()
        async throws
    {
        let retention = retention
        #expect(try await retention.readers() == [])
        try await retention.reportPosition(of: "web1:/a b/ü*>.", next: 1)
        try await retention.reportPosition(of: "web2:/data", next: 7)
        try await retention.reportPosition(of: "web1:/a b/ü*>.", next: 12)
        let reportTime = Timestamp(iso8601: "2026-11-26T13:00:00.500Z")
        // Earlier versions do not report that they skip erased records.
        let subject = StreamNames().readerSubject(of: "web3:/old")
        engine.state.withLock {
            $0.subjects[subject] = (#"{"collector":"web3:/old","next":2}"#, "2026-11-26T13:00:00.5Z")
        }
        #expect(try await retention.readers().first { $0.name == "web3:/old" }?.skipsErasedRecords == false)
        try await retention.deletePosition(of: "web3:/old")
        let readers = try await retention.readers().sorted { $0.name < $1.name }
        #expect(readers.map(\.name) == ["web1:/a b/ü*>.", "web2:/data"] && readers.map(\.next) == [12, 7])
        #expect(readers.allSatisfy { $0.lastReport == reportTime && $0.skipsErasedRecords })
        let created = engine.state.withLock { $0.created }
        #expect(created.count == 1 && created[0].contains(#""max_msgs_per_subject":1"#))
        #expect(created[0].contains(#""subjects":["readers.0.*"]"#) && created[0].contains(#""num_replicas":3"#))
        try await retention.deletePosition(of: "web1:/a b/ü*>.")
        #expect(try await retention.readers().map(\.name) == ["web2:/data"])
    }

    @Test
    func `unreadable reports are errors, because a collector that was left out would lose its position`() async throws {
        let retention = retention
        try await retention.reportPosition(of: "web1:/data", next: 3)
        let (subject, report) = try #require(engine.state.withLock { $0.subjects.first })
        for body in ["", "{}", #"{"collector":"web1:/data","next":0}"#, #"{"collector":"web9:/data","next":3}"#] {
            engine.state.withLock { $0.subjects[subject]?.body = body }
            let failure = await #expect(throws: StreamMaintenanceError.self) { try await retention.readers() }
            #expect(failure?.description.contains(subject) == true)
        }
        engine.state.withLock { $0.subjects[subject] = (report.body, "yesterday") }
        await #expect(throws: StreamMaintenanceError.self) { try await retention.readers() }
        for answer in ["", "[]", #"{"error":{"code":503,"err_code":10008,"description":"no leader"}}"#] {
            engine.state.withLock { $0.answer = answer }
            await #expect(throws: StreamMaintenanceError.self) { try await retention.readers() }
            await #expect(throws: StreamMaintenanceError.self) { try await retention.extent() }
            await #expect(throws: StreamMaintenanceError.self) { try await retention.purge(before: 4) }
            await #expect(throws: StreamMaintenanceError.self) {
                try await retention.reportPosition(of: "web1:/data", next: 3)
            }
        }
    }

    @Test
    func `a purge needs a leader in contact with the other servers, and records have their storage times`() async throws
    {
        let retention = retention
        engine.state.withLock { $0.times = [4: "2026-11-26T13:00:00.123456789Z", 5: "2026-11-26T13:00:01Z"] }
        #expect(try await retention.extent() == StreamExtent(first: 1, last: 9))
        #expect(try await retention.time(of: 3) == nil)
        #expect(try await retention.time(of: 4) == Timestamp(iso8601: "2026-11-26T13:00:00.123Z"))
        #expect(try await retention.time(of: 5) == Timestamp(iso8601: "2026-11-26T13:00:01.000Z"))
        #expect(try await retention.purge(before: 5) == 4)
        #expect(try await retention.extent().first == 5)
        engine.state.withLock { $0.sinceContact = "9000000000" }
        await #expect(throws: StreamMaintenanceError.self) { try await retention.extent() }
    }

    @Test
    func `a NATS timestamp has any number of fractional digits, and other formats are rejected`() {
        for text in [
            "", "Z", "2026-11-26T13:00:00", "2026-11-26T13:00:00+01:00", "2026-11-26T13:00:00,5Z",
            "2026-13-26T13:00:00Z",
        ] {
            #expect(Timestamp(engine: text) == nil, "\(text)")
        }
        #expect(Timestamp(engine: "2026-11-26T13:00:00.07Z")?.iso8601 == "2026-11-26T13:00:00.070Z")
    }
}
