// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayPlatform

@testable import Trackway
@testable import TrackwayMigration

/// Reading the data of older SDKs with pure functions.
@Suite("Data of older SDKs")
struct LegacyStateTests {
    private func clickstream(_ values: [String: PropertyValue]) -> LegacyState {
        let keyed = Dictionary(uniqueKeysWithValues: values.map { (ClickstreamState.prefix + $0.key, $0.value) })
        return ClickstreamState.read({ keyed[$0] }, EventLimits())
    }

    @Test(arguments: [
        ("userUniqueIdKey", PropertyValue.integer(7), "a number"),
        ("userUniqueIdKey", .string(String(repeating: "x", count: 1_000_000)), "xxxx"),
        ("userUniqueIdKey", .string("a\u{7}b"), "a\\u{7}b"),
        ("userAttributesKey", .array([]), "an array"),
        ("userAttributesKey", .dictionary(["level": .string("gold")]), "a string"),
        ("userInfoKey", .integer(3), "a number"),
        ("userFirstTouchTimestampKey", .string("yesterday"), "yesterday"),
        ("userFirstTouchTimestampKey", .string("-5"), "-5"),
        ("userFirstTouchTimestampKey", .integer(.max), "9223372036854775807"),
        ("sessionKey", .dictionary(["sessionIndex": .integer(0)]), "0"),
        ("sessionKey", .dictionary(["sessionIndex": .integer(.max)]), "9223372036854775807"),
        ("sessionKey", .dictionary(["sessionId": .string("x")]), "nothing"),
        ("appVersionKey", .string(String(repeating: "1", count: 300)), "1111"),
    ])
    func `a value that cannot be migrated is reported, and no other value is lost`(
        _ key: String,
        _ value: PropertyValue,
        _ message: String
    ) throws {
        var values: [String: PropertyValue] = ["osVersionKey": .string("17.4"), "userIdKey": .string("anne")]
        values[key] = value
        let state = clickstream(values)
        let problem = try #require(state.problems.first)
        #expect(state.problems.count == 1 && problem.code == .takeOverIncomplete)
        #expect(problem.field.hasPrefix(key) && problem.value.contains(message) && problem.message.hasSuffix("."))
        #expect(problem.value.utf8.count <= Diagnostic.maximumValueBytes)
        #expect(state.lifecycle.systemVersion == "17.4" && state.person.user == "anne")
    }

    @Test
    func `the first touch of an early version is read from the key of the known users`() {
        let state = clickstream(["userInfoKey": .string("1716900000000"), "userUniqueIdKey": .string("U")])
        #expect(state.person.firstTouch == Timestamp(milliseconds: 1_716_900_000_000) && state.problems.isEmpty)
    }

    @Test(arguments: [
        "", "_clickstream_user_id_nil", "_clickstream_user_id_empty",
    ])
    func `no user is signed in with a sentinel or an empty id`(_ id: String) {
        let state = clickstream(["userIdKey": .string(id)])
        #expect(state.person.user == nil && state.problems.isEmpty)
    }

    @Test
    func `thousands of users are migrated, and as many attributes as an event may have`() {
        let people = Dictionary(
            uniqueKeysWithValues: (0..<3_000).map {
                ("u\($0)", PropertyValue.dictionary(["user_unique_id": .string("U\($0)")]))
            }
        )
        let attributes = Dictionary(
            uniqueKeysWithValues: (0..<5_000).map {
                ("a\($0)", PropertyValue.dictionary(["value": .integer(1), "set_timestamp": .integer(1)]))
            }
        )
        let state = clickstream(["userInfoKey": .dictionary(people), "userAttributesKey": .dictionary(attributes)])
        #expect(state.person.known.count == 3_000)
        #expect(state.person.attributes.count == EventLimits().attributes && !state.problems.isEmpty)
    }

    private func archives() throws -> [String: [UInt8]] {
        let folder = try LegacySDKFixture.folder("sensors")
        var files: [String: [UInt8]] = [:]
        for key in ["distinct_id", "login_id", "first_day", "super_properties", "com.sensorsdata.identities"] {
            files[key] = Array(
                try #require(FileManager.default.contents(atPath: "\(folder)/sensorsanalytics-\(key).plist"))
            )
        }
        return files
    }

