// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Devices from contexts")
struct DeviceContextTests {
    private static func context(_ device: String, app: String = "{}", user: String? = nil) -> String {
        let user = user.map { #","user":{"id":"\#($0)"}"# } ?? ""
        return #"{"context":{"app":\#(app),"device":\#(device)\#(user)}}"#
    }

    private static func batch(_ installation: UInt64, _ number: UInt64, _ lines: [String]) -> Batch {
        var batch = Batch(installation, 1, number...number)
        batch.lines = lines
        return batch
    }

    private static func index(_ batches: [Batch], eventsPerStep: Int = 10_000) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep)
        for batch in batches { try environment.append(batch) }
        try await environment.index()
        return environment
    }

    /// The batches of two installations.
    ///
    /// The first updates its app, signs in, and sends an event late.
    private static let story = [
        batch(
            1,
            1,
            [
                context(
                    #"{"platform":"iOS","os_version":"18.1","model":"iPhone15,2"}"#,
                    app: #"{"id":"shop","version":"1"}"#
                ), line(1, time: 2_000),
            ]
        ),
        batch(2, 1, [context(#"{"platform":"Linux","os_name":"Debian","os_version":12}"#), line(2, time: 2_500)]),
        batch(
            1,
            2,
            [
                context(#"{"platform":"iOS","os_version":"18.2"}"#, app: #"{"version":"2"}"#, user: "carl"),
                line(3, time: 3_000),
            ]
        ),
        batch(
            1,
            3,
            [
                context(#"{"platform":"iOS","os_version":"18.2"}"#, app: #"{"version":"2"}"#, user: "dora"),
                line(4, time: 1_000),
            ]
        ),
    ]

    @Test(arguments: [1, 10_000])
    func `a device is described by its contexts, without any snapshot`(_ eventsPerStep: Int) async throws {
        let environment = try await Self.index(Self.story, eventsPerStep: eventsPerStep)
        let devices = try await environment.store.devices(matching: DeviceQuery())
        #expect(devices.map(\.installation) == [.numbered(1), .numbered(2)])
        let phone = try #require(devices.first)
        #expect(
            phone.app == "shop" && phone.version == "2" && phone.model == "iPhone15,2" && phone.system == "iOS 18.2"
        )
        #expect(phone.first.milliseconds == 1_000 && phone.last.milliseconds == 3_000 && phone.events == 3)
        #expect(phone.user == "carl", "the user at the latest event, not at the one that arrived last")
        #expect(phone.states == 0 && phone.propertyChanges == 0 && phone.batteryLevel == nil)
        #expect(devices.last?.system == "Debian" && devices.last?.app == nil && devices.last?.user == nil)
        let history = try #require(try await environment.store.device(.numbered(1), limit: 10))
        #expect(history.device == phone && history.states.isEmpty && history.steps.isEmpty)
        #expect(try await environment.store.device(.numbered(3), limit: 10) == nil)
    }

    @Test(
        arguments: [
            (#""text""#, nil, nil), ("[]", nil, nil), (#"{"model":5,"platform":{}}"#, nil, nil),
            (#"{"model":"\u202ex"}"#, "\u{202e}x", nil), (#"{"os_version":"18"}"#, nil, "18"),
            (#"{"model":"\#(String(repeating: "m", count: 5_000))"}"#, String(repeating: "m", count: 256), nil),
        ] as [(String, String?, String?)]
    )
    func `a value of an unexpected type is ignored, and a long one is truncated`(
        _ device: String,
        _ model: String?,
        _ system: String?
    ) async throws {
        let environment = try await Self.index([Self.batch(1, 1, [Self.context(device), line(1)])])
        let found = try #require(try await environment.store.devices(matching: DeviceQuery()).first)
        #expect(found.model == model && found.system == system)
    }

    @Test(arguments: [1, 2, 10_000])
    func `the same log produces the same devices with any step size, after a rebuild, and if batches arrive twice`(
        _ eventsPerStep: Int
    ) async throws {
        let whole = try await Self.index(Self.story)
        let environment = try await Self.index(Self.story, eventsPerStep: eventsPerStep)
        #expect(try environment.dump() == whole.dump())
        try await environment.indexer.rebuild()
        try await environment.index()
        #expect(try environment.dump() == whole.dump())
        let before = try await environment.store.devices(matching: DeviceQuery())
        for batch in Self.story { try environment.append(batch) }
        try await environment.index()
        #expect(try await environment.store.devices(matching: DeviceQuery()) == before)
    }

    @Test
    func `erasing an installation deletes the data of its contexts`() async throws {
        let environment = try await Self.index(Self.story + [Self.batch(1, 4, [erasedLine(9, of: .numbered(1))])])
        #expect(try await environment.store.devices(matching: DeviceQuery()).map(\.installation) == [.numbered(2)])
        #expect(try environment.dump().filter { $0.hasPrefix("device_facts ") }.count == 1)
    }
}
