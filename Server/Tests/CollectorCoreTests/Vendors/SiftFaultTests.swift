// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

@Suite("Faulty events in bodies of the Sift format")
struct SiftFaultTests {
    private static let good = #"{"time":2,"mobile_event_type":"good"}"#

    private static func admit(_ events: String...) throws -> VendorBatch {
        try VendorEnvironment.sift(Array("{\"data\":[\(events.joined(separator: " , "))]}".utf8))
    }

    static let unreadable: [(event: String, reason: String)] = [
        (#"{"time":1,"ios_app_state":{"battery_level":NaN}}"#, "unexpected_byte"),
        (#"{"time":1,"ios_app_state":{"battery_level":1e999}}"#, "number_out_of_range"),
        (#"{"time":1,"fields":{"a":"\ud800"}}"#, "lone_surrogate"),
        (#"{"time":1,"fields":{"a":"\x"}}"#, "invalid_escape"),
        ("{\"time\":1,\"fields\":{\"a\":\"new\nline, [and\\\" more\"}}", "control_character"),
        (#"{"time":1,"fields":{"a":"said "so" and went"}}"#, "unexpected_byte"),
        (#"{"time":1,"new":\#(String(repeating: "[", count: 40) + String(repeating: "]", count: 40))}"#, "too_deep"),
        ("NaN", "unexpected_byte"), ("{'time':1}", "unexpected_byte"), (#"{"time":01}"#, "invalid_number"),
    ]

    @Test(arguments: unreadable)
    func `an event that is not JSON is stored as text with the reason, without affecting the others`(
        _ event: String,
        _ reason: String
    ) throws {
        let batch = try Self.admit(Self.good, event, Self.good)
        #expect(batch.accepted == 2 && batch.rejected.map(\.index) == [1])
        let fault = try #require(batch.rejected.first)
        #expect(fault.code == "malformed_json" && fault.field.isEmpty)
        #expect(fault.message.hasPrefix("The event is not valid JSON: \(reason) at byte "))
        #expect(fault.message.hasSuffix(" of the body."))
        let kept = try VendorEnvironment.visit(batch)
        #expect(kept.first { $0.fault != nil }?.json["sift"] == .string(event))
        #expect(kept.count { $0.name == "good" } == 2)
    }

    @Test
    func `invalid UTF-8 affects only its event, whose stored text shows where the bytes were`() throws {
        let body = Array("{\"data\":[{\"user_id\":\"".utf8) + [0xE9] + Array("\"},\(Self.good)]}".utf8)
        let batch = try VendorEnvironment.sift(body)
        #expect(batch.accepted == 1 && batch.rejected.first?.message.contains("invalid_utf8 at byte 21") == true)
        let kept = try VendorEnvironment.visit(batch).first { $0.fault != nil }
        #expect(kept?.json["sift"] == .string("{\"user_id\":\"\u{FFFD}\"}"))
    }

    static let hopeless = [
        #"{"time":1,"a":[}"#, #"{"time":1]"#, #"{"time":1,"a":"open}"#, #"{"time":NaN"#, "",
    ]

    @Test(arguments: hopeless)
    func `if the end of an event cannot be found, the body is rejected as a whole`(_ event: String) {
        let error = #expect(throws: AdmissionError.self) { _ = try Self.admit(Self.good, event, Self.good) }
        #expect(error?.kind == .malformed && error?.code == "malformed_json")
    }

    @Test
    func `an unreadable event may have the maximum length of an event; with one byte more, the body is rejected`()
        throws
    {
        let longest = AdmissionLimits().vendorEvent.eventBytes
        func event(_ bytes: Int) -> String {
            #"{"a":NaN,"b":""# + String(repeating: "x", count: bytes - 16) + #""}"#
        }
        #expect(event(100).utf8.count == 100)
        #expect(try Self.admit(event(longest), Self.good).accepted == 1)
        let error = #expect(throws: AdmissionError.self) { _ = try Self.admit(event(longest + 1), Self.good) }
        #expect(error?.code == "malformed_json")
    }

    static let messages: [(event: String, message: String)] = [
        ("7", "The event is 7; send an object."),
        (#"{"time":"soon"}"#, #"“time” is "soon"; send a whole number of milliseconds since 1970."#),
        (#"{"time":-1}"#, "“time” is -1; send a whole number of milliseconds since 1970."),
        (#"{"fields":{"n":1.5}}"#, "“fields.n” is 1.5; send text."),
        (#"{"fields":["a"]}"#, #"“fields” is ["a"]; send an object of strings."#),
        (#"{"ios_app_state":{"proximity_state":1}}"#, "“ios_app_state.proximity_state” is 1; send true or false."),
        (#"{"ios_app_state":{"motion":{}}}"#, "“ios_app_state.motion” is {}; send a list."),
        (
            #"{"user_id":[\#(String(repeating: "1,", count: 40))2]}"#,
            "“user_id” is [\(String(repeating: "1,", count: 23))1…; send text."
        ),
    ]

    @Test(arguments: messages)
    func `a message names the field, its value, and what to send instead`(_ event: String, _ message: String) throws {
        #expect(try Self.admit(event).rejected.map(\.message) == [message])
    }

    @Test
    func `a faulty event belongs to its installation, so an erasure deletes it`() throws {
        let event = #"{"installation_id":"\#(SiftSamples.installation)","fields":{"n":1}}"#
        let kept = try VendorEnvironment.visit(try Self.admit(Self.good, event)).first { $0.fault != nil }
        #expect(kept?.installation == InstallationID(SiftSamples.installation))
    }

    @Test
    func `a compressed body may be longer than one of our own`() throws {
        var state: UInt64 = 7
        let events = (0..<40).map { number in
            let text = (0..<50_000).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(ascii: "a") + UInt8(state >> 33 & 15)
            }
            return #"{"time":\#(number),"fields":{"text":"\#(String(decoding: text, as: UTF8.self))"}}"#
        }
        let wire = GzipCompressor().compress(Array("{\"data\":[\(events.joined(separator: ","))]}".utf8))
        #expect(wire.count > AdmissionLimits().body.wireBytes)
        #expect(try VendorEnvironment.sift(wire).accepted == 40)
    }

    @Test
    func `a backlog of nearly identical snapshots is accepted, however well it compresses`() throws {
        let properties = (0..<100).map { #""cache_and_cpu_property_\#($0)":"the same as it ever was""# }
        let events = (0..<200).map {
            #"{"time":\#(1_750_000_000_000 + $0),"ios_device_properties":{\#(properties.joined(separator: ","))}}"#
        }
        let body = Array("{\"data\":[\(events.joined(separator: ","))]}".utf8)
        let wire = GzipCompressor(level: 9).compress(body)
        #expect(body.count > 100 * wire.count)
        #expect(try VendorEnvironment.sift(wire).accepted == 200)
    }
}
