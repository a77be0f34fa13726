// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

@testable internal import CollectorCore

@Suite("Client addresses")
struct ClientAddressTests {
    @Test(arguments: [
        ("192.0.2.7", "192.0.2.0", "192.0.2.7"), ("127.9.8.7", "127.9.8.0", "127.9.8.7"),
        ("255.255.255.255", "255.255.255.0", "255.255.255.255"), ("0.0.0.0", "0.0.0.0", "0.0.0.0"),
        ("::ffff:192.0.2.7", "192.0.2.0", "192.0.2.7"), ("::1", "::", "::1"), ("::", "::", "::"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::", "2001:db8:1:2:3:4:5:6"),
        ("2001:0DB8:0:0:1:0:0:1", "2001:db8::", "2001:db8::1:0:0:1"),
        ("2001:db8:0:1:0:0:0:1", "2001:db8::", "2001:db8:0:1::1"),
        ("1:0:0:2:0:0:0:3", "1::", "1:0:0:2::3"), ("1:2:3:4:5:6:7:0", "1:2:3::", "1:2:3:4:5:6:7:0"),
        ("0:2:3:4:5:6:7:8", "0:2:3::", "0:2:3:4:5:6:7:8"),
    ])
    func `an address is dropped, truncated or kept`(_ text: String, _ truncated: String, _ whole: String) throws {
        let address = try #require(IPAddress(text))
        #expect(ClientAddressPolicy.drop.stored(address) == nil)
        #expect(ClientAddressPolicy.truncate.stored(address) == truncated)
        #expect(ClientAddressPolicy.keep.stored(address) == whole)
        #expect(IPAddress(address.description) == address)
        #expect(ClientAddressPolicy.allCases.allSatisfy { $0.stored(nil) == nil })
    }

    // MARK: Records

    private static func record(_ lines: [String], client: String?, format: IntakeFormat = .trackway) throws
        -> InflatedRecord
    {
        let header = IntakeHeader(
            received: Timestamp(milliseconds: 1_700_000_000_000),
            key: "k",
            encoding: .identity,
            format: format
        )
        let body = Array(lines.joined(separator: "\n").utf8)
        let bytes = body.withUnsafeBytes { IntakeRecord.bytes(header, body: $0) }
        let stored = IntakeRecord.adding(client: client, to: bytes)
        #expect((stored == bytes) == (client == nil))
        let record = try stored.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
        #expect(record.header.client == client && record.header.key == "k" && record.body == body)
        return InflatedRecord(record, limits: AdmissionLimits())
    }

    private static func contexts(_ record: InflatedRecord) throws -> [String] {
        var contexts: [String] = []
        try record.visit(event: { contexts.append(String(decoding: $0.context, as: UTF8.self)) })
        return contexts
    }

    private static let event = #"{"name":"a"}"#

    @Test(
        arguments: [
            (nil, ##"{"ip":"192.0.2.7"}"##), (#"{}"#, ##"{"ip":"192.0.2.7"}"##), (#"{ }"#, ##"{"ip":"192.0.2.7" }"##),
            (#"{"app":{"ip":"x"}}"#, ##"{"ip":"192.0.2.7","app":{"ip":"x"}}"##),
            (#"{"ip":"10.0.0.1"}"#, #"{"ip":"10.0.0.1"}"#), (#"{"app":{},"ip":null}"#, #"{"app":{},"ip":null}"#),
            (#"{"\u0069p":"10.0.0.1"}"#, #"{"\u0069p":"10.0.0.1"}"#), ("7", "7"),
        ] as [(String?, String)]
    )
    func `events get the address of their batch, unless the app sent one`(_ context: String?, _ shown: String) throws {
        let lines = (context.map { [#"{"context":\#($0)}"#] } ?? []) + [Self.event, Self.event]
        let record = try Self.record(lines, client: "192.0.2.7")
        #expect(try Self.contexts(record) == [shown, shown])
        let plain = try Self.record(lines, client: nil)
        #expect(try Self.contexts(plain) == [context ?? "", context ?? ""])
        #expect(record.body == plain.body && record.byteCount == plain.byteCount)
    }

    @Test
    func `each sender in a body has its own context`() throws {
        let lines = [
            #"{"batch":{"installation":"\#(InstallationID(high: 7 << 12 | 1, low: 1 << 63))"}}"#, Self.event,
            Self.event,
            #"{"context":{"a":{}}}"#, Self.event,
            #"{"batch":{"installation":"\#(InstallationID(high: 7 << 12 | 2, low: 1 << 63))"}}"#, Self.event,
        ]
        let record = try Self.record(lines, client: "::1", format: .clickstream)
        #expect(
            try Self.contexts(record) == [
                #"{"ip":"::1"}"#, #"{"ip":"::1"}"#, #"{"ip":"::1","a":{}}"#, #"{"ip":"::1"}"#,
            ]
        )
        var places: [UnsafeRawPointer?] = []
        try record.visit(event: { places.append($0.context.baseAddress) })
        // Stores recognize a new context by its address.
        #expect(places[0] == places[1] && places[1] != places[3])
    }

    // MARK: Erasure

    private static func redacted(_ lines: [String], erasing user: String) throws -> IntakeRecord? {
        let header = IntakeHeader(received: Timestamp(milliseconds: 1), key: "k", encoding: .identity)
        let body = Array(lines.joined(separator: "\n").utf8)
        let bytes = IntakeRecord.adding(
            client: "192.0.2.7",
            to: body.withUnsafeBytes { IntakeRecord.bytes(header, body: $0) }
        )
        let person = PersonKey.user(user)
        var redactor = RecordRedactor(plan: person, [], limits: AdmissionLimits())
        let outcome = try bytes.withUnsafeBytes { bytes in
            Result { try redactor.redact(.intake, bytes, at: LogPosition(segment: 1, offset: 16)) }
        }.get()
        guard case .replaced(let new, _) = outcome else { return nil }
        #expect(new.count == bytes.count)
        return try new.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
    }

    @Test
    func `the address is erased with the batch's last event`() throws {
        let anna = #"{"context":{"user":{"id":"anna"}}}"#
        let bob = #"{"context":{"user":{"id":"bob"}}}"#
        let whole = try #require(try Self.redacted([anna, Self.event, Self.event], erasing: "anna"))
        #expect(whole.header.client == nil)
        // The address is bob's, too.
        let shared = try #require(try Self.redacted([anna, Self.event, bob, Self.event], erasing: "anna"))
        #expect(shared.header.client == "192.0.2.7")
        // An event that was erased before does not count.
        let last = try #require(try Self.redacted([#"{"context":{}}"#, "{}", anna, Self.event], erasing: "anna"))
        #expect(last.header.client == nil)
        #expect(try Self.redacted([bob, Self.event], erasing: "anna") == nil)
    }
}
