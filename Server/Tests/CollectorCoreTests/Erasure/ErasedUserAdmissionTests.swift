// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

@Suite("Admission of erased users' events")
struct ErasedUserAdmissionTests {
    private static let anna = #"{"context":{"user":{"id":"anna","attributes":{"name":"Anna K."}}}}"#
    private static let bob = #"{"context":{"user":{"id":"bob"}}}"#

    private static func admit(
        _ body: [UInt8],
        encoding: ContentEncoding = .identity,
        isErasedUser: ((String) -> Bool)? = { $0 == "anna" }
    ) throws(AdmissionError) -> AdmittedBatch {
        let verdict = body.withUnsafeBytes { bytes in
            Result { () throws(AdmissionError) in
                try Admission().admit(
                    bytes,
                    encoding: encoding,
                    grant: Body.grant,
                    received: Body.received,
                    isErasedUser: isErasedUser
                )
            }
        }
        return try verdict.get()
    }

    private static func lines(_ lines: [String], _ encoding: ContentEncoding = .identity) -> [UInt8] {
        let body = Array(lines.joined(separator: "\n").utf8)
        return encoding == .gzip ? GzipCompressor().compress(body) : body
    }

    private static func text(_ record: [UInt8]) throws -> String {
        let parsed = try record.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
        let body = parsed.header.encoding == .gzip ? try Gzip.inflate(parsed.body) : parsed.body
        return String(decoding: record.prefix { $0 != 10 } + body, as: UTF8.self)
    }

    @Test(arguments: [ContentEncoding.identity, .gzip])
    func `events of an erased user are rejected and not stored, and all others are accepted`(
        encoding: ContentEncoding
    ) throws {
        let lines = [
            Body.header(11, 17), Body.event(1), Self.anna, Body.event(2), #"{"name":"","secret":1}"#, Self.bob,
            Body.event(4), #"{"name":""}"#, Self.anna, Body.event(6), #"{"context":{}}"#, Body.event(7),
        ]
        let batch = try Self.admit(Self.lines(lines, encoding), encoding: encoding)
        #expect(batch.accepted == 3)
        #expect(batch.rejected.map(\.index) == [1, 2, 4, 5])
        #expect(batch.rejected.map { $0.code == "user_erased" } == [true, true, false, true])
        for rejected in batch.rejected where rejected.code == "user_erased" {
            #expect(rejected.field == "context.user.id" && !rejected.message.contains("anna"))
        }
        let events = try Body.visit(batch).events
        #expect(events.map(\.ordinal) == Array(0...6) && events.map(\.sequence) == Array(11...17))
        #expect(events.map(\.json).enumerated().filter { $0.element == "{ }" }.map(\.offset) == [1, 2, 5])
        // The header lists only rejected events that are stored.
        #expect(events.map { $0.fault == nil } == [true, true, true, true, false, true, true])
        #expect(events[3].context == #"{"user":{"id":"bob"}}"# && events[3].json == Body.event(4))
        let text = try Self.text(batch.record)
        #expect(!text.contains("anna") && !text.contains("Anna") && !text.contains("secret") && text.contains("bob"))
        #expect(batch.sender == Body.installation)
    }

    @Test
    func `a batch without erased users is stored exactly as it was received`() throws {
        let body = Self.lines([Body.header(1, 1), Self.bob, Body.event(1)], .gzip)
        let batch = try Self.admit(body, encoding: .gzip)
        #expect(batch.accepted == 1 && batch.rejected.isEmpty)
        #expect(try Self.admit(body, encoding: .gzip, isErasedUser: nil).record == batch.record)
        let record = try batch.record.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
        #expect(record.body == body)
    }

    @Test(arguments: [nil, Body.header(1, 2)])
    func `a batch with only erased events gets an ordinary response`(header: String?) throws {
        let lines = (header.map { [$0] } ?? []) + [Self.anna, Body.event(1), "not JSON"]
        let batch = try Self.admit(Self.lines(lines))
        #expect(batch.accepted == 0 && batch.rejected.map(\.code) == ["user_erased", "user_erased"])
        #expect(try Body.visit(batch).events.map(\.json) == ["{ }", "{ }"])
        #expect(try !Self.text(batch.record).contains("anna"))
    }

