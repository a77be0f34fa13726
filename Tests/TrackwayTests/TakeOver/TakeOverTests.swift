// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents
import TrackwayPlatform
import TrackwayTesting

@testable import Trackway

/// An app that had an older SDK until its last version.
@Suite("Taking over")
struct TakeOverTests {
    /// Who is told that somebody unlocked the device.
    private final class Unlocking: Sendable {
        struct Listener: Sendable {
            var report: @Sendable () -> Void = {}
        }

        let listener = Locked(Listener())
    }

    private func clickstream() throws -> Predecessor {
        .clickstream(appID: "nobody", in: try FormerApp.place("clickstream"))
    }

    @Test("people, versions and sessions of Clickstream go on")
    func clickstreamState() async throws {
        let environment = FormerApp.environment()
        let analytics = try FormerApp.start(try clickstream(), environment)
        analytics.record("tap")
        let tap = try #require(environment.recorded.first { $0.name == "tap" })
        let user = RecordedContext(tap.context).user
        #expect(user.id == "anne" && user.uniqueID == FormerApp.anne)
        #expect(user.firstTouch == Timestamp(milliseconds: 1_716_900_000_000))
        #expect(user.signedInAt == Timestamp(milliseconds: 1_717_000_100_000))
        #expect(user.attributes.map(\.name) == ["_user_age", "level"])
        #expect(user.attributes.map(\.value) == [31, "gold"])
        #expect(user.attributes.first?.setAt == Timestamp(milliseconds: 1_717_000_200_000))
        #expect(
            RecordedContext(tap.context).session?.number == 41
                && RecordedContext(tap.context).session?.id == "3F5F11AB-20240601-080000000"
        )
        #expect(RecordedContext(tap.context).device["id"] == .string(FormerApp.device))
        let names = environment.recorded.map(\.name)
        #expect(!names.contains("_first_open") && !names.contains("_session_start"))
        let start = try #require(environment.recorded.first { $0.name == "_app_start" })
        #expect(start.attributes[CapturedKey.isFirstStart] == false)
        let update = environment.recorded.first { $0.name == "_app_update" }
        #expect(update?.attributes[CapturedKey.previousAppVersion] == "2.9")
        let report = try #require(analytics.migrationResult)
        #expect(report.origin == "Clickstream" && report.user == "anne" && report.uniqueID == FormerApp.anne)
        #expect(report.knownUsers == 2 && report.sessionNumber == 41 && report.wasOpened)
        #expect(report.userAttributes == ["_user_age", "level"] && report.problems.isEmpty)
        #expect(environment.diagnostics.map(\.code) == [.takenOver])
        // Whoever was there before is known again, and nothing tells of what was taken over.
        #expect(!names.contains("_profile_set"))
        analytics.identify("bob")
        #expect(analytics.personID == FormerApp.bob)
        analytics.identify("carl")
        #expect(analytics.personID != FormerApp.bob && analytics.personID != FormerApp.anne)
        analytics.identify("anne")
        #expect(analytics.personID == FormerApp.anne)
    }

    @Test("a session that is over is counted on")
    func sessionIsOver() throws {
        let environment = InMemoryEnvironment(
            clock: ManualClock(wall: FormerApp.now.advanced(by: .seconds(86_400))),
            device: ["platform": "iOS"]
        )
        let analytics = try FormerApp.start(try clickstream(), environment)
        analytics.record("tap")
        let begun = try #require(environment.recorded.first { $0.name == "_session_start" })
        #expect(begun.attributes[CapturedKey.sessionNumber] == 42)
        #expect(RecordedContext(begun.context).session?.id.hasPrefix("6D3F5F11-20240602-") == true)
    }

    @Test("a second start takes nothing over, and still says what was")
    func once() throws {
        let environment = FormerApp.environment()
        let report = try {
            let analytics = try FormerApp.start(try clickstream(), environment)
            analytics.signOut()
            return analytics.migrationResult
        }()
        let next = environment.nextProcess()
        let analytics = try FormerApp.start(try clickstream(), next)
        analytics.record("tap")
        #expect(analytics.userID == nil)
        #expect(analytics.migrationResult?.user == report?.user && analytics.migrationResult != nil)
        #expect(!next.diagnostics.contains { $0.code == .takenOver })
    }

    @Test("an installation that is not new takes nothing over")
    func notNew() throws {
        let environment = FormerApp.environment()
        let first = try FormerApp.start(nil, environment).personID
        let next = environment.nextProcess()
        let analytics = try FormerApp.start(try clickstream(), next)
        #expect(analytics.migrationResult == nil && analytics.userID == nil && analytics.personID == first)
        #expect(next.diagnostics.isEmpty)
    }

    @Test("where nobody was before, there is nothing to say")
    func nobody() async throws {
        let nowhere = ForeignPlace(value: { _ in nil }, library: "/no", caches: "/no", temporary: "/no", scratch: "/no")
        for predecessor in [
            Predecessor.clickstream(appID: "shop", in: nowhere), .sensorsAnalytics(in: nowhere), .sift(in: nowhere),
        ] {
            let environment = FormerApp.environment()
            let analytics = try FormerApp.start(predecessor, environment)
            _ = await analytics.flush()
            #expect(analytics.migrationResult == nil && environment.diagnostics.isEmpty)
        }
    }

    @Test("a process that is killed while it takes over leaves the rest to the next one", arguments: 0..<3)
    func killed(after writes: Int) throws {
        let environment = FormerApp.environment()
        environment.storage.fail(.replace, with: .noSpace, after: writes, paths: "takeover")
        _ = try FormerApp.start(try clickstream(), environment)
        let next = environment.nextProcess()
        let analytics = try FormerApp.start(try clickstream(), next)
        analytics.record("tap")
        // Without the first word, nothing was begun: the installation was new, and is not any more.
        #expect(analytics.userID == (writes == 0 ? nil : "anne"))
        #expect((analytics.migrationResult == nil) == (writes == 0))
    }

    @Test("what the older SDK keeps stays as it is, byte for byte", arguments: ["clickstream", "sensors", "sift"])
    func unchanged(_ name: String) async throws {
        let before = try FormerApp.files(name)
        #expect(!before.isEmpty)
        let place = try FormerApp.place(name)
        let predecessors: [Predecessor] =
            name == "clickstream"
            ? ["shop", "many", "log", "text"].map { .clickstream(appID: $0, in: place) }
            : [name == "sensors" ? .sensorsAnalytics(in: place) : .sift(in: place)]
        for predecessor in predecessors {
            let environment = FormerApp.environment()
            let analytics = try FormerApp.start(predecessor, environment)
            analytics.record("tap")
            _ = await analytics.flush()
            try await analytics.erase()
        }
        #expect(try FormerApp.files(name) == before)
    }

    @Test("what the person had erased is never taken over again")
    func erased() async throws {
        let environment = FormerApp.environment()
        let analytics = try FormerApp.start(try clickstream(), environment)
        try await analytics.erase()
        #expect(analytics.migrationResult == nil && analytics.userID == nil && analytics.personID != FormerApp.anne)
        analytics.record("tap")
        #expect(environment.recorded.contains { $0.name == "_first_open" })
        let next = try FormerApp.start(try clickstream(), environment.nextProcess())
        #expect(next.migrationResult == nil && next.userID == nil && next.personID != FormerApp.anne)
    }

    @Test("a device that was restored from a backup takes nothing over a second time")
    func restored() throws {
        let environment = FormerApp.environment()
        try environment.storage.makeFolder("/backed-up")
        try environment.storage.replace("/backed-up/name", with: Array("{}".utf8), durably: false)
        let configuration = FormerApp.configuration(try clickstream(), environment)
        var dependencies = try environment.dependencies(for: configuration)
        dependencies.backup = ("/backed-up", "name")
        let analytics = try Analytics(configuration, in: dependencies)
        #expect(analytics.migrationResult == nil && analytics.userID == nil)
    }

    @Test("ids, first day, flag and super properties of Sensors Analytics go on; what waits is counted")
    func sensors() async throws {
        let environment = FormerApp.environment()
        let analytics = try FormerApp.start(.sensorsAnalytics(in: try FormerApp.place("sensors")), environment)
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
        #expect(report.firstDay == "2024-05-28" && report.vendorID == FormerApp.device)
        #expect(report.waiting.found == 3 && report.waiting.imported == 0 && report.waiting.isComplete)
        #expect(report.waiting.left == 3 && report.problems.count == 1)
        #expect(environment.diagnostics.map(\.code) == [.takenOver, .takeOverIncomplete])
        // Later starts, too.
        let next = environment.nextProcess()
        try FormerApp.start(.sensorsAnalytics(in: try FormerApp.place("sensors")), next).record("tap")
        let later = try #require(next.recorded.last { $0.name == "tap" })
        #expect(RecordedContext(later.context).app["first_day"] == "2024-05-28")
    }

    @Test("Sift's user and vendor id go on; what waits is counted")
    func sift() async throws {
        let environment = FormerApp.environment()
        let analytics = try FormerApp.start(.sift(in: try FormerApp.place("sift")), environment)
        _ = await analytics.flush()
        #expect(analytics.userID == "anne")
        let report = try #require(analytics.migrationResult)
        #expect(report.vendorID == FormerApp.device && report.waiting.found == 5 && report.waiting.left == 5)
    }

    @Test("on a locked device it is done once somebody unlocks it, for what was recorded until then, too")
    func locked() async throws {
        let environment = FormerApp.environment()
        try environment.storage.base.makeFolder(InMemoryEnvironment.usualFolder)
        for operation in [
            StorageOperation.makeFolder, .contents, .create, .replace, .lock, .makeSegment, .size, .names,
        ] {
            environment.storage.fail(operation, with: .denied)
        }
        let predecessor = Predecessor.clickstream(appID: "shop", in: try FormerApp.place("clickstream"))
        let configuration = FormerApp.configuration(predecessor, environment)
        var dependencies = try environment.dependencies(for: configuration)
        let unlocking = Unlocking()
        dependencies.availability = StorageAvailability(
            isTemporary: { $0.code == .denied },
            observe: { report in
                unlocking.listener.withLock { $0.report = report }
                return nil
            }
        )
        let analytics = try Analytics(configuration, in: dependencies)
        analytics.record("push")
        #expect(analytics.migrationResult == nil)
        environment.storage.heal()
        unlocking.listener.withLock { $0 }.report()
        // The folder is entered, then what waits elsewhere is recorded.
        await analytics.storage.queue.run {}
        await analytics.storage.queue.run {}
        let push = try #require(environment.recorded.first { $0.name == "push" })
        #expect(push.user == "anne" && RecordedContext(push.context).user.uniqueID == FormerApp.anne)
        #expect(!environment.recorded.contains { $0.name == "_first_open" })
        #expect(analytics.migrationResult?.waiting.imported == 4)
    }

    @Test("state that cannot be read now is taken over by a later start")
    func unreadable() throws {
        let environment = FormerApp.environment()
        var place = try FormerApp.place("sensors")
        let closed = FaultyStorage(place.storage)
        closed.fail(.size, with: .denied)
        place.storage = closed
        let first = try FormerApp.start(.sensorsAnalytics(in: place), environment)
        #expect(first.migrationResult == nil && first.userID == nil)
        #expect(environment.diagnostics.map(\.code) == [.takeOverDelayed])
        #expect(environment.diagnostics.first?.field == "Sensors Analytics")
        closed.heal()
        let next = environment.nextProcess()
        #expect(try FormerApp.start(.sensorsAnalytics(in: place), next).userID == "anne")
    }

    @Test("a damaged record takes nothing over a second time")
    func damaged() throws {
        let environment = FormerApp.environment()
        try FormerApp.start(try clickstream(), environment).signOut()
        let next = environment.nextProcess()
        try next.storage.replace("\(InMemoryEnvironment.usualFolder)/takeover", with: [1, 2, 3], durably: false)
        let analytics = try FormerApp.start(try clickstream(), next)
        #expect(analytics.userID == nil && analytics.migrationResult == nil)
        #expect(next.diagnostics.map(\.code) == [.takeOverIncomplete])
    }
}
