// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorCore

@Suite("Warnings about ignored members")
struct AdmissionWarningTests {
    private static func warnings(_ body: String) throws -> [AdmissionWarning] {
        try Body.admit(Array(body.utf8)).warnings
    }

    @Test(arguments: [
        ("properties", "put its content under “attributes”"), ("params", "put its content under “attributes”"),
        ("user_id", #"{"context":{"user":{"id":"…"}}}"#), ("distinct_id", "a context line before the event"),
        ("user", "a context line before the event"), ("timestamp", "“time”, in milliseconds since 1970"),
        ("ts", "“time”"), ("event_id", "“id”, a UUID"), ("event", "the event's name is “name”"),
        ("session_id", "a context line"), ("anything", "put it under “attributes”"),
    ])
    func `an unknown member is accepted with a warning that recommends a supported one`(
        _ member: String,
        _ advice: String
    ) throws {
        let warnings = try Self.warnings(#"{"name":"ok","\#(member)":{"a":1}}"#)
        #expect(warnings.map(\.field) == [member] && warnings.map(\.code) == ["unread_member"])
        #expect(warnings[0].index == 0 && warnings[0].events == 1)
        #expect(warnings[0].message.contains(advice), "\(warnings[0].message)")
    }

    @Test
    func `each kind is reported once with its number of events, and the number of kinds is limited`() throws {
        let twice = try Self.warnings(#"[{"name":"a"},{"name":"b","user_id":1},{"name":"c","user_id":2}]"#)
        #expect(twice.map(\.index) == [1] && twice.map(\.events) == [2])
        let members = (0..<100).map { "\"member\($0)\":1" }.joined(separator: ",")
        #expect(try Self.warnings("{\"name\":\"a\",\(members)}").count == 16)
        let long = String(repeating: "é", count: 500)
        let name = try Self.warnings("{\"name\":\"a\",\"\(long)\":1}")
        #expect(name.count == 1 && name[0].field.utf8.count <= 64 && name[0].message.utf8.count < 400)
    }

    @Test(arguments: [
        "null", "NULL", "0", "-1", "undefined", "Anonymous", "guest", "", "   ", "[object Object]", "(null)",
    ])
    func `a placeholder user id is accepted with a warning`(_ id: String) throws {
        let warnings = try Self.warnings("{\"context\":{\"user\":{\"id\":\"\(id)\"}}}\n{\"name\":\"a\"}")
        #expect(warnings.map(\.code) == ["placeholder_user_id"] && warnings.map(\.field) == ["context.user.id"])
        #expect(warnings[0].message.contains("“\(id)”") && warnings[0].message.contains("leave the ID out"))
    }

    @Test(arguments: ["1", "00", "nobody", "anna", "null-42", String(repeating: "0", count: 10_000)])
    func `other user ids get no warning`(_ id: String) throws {
        #expect(try Self.warnings("{\"context\":{\"user\":{\"id\":\"\(id)\"}}}\n{\"name\":\"a\"}").isEmpty)
    }

    @Test(arguments: [
        (#"{"_alias_from":"a","_alias_to":"b"}"#, true, false), (#"{"_alias_from":"a","_alias_to":"b"}"#, false, true),
        (#"{"_alias_from":"a","_alias_to":"a"}"#, true, true), (#"{"_alias_from":"null","_alias_to":"b"}"#, true, true),
        (#"{"_alias_from":1,"_alias_to":"b"}"#, true, true), (#"{}"#, true, true),
    ])
    func `an alias that merges nothing is accepted with a warning`(
        _ attributes: String,
        _ hasInstallation: Bool,
        _ isWarned: Bool
    ) throws {
        let header = #"{"batch":{"id":"b","installation":"018bcfe5-6800-7000-8000-0000000000aa"}}"# + "\n"
        let event = #"{"name":"_alias","attributes":\#(attributes)}"#
        let warnings = try Self.warnings((hasInstallation ? header : "") + event).filter { $0.field == "attributes" }
        #expect(warnings.map(\.code) == (isWarned ? ["ineffective_alias"] : []))
        #expect(hasInstallation || warnings[0].message.contains("/merge"))
    }

    @Test
    func `an event with only known members gets no warning`() throws {
        let body =
            #"{"id":"018bcfe5-6800-7000-8000-0000000000aa","name":"a","time":1700000000000,"mono":5,"attributes":{"properties":1},"items":[]}"#
        #expect(try Self.warnings(body).isEmpty)
        #expect(try Self.warnings(#"{"name":"a"}"#).isEmpty)
    }

    @Test(arguments: [
        ("{\"context\":{\"user\":\"u1\"}}\n{\"name\":\"a\"}", "context.user", "wrong_type"),
        ("{\"context\":{\"user\":{\"id\":42}}}\n{\"name\":\"a\"}", "context.user.id", "wrong_type"),
        ("{\"context\":{\"session\":{\"id\":7}}}\n{\"name\":\"a\"}", "context.session.id", "wrong_type"),
        ("{\"context\":{\"global\":[1]}}\n{\"name\":\"a\"}", "context.global", "wrong_type"),
        ("{\"context\":{},\"user\":{\"id\":\"u1\"}}\n{\"name\":\"a\"}", "user", "unread_member"),
        (#"{"events":[{"name":"a"}],"user_id":"u1"}"#, "user_id", "unread_member"),
    ])
    func `ignored members of contexts and next to events get a warning`(_ body: String, _ field: String, _ code: String)
        throws
    {
        let warnings = try Self.warnings(body)
        #expect(warnings.map(\.field) == [field] && warnings.map(\.code) == [code] && warnings[0].index == nil)
    }

    @Test(
        arguments: [
            (1_700_000_000, "seconds", 1_700_000_000_000), (1_700_000_000_123_456, "microseconds", 1_700_000_000_123),
            (1_700_000_000_123_456_789, "nanoseconds", 1_700_000_000_123),
        ] as [(Int64, String, Int64)]
    )
    func `a time in a unit other than milliseconds is rejected, and the error states the correct number`(
        _ time: Int64,
        _ unit: String,
        _ right: Int64
    ) throws {
        let error = try #require(throws: AdmissionError.self) { try Self.warnings(#"{"name":"a","time":\#(time)}"#) }
        #expect(error.code == "time_wrong_unit" && error.field == "time")
        #expect(error.message == "The time \(time) is in \(unit); send milliseconds since 1970: \(right).")
    }

    @Test
    func `a date in text form is rejected, and the error states the corresponding number`() throws {
        for (text, part) in [("2023-11-14T22:13:20.000Z", ": 1700000000000."), ("yesterday", "not a string")] {
            let error = try #require(throws: AdmissionError.self) {
                try Self.warnings(#"{"name":"a","time":"\#(text)"}"#)
            }
            #expect(error.field == "time" && error.message.contains(part), "\(error.message)")
        }
    }

    @Test(
        arguments: [
            (5, "time_before_2010"), (1_262_303_999_999, "time_before_2010"), (1_262_304_000_000, nil),
            (Body.received.milliseconds + 86_400_000, nil), (Body.received.milliseconds + 86_400_001, "time_ahead"),
        ] as [(Int64, String?)]
    )
    func `an implausible time is accepted with a warning`(_ time: Int64, _ code: String?) throws {
        #expect(try Self.warnings(#"{"name":"a","time":\#(time)}"#).map(\.code) == [code].compactMap(\.self))
    }

    @Test
    func `a device's clock is corrected before its times are checked`() throws {
        let time = 1_700_000_000
        let header = Body.header(1, 1, #","sent":\#(time + 10)"#)
        let event = #"{"name":"a","time":\#(time),"mono":7}"#
        #expect(try Body.admit(Body.lines(header, event)).warnings.isEmpty)
        #expect(try Body.admit(Body.lines(event)).warnings.map(\.code) == ["time_before_2010"])
    }
}
