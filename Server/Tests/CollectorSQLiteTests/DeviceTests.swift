// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore

@testable import CollectorSQLite

@Suite("Devices, their properties and their states")
struct DeviceTests {
    private static func properties(_ id: UInt64, time: Int64, _ values: String) -> String {
        line(id, "_device_properties", time: time, attributes: values)
    }

    private static func state(_ id: UInt64, time: Int64, _ values: String = "{}") -> String {
        line(id, "_app_state", time: time, attributes: values)
    }

    /// Returns the batches of a phone.
    ///
    /// It is updated twice and renamed once, with states in between.
    private static func phone(_ installation: UInt64 = 1) -> [Batch] {
        let base = installation * 100
        var first = Batch(installation, installation, 1...4)
        first.lines = [
            #"{"context":{"app":{"id":"shop"},"screen":{"name":"Home"}}}"#,
            properties(
                base + 1,
                time: 1_000,
                #"{"device_system_name":"iOS","device_system_version":"18.0","device_model":"iPhone","evidence_files_present":[]}"#
            ),
            state(
                base + 2,
                time: 1_100,
                #"{"application_state":"active","battery_level":0.9,"battery_state":"unplugged"}"#
            ),
            // The same values again: no change.
            properties(
                base + 3,
                time: 2_000,
                #"{"device_model":"iPhone","evidence_files_present":[],"device_system_version":"18.0","device_system_name":"iOS"}"#
            ),
            line(base + 4, "purchase", time: 99_000),
        ]
        var second = Batch(installation, installation, 5...7)
        second.lines = [
            #"{"context":{"app":{"id":"shop"},"user":{"id":"carl"}}}"#,
            properties(
                base + 5,
                time: 3_000,
                #"{"device_system_name":"iOS","device_system_version":"18.1","device_model":"iPhone","_path":"/x"}"#
            ),
            state(
                base + 6,
                time: 3_100,
                """
                {"application_state":"background","battery_level":1,"battery_state":"charging","device_orientation":"face_up",\
                "proximity_state":true,"network_addresses":["10.0.0.7","::2"],\
                "window_root_view_controller_titles":["Root","Basket"],\
                "location":{"latitude":48,"longitude":11.5,"horizontal_accuracy":65},\
                "heading":{"magnetic_heading":268.1,"true_heading":271.2},\
                "motion":[{},{}],"raw_gyro":[{}]}
                """
            ),
            properties(
                base + 7,
                time: 4_000,
                #"{"device_system_name":"iOS","device_system_version":"18.1","device_model":"iPhone","device_name":"Mine"}"#
            ),
        ]
        return [first, second]
    }

