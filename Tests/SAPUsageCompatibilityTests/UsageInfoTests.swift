// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Round trip of records")
struct UsageInfoTests {
    private func roundTrip(_ info: UsageInfo) throws -> (UsageInfo, [String]) {
        let app = UsageApp()
        let store = try app.store()
        store.store(record: UsageRecord(.event("e"), info: info), for: "t")
        let next = app.restarted()
        return (try #require(try next.store().snapshot(for: "t").all.first).info, app.codes)
    }

    @Test
    func `all JSON values are read back as stored`() throws {
        let (info, codes) = try roundTrip([
            "text": "Trail Shoe", "empty": "", "date text": "2026-11-21T06:38:00.000Z", "": "no name",
            "integer": 3, "least": Int64.min, "byte": UInt8(1), "double": 279.9, "whole": 3.0, "float": Float(0.5),
            "true": true, "false": false, "null": NSNull(), "number": NSNumber(value: 42),
            "truth": NSNumber(value: true), "decimal": Decimal(string: "99.9") ?? 0,
            "list": [1, "two", NSNull(), [3.5]] as [Any], "nested": ["a": ["b": [["c": NSNull()]]]],
            "some": Optional.some(7) as Any, "none": Optional<Int>.none as Any,
            "large": UInt64.max, "large number": NSNumber(value: UInt64.max),
            "large decimal": Decimal(UInt64.max),
        ])
        #expect(info["text"] as? String == "Trail Shoe")
        #expect(info["empty"] as? String == "")
        #expect(info["date text"] as? String == "2026-11-21T06:38:00.000Z")
        #expect(info[""] as? String == "no name")
        #expect(info["integer"] as? Int == 3)
        #expect(info["least"] as? Int64 == Int64.min)
        #expect(info["byte"] as? Int == 1)
        #expect(info["double"] as? Double == 279.9)
        #expect(info["whole"] as? Double == 3)
        #expect(info["float"] as? Double == 0.5)
        #expect(info["true"] as? Bool == true)
        #expect(info["false"] as? Bool == false)
        #expect(info["null"] is NSNull)
        #expect(info["number"] as? Int == 42)
        #expect(info["truth"] as? Bool == true)
        #expect(info["decimal"] as? Double == 99.9)
        #expect(info["some"] as? Int == 7)
        #expect(info["none"] is NSNull)
        for key in ["large", "large number", "large decimal"] {
            #expect(info[key] as? String == "18446744073709551615", "\(key)")
        }
        let list = try #require(info["list"] as? [Any])
        #expect(list.first as? Int == 1)
        #expect(list[1] as? String == "two")
        #expect(list[2] is NSNull)
        #expect((list[3] as? [Any])?.first as? Double == 3.5)
        let data = try JSONSerialization.data(withJSONObject: info["nested"] ?? [:])
        #expect(String(decoding: data, as: UTF8.self) == #"{"a":{"b":[{"c":null}]}}"#)
        #expect(codes.isEmpty)
    }

    @Test
    func `values that are not JSON are omitted and reported, and the rest of the record is stored`() throws {
        let cycle = NSMutableArray()
        // Otherwise, the array would retain itself permanently.
        defer { cycle.removeAllObjects() }
        cycle.add(cycle)
        cycle.add(cycle)
        let (info, codes) = try roundTrip([
            "good": 1, "date": Date(timeIntervalSince1970: 0), "nan": Double.nan, "infinite": Double.infinity,
            "data": Data([1]), "object": NSObject(), "keys": [1: "a", 2: "b"] as [AnyHashable: Any],
        ])
        #expect(info["good"] as? Int == 1)
        #expect(Set(info.keys) == ["good", "keys"])
        #expect(codes.count == 7)
        #expect(Set(codes) == ["usage_info_invalid"])
        let deep = (0..<100).reduce(1 as Any) { value, _ in [value] }
        let (otherInfo, otherCodes) = try roundTrip([
            "good": 1, "cycle": cycle, "deep": deep, "in": ["an array": [cycle]],
        ])
        #expect(otherInfo["good"] as? Int == 1)
        #expect(!otherCodes.isEmpty)
    }

    @Test
    func `events and dates are kept exactly, and records that cannot be kept are rejected and counted`() throws {
        let app = UsageApp()
        let store = try app.store()
        let dates = [
            0, 1.000_000_1, -1e10, Date.distantPast.timeIntervalSinceReferenceDate,
            Date.distantFuture.timeIntervalSinceReferenceDate,
        ].map { Date(timeIntervalSinceReferenceDate: $0) }
        let events: [UsageRecord.Event] = [
            .sessionStart, .sessionEnd, .event("SessionStart"), .event(""), .event("a\u{0}b\n\u{2028}👨‍👩‍👧\"\\"),
        ]
        for (event, date) in zip(events, dates) { store.store(record: UsageRecord(event, date: date), for: "t") }
        let nowhere = Date(timeIntervalSinceReferenceDate: .nan)
        store.store(record: UsageRecord(.event("n"), date: nowhere), for: "t")
        store.store(record: UsageRecord(.event("l"), info: ["x": String(repeating: "x", count: 300_000)]), for: "t")
        let records = store.snapshot(for: "t").all
        #expect(records.map(\.event) == events)
        #expect(records.map(\.date) == dates)
        #expect(store.droppedRecords == [.notExpressible: 2])
        #expect(app.codes == ["usage_record_refused", "usage_record_refused"])
        store.store(
            record: UsageRecord(.event("q"), info: ["x": String(repeating: "\"\u{1}", count: 30_000)]),
            for: "t"
        )
        #expect(store.snapshot(for: "t").recordCount() == 6)
    }

    @Test(arguments: ["", "A", "a", "t.a", "myTarget", "Ü/../x"])
    func `target names of any kind stay distinct and are read back`(_ name: String) throws {
        let app = UsageApp()
        let store = try app.store()
        for target in [name, "a", "A", "other"] { store.store(record: UsageRecord(.event(target)), for: target) }
        let next = app.restarted()
        let reopened = try next.store()
        #expect(reopened.targetIdentifiers() == Set([name, "a", "A", "other"]).sorted())
        #expect(reopened.snapshot(for: name).all.allSatisfy { $0.event == .event(name) })
    }

    @Test
    func `log lines begin with the name given in the document`() {
        #expect(UsageEnvironment.line("trackway: [a] b\n") == "SAP.Common.Usage: [a] b\n")
        #expect(UsageEnvironment.line("other\n") == "SAP.Common.Usage: other\n")
    }

    @Test
    func `each session start contains a new session ID and the device's properties`() throws {
        let environment = UsageApp().environment
        let info = environment.sessionInfo()
        #expect(UUID(uuidString: try #require(info[UsageRecord.sessionIdentifierKey] as? String)) != nil)
        #expect(info[UsageRecord.deviceIdentifierKey] as? String == "0c2a7c36-5d0b-4c6e-8c0f-6c1e2b7f90a4")
        #expect(info[UsageRecord.deviceModelKey] as? String == "iPhone")
        #expect(info[UsageRecord.systemNameKey] as? String == "iOS")
        #expect(info[UsageRecord.systemVersionKey] as? String == "17.5.1")
        #expect(environment.sessionInfo()["sessionId"] as? String != info["sessionId"] as? String)
        let bare = UsageEnvironment { $0.run(in: InMemoryEnvironment()) }
        #expect(bare.sessionInfo()["deviceID"] as? String == "empty")
    }
}