    @Test(arguments: [
        "distinct_id", "login_id", "first_day", "super_properties", "com.sensorsdata.identities",
    ])
    func `a damaged archive is reported, and no other value is lost`(_ key: String) throws {
        var files = try archives()
        files[key] = Array(try #require(files[key]).prefix(60))
        let state = SensorsAnalyticsState.state(of: files, hasLaunched: .boolean(true), EventLimits())
        #expect(state.problems.map(\.field) == [key])
        #expect((state.person.anonymousID == nil) == (key == "distinct_id"))
        #expect((state.person.user == nil) == (key == "login_id"))
        #expect((state.firstDay == nil) == (key == "first_day"))
        #expect(state.global.isEmpty == (key == "super_properties"))
        #expect(state.person.identities.isEmpty == (key == "com.sensorsdata.identities"))
        #expect(state.lifecycle.wasOpened)
    }

    @Test
    func `an archive with an unexpected kind of object is reported`() throws {
        var files = try archives()
        files["login_id"] = files["super_properties"]
        files["first_day"] = files["distinct_id"]
        let state = SensorsAnalyticsState.state(of: files, hasLaunched: .string("yes"), EventLimits())
        #expect(state.problems.map(\.field) == ["login_id", "first_day", "HasLaunchedOnce"])
        #expect(state.person.anonymousID == "visitor-7" && !state.lifecycle.wasOpened)
    }

    @Test
    func `archives that are truncated or changed at any byte are read or rejected, and never crash the process`() throws
    {
        let folder = try LegacySDKFixture.folder("sift")
        let bytes = Array(
            try #require(FileManager.default.contents(atPath: folder + "/sift-v0_0_1/queues/sift-default"))
        )
        guard case .counted(2) = SiftState.pendingEvents(in: SiftArchives(queues: ["q": bytes])) else {
            Issue.record("the fixture has two events")
            return
        }
        for length in 0..<bytes.count { _ = try? KeyedArchive.root(of: Array(bytes.prefix(length))) }
        for place in bytes.indices {
            for value: UInt8 in [0x00, 0x0F, 0x80, 0xFF] {
                var changed = bytes
                changed[place] = value
                _ = SiftState.state(of: SiftArchives(keys: changed, queues: ["q": changed]), EventLimits())
                _ = SiftState.pendingEvents(in: SiftArchives(uploader: changed))
            }
        }
    }

    @Test
    func `an archive with cyclic references is rejected`() throws {
        let list: [String: Any] = [
            "$archiver": "NSKeyedArchiver", "$top": ["root": 1], "$objects": ["$null"],
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        // If the root is not a reference, it is the value itself.
        #expect(try KeyedArchive.root(of: Array(bytes)) == .integer(1))
        #expect(throws: KeyedArchive.Fault.noArchive) {
            let other = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
            return try KeyedArchive.root(of: Array(other))
        }
        // An array with one reference to itself.
        var ring: [UInt8] = Array("bplist00".utf8) + [0xA1, 0x00]
        ring += [8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
        ring += [0, 0, 0, 0, 0, 0, 0, 10]
        #expect(throws: BinaryPropertyList.Fault.tooLarge) { try BinaryPropertyList.value(of: ring) }
    }

    @Test
    func `every kind of value of a binary property list is read`() throws {
        let date = Date(timeIntervalSince1970: 1_717_000_000.25)
        let list: [String: Any] = [
            "text": "ASCII", "wide": "Zürich 🚲", "one": 1, "minus": -2, "large": Int64.max, "half": 0.5, "yes": true,
            "when": date, "bytes": Data([1, 2, 3]), "list": ["a", ["b": 2]] as [Any],
            "long": String(repeating: "x", count: 70_000),
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let value = try BinaryPropertyList.value(of: Array(bytes))
        #expect(value["text"] == .string("ASCII") && value["wide"] == .string("Zürich 🚲"))
        #expect(value["one"] == .integer(1) && value["minus"] == .integer(-2) && value["large"] == .integer(.max))
        #expect(value["half"] == .double(0.5) && value["yes"] == .boolean(true) && value["bytes"] == .data([1, 2, 3]))
        #expect(value["when"] == .date(Timestamp(milliseconds: 1_717_000_000_250)))
        #expect(value["list"] == .array([.string("a"), .dictionary(["b": .integer(2)])]))
        #expect(value["long"]?.string?.count == 70_000)
    }
}
