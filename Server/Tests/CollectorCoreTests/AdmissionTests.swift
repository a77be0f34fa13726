// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

struct AdmissionTests {
    @Test
    func `a batch with a header is accepted in full, with its sequence numbers and contexts`() throws {
        let body = Body.lines(
            Body.header(4, 9, #","dropped":[[1,2,"damaged"],[6,6,"expired"]],"skipped":[[8,8]]"#),
            #"{"context":{"user":{"id":"u1"}}}"#,
            Body.event(4),
            Body.event(5),
            #"{"context":{}}"#,
            Body.event(7),
            Body.event(9)
        )
        let batch = try Body.admit(body)
        #expect(batch.accepted == 4 && batch.rejected.isEmpty)
        let (header, events) = try Body.visit(batch)
        #expect(header?.installation == Body.installation)
        #expect(events.map(\.sequence) == [4, 5, 7, 9])
        #expect(events.map(\.ordinal) == [0, 1, 2, 3])
        #expect(events.map(\.context) == [#"{"user":{"id":"u1"}}"#, #"{"user":{"id":"u1"}}"#, "{}", "{}"])
        #expect(events[0].json == Body.event(4))
    }

    @Test(arguments: [
        ("one line", #"{"name":"a"}"#, 1),
        ("lines, blank lines and Windows line endings", "{\"name\":\"a\"}\r\n\r\n{\"name\":\"b\"}\r\n", 2),
        ("an array", #" [ {"name":"a"} , {"name":"b"} ] "#, 2),
        ("an array in an object", #"{"events":[{"name":"a"},{"name":"b"}],"more":[1]}"#, 2),
        ("one event over several lines", "{\n  \"name\": \"a\",\n  \"attributes\": {}\n}\n", 1),
    ])
    func `the formats of simple senders are accepted`(_ label: String, _ body: String, _ events: Int) throws {
        let batch = try Body.admit(Array(body.utf8))
        #expect(batch.accepted == events && batch.rejected.isEmpty, "\(label)")
        #expect(try Body.visit(batch).events.count == events)
    }

    @Test
    func `a gzipped body is stored as received`() throws {
        let body = GzipCompressor().compress(Body.lines(Body.event(1), Body.event(2)))
        let batch = try Body.admit(body, encoding: .gzip)
        #expect(batch.accepted == 2)
        let record = try batch.record.withUnsafeBytes { try IntakeRecord(payload: $0) }
        #expect(record.body == body)
        #expect(record.header == IntakeHeader(received: Body.received, key: "shop", encoding: .gzip))
    }

    @Test
    func `a faulty event is rejected without affecting the others, and keeps its number`() throws {
        let body = Body.lines(
            Body.header(1, 5),
            Body.event(1),
            #"{"id":"x","name":"b"}"#,
            #"{"name":"#,
            #"{"nome":"b"}"#,
            Body.event(5)
        )
        let batch = try Body.admit(body)
        #expect(batch.accepted == 2)
        #expect(batch.rejected.map(\.index) == [1, 2, 3])
        #expect(batch.rejected.allSatisfy { !$0.code.isEmpty && !$0.message.isEmpty })
        let events = try Body.visit(batch).events
        #expect(events.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(events.map { $0.fault == nil } == [true, false, false, false, true])
    }

    @Test
    func `a header without events reports gaps`() throws {
        let batch = try Body.admit(Body.lines(Body.header(3, 4, #","dropped":[[3,4,"expired"]]"#)))
        #expect(batch.accepted == 0 && batch.rejected.isEmpty)
        #expect(try Body.visit(batch).header?.dropped.count == 1)
    }

    @Test
    func `a batch with a header gets a verdict for each event, even if all are faulty`() throws {
        let batch = try Body.admit(Body.lines(Body.header(1, 1), "{}"))
        #expect(batch.accepted == 0 && batch.rejected.count == 1)
    }

    @Test(arguments: [(1, 1), (1, 3), (2, 1)] as [(UInt64, UInt64)])
    func `the header must match the number of lines`(_ first: UInt64, _ last: UInt64) {
        let error = #expect(throws: AdmissionError.self) {
            try Body.admit(Body.lines(Body.header(first, last), Body.event(1), Body.event(2)))
        }
        #expect(error?.code == "sequence_mismatch")
    }

    @Test(arguments: [
        (#","recorded":1099511627777"#, "batch.recorded"), (#","recorded":9223372036854775807"#, "batch.recorded"),
        (#","dropped":[[3,9223372036854775806,"expired"]]"#, "batch.dropped"),
        (#","skipped":[[3,1099511627777]]"#, "batch.skipped"),
    ])
    func `a batch with impossible claims is rejected with an error that names the member`(
        _ more: String,
        _ field: String
    ) {
        let error = #expect(throws: AdmissionError.self) {
            try Body.admit(Body.lines(Body.header(1, 1, more), Body.event(1)))
        }
        #expect(error?.code == "malformed_header" && error?.field == field)
    }

    @Test
    func `an event without an id always gets the same one, derived from its position`() throws {
        let batch = try Body.admit(Body.lines(#"{"name":"a"}"#, #"{"name":"b"}"#))
        let record = try batch.record.withUnsafeBytes { try IntakeRecord(payload: $0) }
        func ids() throws -> [EventID] {
            var ids: [EventID] = []
            try record.visit { event in
                let position = EventPosition(segment: 3, offset: 4_096, ordinal: event.ordinal)
                ids.append(event.id(at: position, received: Body.received))
            }
            return ids
        }
        let first = try ids()
        #expect(Set(first).count == 2)
        #expect(try ids() == first)
        #expect(first[0].time == Body.received)
    }
}