    private static func environment(_ batches: [Batch], eventsPerStep: Int = 10_000) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep)
        for batch in batches { try environment.append(batch) }
        try await environment.index()
        return environment
    }

    private static func changes(_ history: DeviceHistory?) -> [String] {
        (history?.steps ?? []).flatMap { step in
            step.changes.map { change in
                func text(_ value: JSONValue?) -> String {
                    value.map { String(decoding: $0.json(), as: UTF8.self) } ?? "-"
                }
                return "\(step.time.milliseconds) \(change.name) \(text(change.before)) \(text(change.after))"
            }
        }
    }

    @Test
    func `the history contains the changes from one snapshot to the next, the latest first`() async throws {
        let environment = try await Self.environment(Self.phone())
        let history = try await environment.store.device(.numbered(1), limit: 10)
        #expect(
            Self.changes(history)
                == [
                    #"4000 device_name - "Mine""#, "3000 device_system_version \"18.0\" \"18.1\"",
                    "3000 evidence_files_present [] -",
                ]
        )
        #expect(
            history?.properties.members.map(\.key)
                == ["device_model", "device_name", "device_system_name", "device_system_version"]
        )
        #expect(try await environment.store.device(.numbered(1), limit: 1)?.steps.map(\.time.milliseconds) == [4_000])
        #expect(try await environment.store.device(.numbered(1), limit: 0)?.states.isEmpty == true)
        #expect(try await environment.store.device(.numbered(9), limit: 10) == nil)
    }

    @Test
    func `each part of a state is read, and an unknown part is nil`() async throws {
        let environment = try await Self.environment(Self.phone())
        let states = try #require(try await environment.store.device(.numbered(1), limit: 10)).states
        #expect(states.map(\.time.milliseconds) == [3_100, 1_100])
        let full = try #require(states.first)
        #expect(full.applicationState == "background" && full.batteryLevel == 1 && full.batteryState == "charging")
        #expect(full.orientation == "face_up" && full.isNear == true && full.networkAddresses == ["10.0.0.7", "::2"])
        #expect(full.place?.latitude == 48 && full.place?.longitude == 11.5 && full.place?.accuracy == 65)
        #expect(full.heading == 271.2 && full.screen == "Basket")
        #expect(full.motionReadings == 2 && full.gyroscopeReadings == 1)
        #expect(full.accelerometerReadings == 0 && full.magnetometerReadings == 0)
        let bare = try #require(states.last)
        #expect(bare.orientation == nil && bare.isNear == nil && bare.networkAddresses == nil && bare.place == nil)
        #expect(bare.heading == nil && bare.screen == "Home")
    }

    @Test
    func `a value of an unexpected type is ignored, regardless of its sender`() {
        let values: [(String, JSONValue)] = [
            ("application_state", .integer(1)), ("battery_level", .string("full")), ("proximity_state", .string("yes")),
            ("network_addresses", .string("::1")), ("location", .array([])), ("heading", .double(3)), ("motion", .null),
            ("window_root_view_controller_titles", .object(.init())),
        ]
        let odd = JSONValue.Object(values.map { .init(key: $0.0, value: $0.1) })
        #expect(
            StoredAppState(at: Timestamp(milliseconds: 1), odd)
                == StoredAppState(at: Timestamp(milliseconds: 1), .init())
        )
    }

    @Test
    func `an integer and the same number with a zero fraction are equal`() {
        let (whole, fraction) = (JSONValue.integer(2), JSONValue.double(2.0))
        func changes(_ before: JSONValue, _ after: JSONValue) -> Int {
            PropertyChange.between(.init([.init(key: "n", value: before)]), .init([.init(key: "n", value: after)]))
                .count
        }
        #expect(changes(whole, fraction) == 0 && changes(fraction, whole) == 0 && changes(whole, .double(2.5)) == 1)
    }

    @Test
    func `the list shows each device's latest state, the most recently seen first, in pages`() async throws {
        var batches = Self.phone(1) + Self.phone(2) + Self.phone(3)
        var late = Batch(2, 2, 8...8)
        late.lines = [Self.state(900, time: 9_000, #"{"application_state":"active"}"#)]
        batches.append(late)
        // An installation without a snapshot is also a device.
        var other = Batch(4, 4, 1...1)
        other.lines = [line(901, time: 500)]
        batches.append(other)
        let environment = try await Self.environment(batches)
        let devices = try await environment.store.devices(matching: DeviceQuery())
        // Devices seen at the same time are ordered by id, the greater first.
        let phones = [InstallationID.numbered(1), .numbered(2), .numbered(3)].sorted(by: >)
        #expect(devices.map(\.installation) == phones + [.numbered(4)])
        let phone = try #require(devices.first { $0.installation == .numbered(1) })
        #expect(phone.first.milliseconds == 1_000 && phone.last.milliseconds == 99_000 && phone.events == 7)
        // No user was signed in at the latest event, although one was at the latest snapshot.
        #expect(phone.app == "shop" && phone.user == nil && phone.model == "iPhone" && phone.system == "iOS 18.1")
        #expect(phone.batteryLevel == 1 && phone.batteryState == "charging" && phone.applicationState == "background")
        #expect(phone.states == 2 && phone.propertyChanges == 3)
        let second = try #require(devices.first { $0.installation == .numbered(2) })
        #expect(second.batteryLevel == nil && second.states == 3)
        var seen: [InstallationID] = []
        var after: DeviceCursor?
        while true {
            let page = try await environment.store.devices(matching: DeviceQuery(after: after, limit: 1))
            seen += page.map(\.installation)
            guard let last = page.last else { break }
            after = last.place
        }
        #expect(seen == devices.map(\.installation))
    }

    @Test(arguments: 0..<24)
    func `snapshots are ordered by their time, regardless of the order of arrival`(_ number: Int) async throws {
        let versions: [(Int64, String)] = [(1_000, "1"), (2_000, "1"), (3_000, "2"), (4_000, "3")]
        var rest = Array(versions.enumerated())
        var order: [(offset: Int, element: (Int64, String))] = []
        var code = number
        for count in (1...4).reversed() {
            order.append(rest.remove(at: code % count))
            code /= count
        }
        let batches = order.enumerated().map { index, version in
            var batch = Batch(1, 1, UInt64(index + 1)...UInt64(index + 1))
            let (time, text) = version.element
            batch.lines = [Self.properties(UInt64(version.offset + 1), time: time, #"{"v":"\#(text)","n":\#(number)}"#)]
            return batch
        }
        let environment = try await Self.environment(batches, eventsPerStep: number % 2 == 0 ? 1 : 10_000)
        let history = try await environment.store.device(.numbered(1), limit: 10)
        #expect(Self.changes(history) == [#"4000 v "2" "3""#, #"3000 v "1" "2""#])
        let device = try #require(try await environment.store.devices(matching: DeviceQuery()).first)
        #expect(device.propertyChanges == 2)
        #expect(device.first.milliseconds == 1_000 && device.last.milliseconds == 4_000)
    }

    @Test(arguments: [1, 3, 10_000])
    func `the same log produces the same rows with any step size, after restarts or a rebuild, and with repeats`(
        _ eventsPerStep: Int
    ) async throws {
        let batches = Self.phone(1) + Self.phone(2)
        let whole = try await Self.environment(batches)
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep)
        for batch in batches {
            try environment.append(batch)
            try await environment.index()
            try environment.restart(eventsPerStep: eventsPerStep)
        }
        #expect(try environment.dump() == whole.dump())
        try await environment.indexer.rebuild()
        #expect(environment.store.isBuilding)
        try await environment.index()
        #expect(try environment.dump() == whole.dump())
        let before = try await environment.store.device(.numbered(2), limit: 10)
        for batch in batches { try environment.append(batch) }
        try await environment.index()
        #expect(try await environment.store.device(.numbered(2), limit: 10) == before)
        #expect(try await environment.store.totals().duplicates == 14)
    }

    @Test
    func `erasing an installation deletes its device, and its snapshots do not return`() async throws {
        var tombstone = Batch(1, 1, 8...9)
        tombstone.lines = [erasedLine(500, of: .numbered(1)), Self.state(501, time: 9_000)]
        let environment = try await Self.environment(Self.phone(1) + Self.phone(2) + [tombstone])
        #expect(try await environment.store.devices(matching: DeviceQuery()).map(\.installation) == [.numbered(2)])
        #expect(try await environment.store.device(.numbered(1), limit: 10) == nil)
        try await environment.indexer.rebuild()
        try await environment.index()
        let left = try await environment.store.database.pool.read { db in
            try Int.fetchOne(db, sql: "SELECT (SELECT count(*) FROM devices) * 100 + (SELECT count(*) FROM snapshots)")
        }
        #expect(left == 106)
    }

    @Test
    func `erasing an installation deletes a known device with all its snapshots`() async throws {
        let environment = try await Self.environment(Self.phone(1) + Self.phone(2))
        var tombstone = Batch(1, 1, 8...8)
        tombstone.lines = [erasedLine(500, of: .numbered(1))]
        try environment.append(tombstone)
        try await environment.index()
        let left = try await environment.store.database.pool.read { db in
            try Int.fetchOne(db, sql: "SELECT (SELECT count(*) FROM devices) * 100 + (SELECT count(*) FROM snapshots)")
        }
        #expect(left == 106)
    }

    @Test
    func `snapshots without an installation are stored only as events`() async throws {
        var batch = Batch()
        batch.lines = [Self.properties(1, time: 1, "{}"), Self.state(2, time: 1)]
        let environment = try await Self.environment([batch])
        #expect(try await environment.store.totals().events == 2)
        #expect(try await environment.store.devices(matching: DeviceQuery()).isEmpty)
    }

    @Test
    func `an index from before devices were indexed is rebuilt from the log only once`() async throws {
        let environment = try await Self.environment(Self.phone(1))
        let whole = try environment.dump()
        try await environment.store.database.pool.write { db in
            try db.execute(
                sql: """
                    DROP TABLE snapshots; DROP TABLE devices; DROP TABLE names; DROP TABLE name_days; DROP TABLE replays;
                    DROP TABLE activity; DROP TABLE name_quarters; DROP TABLE device_facts;
                    DELETE FROM grdb_migrations WHERE identifier IN ('3', '8', '9', '12');
                    """
            )
        }
        try environment.restart()
        #expect(try await environment.store.totals().events == 0)
        try await environment.index()
        #expect(try environment.dump() == whole)
    }
}
