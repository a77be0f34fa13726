// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayPlatform
import TrackwayTesting

@testable import Trackway
@testable import TrackwayMigration

/// An app that used an older SDK up to its previous version.
@Suite("Migration from older SDKs")
struct LegacyMigrationTests {
    /// The listener for the unlock notification.
    private final class UnlockNotification: Sendable {
        struct Listener: Sendable {
            var report: @Sendable () -> Void = {}
        }

        let listener = Locked(Listener())
    }

    private func clickstream() throws -> LegacySDK {
        .clickstream(appID: "absent", in: try LegacySDKFixture.location("clickstream"))
    }

    @Test
    func `users, versions and sessions of Clickstream are continued`() async throws {
        let environment = LegacySDKFixture.environment()
        let analytics = try LegacySDKFixture.start(try clickstream(), environment)
        analytics.record("tap")
        let tap = try #require(environment.recorded.first { $0.name == "tap" })
        let user = RecordedContext(tap.context).user
        #expect(user.id == "anne" && user.uniqueID == LegacySDKFixture.anne)
        #expect(user.firstTouch == Timestamp(milliseconds: 1_716_900_000_000))
        #expect(user.signedInAt == Timestamp(milliseconds: 1_717_000_100_000))
        #expect(user.attributes.map(\.name) == ["_user_age", "level"])
        #expect(user.attributes.map(\.value) == [31, "gold"])
        #expect(user.attributes.first?.setAt == Timestamp(milliseconds: 1_717_000_200_000))
        #expect(
            RecordedContext(tap.context).session?.number == 41
                && RecordedContext(tap.context).session?.id == "3F5F11AB-20240601-080000000"
        )
        #expect(RecordedContext(tap.context).device["id"] == .string(LegacySDKFixture.device))
        let names = environment.recorded.map(\.name)
        #expect(!names.contains("_first_open") && !names.contains("_session_start"))
        let start = try #require(environment.recorded.first { $0.name == "_app_start" })
        #expect(start.attributes[CapturedKey.isFirstStart] == false)
        let update = environment.recorded.first { $0.name == "_app_update" }
        #expect(update?.attributes[CapturedKey.previousAppVersion] == "2.9")
        let report = try #require(analytics.migrationResult)
        #expect(report.origin == "Clickstream" && report.user == "anne" && report.uniqueID == LegacySDKFixture.anne)
        #expect(report.knownUsers == 2 && report.sessionNumber == 41 && report.wasOpened)
        #expect(report.userAttributes == ["_user_age", "level"] && report.problems.isEmpty)
        #expect(environment.diagnostics.map(\.code) == [.takenOver])
        // Users from before the migration are recognized, and no event reports the migrated data.
        #expect(!names.contains("_profile_set"))
        analytics.identify("bob")
        #expect(analytics.personID == LegacySDKFixture.bob)
        analytics.identify("carl")
        #expect(analytics.personID != LegacySDKFixture.bob && analytics.personID != LegacySDKFixture.anne)
        analytics.identify("anne")
        #expect(analytics.personID == LegacySDKFixture.anne)
    }

    @Test
    func `after an expired session the session number continues`() throws {
        let environment = InMemoryEnvironment(
            clock: ManualClock(wall: LegacySDKFixture.now.advanced(by: .seconds(86_400))),
            device: ["platform": "iOS"]
        )
        let analytics = try LegacySDKFixture.start(try clickstream(), environment)
        analytics.record("tap")
        let begun = try #require(environment.recorded.first { $0.name == "_session_start" })
        #expect(begun.attributes[CapturedKey.sessionNumber] == 42)
        #expect(RecordedContext(begun.context).session?.id.hasPrefix("6D3F5F11-20240602-") == true)
    }

    @Test
    func `a second start migrates nothing, and still returns the migration result`() throws {
        let environment = LegacySDKFixture.environment()
        let report = try {
            let analytics = try LegacySDKFixture.start(try clickstream(), environment)
            analytics.signOut()
            return analytics.migrationResult
        }()
        let next = environment.nextProcess()
        let analytics = try LegacySDKFixture.start(try clickstream(), next)
        analytics.record("tap")
        #expect(analytics.userID == nil)
        #expect(analytics.migrationResult?.user == report?.user && analytics.migrationResult != nil)
        #expect(!next.diagnostics.contains { $0.code == .takenOver })
    }

    @Test
    func `an installation that is not new migrates nothing`() throws {
        let environment = LegacySDKFixture.environment()
        let first = try LegacySDKFixture.start(nil, environment).personID
        let next = environment.nextProcess()
        let analytics = try LegacySDKFixture.start(try clickstream(), next)
        #expect(analytics.migrationResult == nil && analytics.userID == nil && analytics.personID == first)
        #expect(next.diagnostics.isEmpty)
    }

    @Test
    func `without data of an older SDK, nothing is migrated or reported`() async throws {
        let emptyLocation = LegacyStorageLocation(
            value: { _ in nil },
            library: "/no",
            caches: "/no",
            temporary: "/no",
            scratch: "/no"
        )
        for legacySDK in [
            LegacySDK.clickstream(appID: "shop", in: emptyLocation), .sensorsAnalytics(in: emptyLocation),
            .sift(in: emptyLocation),
        ] {
            let environment = LegacySDKFixture.environment()
            let analytics = try LegacySDKFixture.start(legacySDK, environment)
            _ = await analytics.flush()
            #expect(analytics.migrationResult == nil && environment.diagnostics.isEmpty)
        }
    }

    @Test(arguments: 0..<3)
    func `a process that is killed during the migration leaves the rest to the next one`(after writes: Int) throws {
        let environment = LegacySDKFixture.environment()
        environment.storage.fail(.replace, with: .noSpace, after: writes, paths: "takeover")
        _ = try LegacySDKFixture.start(try clickstream(), environment)
        let next = environment.nextProcess()
        let analytics = try LegacySDKFixture.start(try clickstream(), next)
        analytics.record("tap")
        // Without the first write, the migration never began, and the installation is no longer new.
        #expect(analytics.userID == (writes == 0 ? nil : "anne"))
        #expect((analytics.migrationResult == nil) == (writes == 0))
    }

    @Test(arguments: ["clickstream", "sensors", "sift"])
    func `the data of the older SDK stays unchanged, byte for byte`(_ name: String) async throws {
        let before = try LegacySDKFixture.files(name)
        #expect(!before.isEmpty)
        let location = try LegacySDKFixture.location(name)
        let legacySDKs: [LegacySDK] =
            name == "clickstream"
            ? ["shop", "many", "log", "text"].map { .clickstream(appID: $0, in: location) }
            : [name == "sensors" ? .sensorsAnalytics(in: location) : .sift(in: location)]
        for legacySDK in legacySDKs {
            let environment = LegacySDKFixture.environment()
            let analytics = try LegacySDKFixture.start(legacySDK, environment)
            analytics.record("tap")
            _ = await analytics.flush()
            try await analytics.erase()
        }
        #expect(try LegacySDKFixture.files(name) == before)
    }

    @Test
    func `erased data is never migrated again`() async throws {
        let environment = LegacySDKFixture.environment()
        let analytics = try LegacySDKFixture.start(try clickstream(), environment)
        try await analytics.erase()
        #expect(
            analytics.migrationResult == nil && analytics.userID == nil && analytics.personID != LegacySDKFixture.anne
        )
        analytics.record("tap")
        #expect(environment.recorded.contains { $0.name == "_first_open" })
        let next = try LegacySDKFixture.start(try clickstream(), environment.nextProcess())
        #expect(next.migrationResult == nil && next.userID == nil && next.personID != LegacySDKFixture.anne)
    }

    @Test
    func `an erasure without the compatibility module also ends the migration`() async throws {
        let environment = LegacySDKFixture.environment()
        _ = try LegacySDKFixture.start(try clickstream(), environment)
        let native = environment.nextProcess()
        let analytics = try LegacySDKFixture.start(nil, native)
        try await analytics.erase()
        let bytes = try native.storage.base.contents(of: "/app/takeover")
        #expect(String(decoding: bytes ?? [], as: UTF8.self) == #"{"row":0,"stage":"closed","version":1}"#)
        let next = try LegacySDKFixture.start(try clickstream(), native.nextProcess())
        #expect(next.migrationResult == nil && next.userID == nil && next.personID != LegacySDKFixture.anne)
    }

    @Test
    func `an erasure of an app without an older SDK writes no migration record`() async throws {
        let environment = LegacySDKFixture.environment()
        try await LegacySDKFixture.start(nil, environment).erase()
        #expect(try environment.storage.base.contents(of: "/app/takeover") == nil)
    }

    @Test
    func `a device restored from a backup does not migrate a second time`() throws {
        let environment = LegacySDKFixture.environment()
        try environment.storage.makeFolder("/backed-up")
        try environment.storage.replace("/backed-up/name", with: Array("{}".utf8), durably: false)
        let configuration = LegacySDKFixture.configuration(try clickstream(), environment)
        var dependencies = try environment.dependencies(for: configuration)
        dependencies.backup = ("/backed-up", "name")
        let analytics = try Analytics(configuration, in: dependencies)
        #expect(analytics.migrationResult == nil && analytics.userID == nil)
    }

    @Test
    func `ids, first day, flag and super properties of Sensors Analytics are kept, and unsent events are counted`()
        async throws
    {
        let environment = LegacySDKFixture.environment()
        let analytics = try LegacySDKFixture.start(
            .sensorsAnalytics(in: try LegacySDKFixture.location("sensors")),
            environment
        )
        analytics.record("tap")
        _ = await analytics.flush()
        let tap = try #require(environment.recorded.first { $0.name == "tap" })
        let context = RecordedContext(tap.context)
        #expect(context.user.id == "anne" && context.user.anonymousID == "visitor-7")
        #expect(context.user.identities == ["$identity_mobile": "138001"])
        #expect(context.global == ["channel": "App Store", "depth": 3, "tags": ["a", "b"], "vip": true])
        #expect(context.app["first_day"] == "2024-05-28")
        let start = try #require(environment.recorded.first { $0.name == "_app_start" })
        #expect(start.attributes[CapturedKey.isFirstStart] == false)
        let report = try #require(analytics.migrationResult)
        #expect(report.firstDay == "2024-05-28" && report.vendorID == LegacySDKFixture.device)
        #expect(report.waiting.found == 3 && report.waiting.imported == 0 && report.waiting.isComplete)
        #expect(report.waiting.left == 3 && report.problems.count == 1)
        #expect(environment.diagnostics.map(\.code) == [.takenOver, .takeOverIncomplete])
        // Later starts have the first day, too.
        let next = environment.nextProcess()
        try LegacySDKFixture.start(.sensorsAnalytics(in: try LegacySDKFixture.location("sensors")), next).record("tap")
        let later = try #require(next.recorded.last { $0.name == "tap" })
        #expect(RecordedContext(later.context).app["first_day"] == "2024-05-28")
    }

    @Test(arguments: [false, true])
    func `a migrated vendor id is in no event if the app omits the device's id`(_ isOmitted: Bool) throws {
        let environment = LegacySDKFixture.environment()
        let legacySDK = LegacySDK.sift(in: try LegacySDKFixture.location("sift"))
        var configuration = LegacySDKFixture.configuration(legacySDK, environment)
        configuration.privacy.omittedContext = isOmitted ? [.deviceID] : []
        let analytics = try Analytics(configuration)
        analytics.record("tap")
        let tap = try #require(environment.recorded.last)
        let id = RecordedContext(tap.context).device["id"]?.string
        #expect(id == (isOmitted ? nil : LegacySDKFixture.device))
    }

    @Test
    func `Sift's user and vendor ids are kept, and unsent events are counted`() async throws {
        let environment = LegacySDKFixture.environment()
        let analytics = try LegacySDKFixture.start(.sift(in: try LegacySDKFixture.location("sift")), environment)
        _ = await analytics.flush()
        #expect(analytics.userID == "anne")
        let report = try #require(analytics.migrationResult)
        #expect(report.vendorID == LegacySDKFixture.device && report.waiting.found == 5 && report.waiting.left == 5)
    }

    @Test
    func `on a locked device, the migration runs after the unlock, and applies to events recorded before it`()
        async throws
    {
        let environment = LegacySDKFixture.environment()
        try environment.storage.base.makeFolder(InMemoryEnvironment.usualFolder)
        for operation in [
            StorageOperation.makeFolder, .contents, .create, .replace, .lock, .makeSegment, .size, .names,
        ] {
            environment.storage.fail(operation, with: .denied)
        }
        let legacySDK = LegacySDK.clickstream(appID: "shop", in: try LegacySDKFixture.location("clickstream"))
        let configuration = LegacySDKFixture.configuration(legacySDK, environment)
        var dependencies = try environment.dependencies(for: configuration)
        let unlockNotification = UnlockNotification()
        dependencies.availability = StorageAvailability(
            isTemporary: { $0.code == .denied },
            observe: { report in
                unlockNotification.listener.withLock { $0.report = report }
                return nil
            }
        )
        let analytics = try Analytics(configuration, in: dependencies)
        analytics.record("push")
        #expect(analytics.migrationResult == nil)
        environment.storage.clearFaults()
        unlockNotification.listener.withLock { $0 }.report()
        // First the folder is opened, and then the unsent events of the older SDK are recorded.
        await analytics.storage.queue.run {}
        await analytics.storage.queue.run {}
        let push = try #require(environment.recorded.first { $0.name == "push" })
        #expect(push.user == "anne" && RecordedContext(push.context).user.uniqueID == LegacySDKFixture.anne)
        #expect(!environment.recorded.contains { $0.name == "_first_open" })
        #expect(analytics.migrationResult?.waiting.imported == 4)
    }

    @Test
    func `state that is currently unreadable is migrated by a later start`() throws {
        let environment = LegacySDKFixture.environment()
        var location = try LegacySDKFixture.location("sensors")
        let closed = FaultyStorage(location.storage)
        closed.fail(.size, with: .denied)
        location.storage = closed
        let first = try LegacySDKFixture.start(.sensorsAnalytics(in: location), environment)
        #expect(first.migrationResult == nil && first.userID == nil)
        #expect(environment.diagnostics.map(\.code) == [.takeOverDelayed])
        #expect(environment.diagnostics.first?.field == "Sensors Analytics")
        closed.clearFaults()
        let next = environment.nextProcess()
        #expect(try LegacySDKFixture.start(.sensorsAnalytics(in: location), next).userID == "anne")
    }

    @Test
    func `with a damaged migration record, nothing is migrated a second time`() throws {
        let environment = LegacySDKFixture.environment()
        try LegacySDKFixture.start(try clickstream(), environment).signOut()
        let next = environment.nextProcess()
        try next.storage.replace("\(InMemoryEnvironment.usualFolder)/takeover", with: [1, 2, 3], durably: false)
        let analytics = try LegacySDKFixture.start(try clickstream(), next)
        #expect(analytics.userID == nil && analytics.migrationResult == nil)
        #expect(next.diagnostics.map(\.code) == [.takeOverIncomplete])
    }
}