    @Test
    func `an erased user in a malformed batch does not hide the error`() {
        let wrong = Self.lines([Body.header(1, 3), Self.anna, Body.event(1)])
        #expect(throws: AdmissionError.self) { try Self.admit(wrong) }
        let context = Self.lines([#"{"context":{"user":{"id":"anna"}"#, Body.event(1)])
        #expect(throws: AdmissionError.self) { try Self.admit(context) }
    }

    @Test(arguments: [
        #"{"context":{"user":{"id":"\u0061nna"}}}"#, #"{ "context" : { "app":{}, "user" : { "id" : "anna" } } }"#,
        #"{"context":{"user":{"id":"anna"}},"more":1}"#,
    ])
    func `an erased user is recognized in every form of the context`(_ context: String) throws {
        let batch = try Self.admit(Self.lines([Body.header(1, 1), context, Body.event(1)]))
        #expect(batch.accepted == 0 && batch.rejected.map(\.code) == ["user_erased"])
        #expect(try Body.visit(batch).events.map(\.context) == ["{}"])
        #expect(try !Self.text(batch.record).contains("nna"))
    }

    @Test
    func `a gzip batch of many erased events can be inflated again`() throws {
        let events = (0..<990).map { Body.event(UInt64($0), attributes: #"{"n":\#($0)}"#) }
        let same = #"{"name":"tick","attributes":{"text":"\#(String(repeating: "x", count: 8_000))"}}"#
        let lines = [Self.anna] + events + [#"{"context":{}}"#] + Array(repeating: same, count: 10)
        let batch = try Self.admit(Self.lines(lines, .gzip), encoding: .gzip)
        #expect(batch.accepted == 10 && batch.rejected.count == 990)
        #expect(try Body.visit(batch).events.count == 1_000)
    }

    // MARK: Other formats

    @Test
    func `Clickstream events of an erased user are rejected and not stored`() throws {
        let batch = try Self.clickstream([
            (#"\#(Self.carl)"app_id":"shop_ios","event_type":"secret","timestamp":1718000003120"#, 1),
            (#""app_id":"shop_ios","event_type":"view_item","timestamp":1718000009480"#, 2),
            (#"\#(Self.carl)"app_id":"shop_ios","event_type":"secret","timestamp":1718000003121"#, 3),
        ])
        #expect(batch.accepted == 1 && batch.erased.isEmpty)
        #expect(batch.rejected.map(\.code) == ["user_erased", "user_erased"])
        #expect(batch.rejected.map(\.index) == [0, 2])
        #expect(batch.rejected.first?.id == SentBatch.id(1))
        #expect(try VendorEnvironment.visit(batch).compactMap(\.name) == ["view_item"])
        for record in batch.records { #expect(try !Self.text(record).contains("secret")) }
    }

    @Test
    func `an invalid event of an erased user in another format is not stored`() throws {
        let batch = try Self.clickstream([(#"\#(Self.carl)"app_id":"shop_ios","event_type":"secret""#, 1)])
        #expect(batch.accepted == 0 && batch.rejected.map(\.code) == ["user_erased"])
        #expect(batch.records.isEmpty)
    }

    private static let carl = #""user":{"_user_id":{"set_timestamp":1718000000001,"value":"carl-42"}},"#

    /// Admits events with these members and ids.
    private static func clickstream(_ events: [(members: String, id: UInt64)]) throws -> VendorBatch {
        let list = events.map { #"{\#($0.members),"device_id":"D","event_id":"\#(SentBatch.id($0.id))"}"# }
        return try ClickstreamIntake().admit(
            Array("[\(list.joined(separator: ","))]".utf8),
            encoding: .identity,
            app: "shop_ios",
            hashCode: nil,
            grant: VendorEnvironment.grant,
            received: VendorEnvironment.received,
            isErasedUser: { $0 == "carl-42" }
        )
    }

    @Test
    func `Sift events of an erased user are rejected and not stored`() throws {
        let events = ["user-42", "user-43"].map { user in
            #"{"time":1750000000123,"mobile_event_type":"checkout","path":"/cart","user_id":"\#(user)","#
                + #""installation_id":"\#(SiftSamples.installation)","fields":{"of":"\#(user)"}}"#
        }
        let batch = try SiftIntake().admit(
            Array(#"{"data":[\#(events.joined(separator: ","))]}"#.utf8),
            account: "acct_1",
            grant: VendorEnvironment.grant,
            received: VendorEnvironment.received,
            isErasedUser: { $0 == "user-42" }
        )
        #expect(batch.accepted == 1 && batch.rejected.map(\.code) == ["user_erased"])
        let kept = try VendorEnvironment.visit(batch)
        #expect(kept.map { $0.context?["user"]?["id"]?.string } == ["user-43"])
        for record in batch.records { #expect(try !Self.text(record).contains("user-42")) }
    }

    @Test
    func `a body of erased events in another format has no records`() throws {
        let batch = try SiftIntake().admit(
            Array(SiftSamples.list.utf8),
            account: "acct_1",
            grant: VendorEnvironment.grant,
            received: VendorEnvironment.received,
            isErasedUser: { $0 == "user-42" }
        )
        #expect(batch.accepted == 0 && batch.rejected.count == 2 && batch.records.isEmpty)
    }
}
