// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDelivery
import TrackwayJournal
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway
@testable import TrackwayMigration

/// Formats that earlier versions wrote and later versions must read.
///
/// `SettingsFormatTests` covers the settings.
@Suite("State file formats")
struct StateFormatTests {
    private func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

    @Test
    func `retry states keep their format`() throws {
        let disk = MemoryStorage()
        disk.makeFolder("/app")
        let file = RetryFile(folder: "/app", storage: disk, boot: "one")
        let state = RetryState(
            failures: 3,
            notBefore: MonotonicTime(milliseconds: 5_000),
            attempts: Attempts(refusals: 2, failures: 1),
            since: MonotonicTime(milliseconds: 4_000)
        )
        file.store(state, for: "collector")
        file.store(RetryState(failures: 1, notBefore: MonotonicTime(milliseconds: 7_000)), for: "audit")
        let expected = #"{"boot":"one","destinations":{"audit":[1,7000,0,0],"collector":[3,5000,2,1,4000]}}"#
        #expect(text(disk.contents(of: "/app/retry")) == expected)
        #expect(RetryFile(folder: "/app", storage: disk, boot: "one").recall("collector") == state)
    }

    @Test
    func `last-accepted files keep their format`() throws {
        let disk = MemoryStorage()
        let at = DeviceTime(
            wall: Timestamp(milliseconds: -1_234),
            monotonic: MonotonicTime(milliseconds: 1_234),
            boot: "5f05-3f00"
        )
        let latest = DuplicateSuppression(last: .init(content: "one", at: at))
        try LastAccepted(folder: "/app", storage: disk).write(latest, of: "first")
        let expected = "taken 1\ncontent one\nwall -1234\nmonotonic 1234\nboot 5f05-3f00\nchecksum 2d7c41a7\n"
        #expect(text(disk.contents(of: "/app/taken/first")) == expected)
    }

    @Test
    func `the queue registry keeps its format`() async throws {
        let memory = try InMemoryAnalytics()
        try memory.analytics.addDestination(QueueFixture.destination("first"))
        try await memory.addQueue(QueueFixture.policy(olderThan: .seconds(60)))
        memory.analytics.record("first", to: ["queue"])
        try await Deadline.wait(while: memory.analytics.lastUpload(of: "queue") == nil)
        let expected = """
            {"streams":{"added":["first","queue"],"uploads":{"queue":{"boot":"memory","monotonic":1000000,\
            "wall":1700000000000}}},"version":1}
            """
        #expect(text(try memory.storage.contents(of: "/app/streams")) == expected)
    }

    @Test
    func `interception counts keep their format`() async throws {
        let disk = MemoryStorage()
        disk.makeFolder("/app")
        let queue = StorageQueue(label: "test")
        let counts = InterceptedCounts(folder: "/app", storage: disk, queue: queue)
        for name in ["two", "one", "two"] { counts.add(name) }
        await queue.run {}
        #expect(text(disk.contents(of: "/app/intercepted")) == #"{"counts":{"one":1,"two":2},"version":1}"#)
        #expect(InterceptedCounts(folder: "/app", storage: disk, queue: queue).all == ["one": 1, "two": 2])
    }

    @Test
    func `snapshot state keeps its format`() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        let sensors = SimulatedSensors()
        sensors.deviceProperties[.deviceModel] = "phone"
        configuration.snapshots = SnapshotOptions(sources: sensors.sources)
        let memory = try InMemoryAnalytics(configuration, sensors: sensors)
        memory.analytics.collectSnapshot()
        let now = #"{"boot":"memory","monotonic":1000000,"wall":1700000000000}"#
        let expected = """
            {"memory":{"cadence":{"bucket":{"capacity":30,"interval":60000,"lastAsked":\(now),"parts":1740000},\
            "isInForeground":true,"lastTaken":\(now),"policy":{"atLeastEvery":[6,9319535557742690304],"atMost":30,\
            "per":[3,4659767778871345152]}},"properties":{"last":{"at":\(now),\
            "content":"01921932892d50491fafca215e21dd32"}}},"version":1}
            """
        #expect(text(try memory.storage.contents(of: "/app/snapshots")) == expected)
    }

    @Test
    func `migration state keeps its format`() async throws {
        let environment = LegacySDKFixture.environment()
        let legacySDK = LegacySDK.sensorsAnalytics(in: try LegacySDKFixture.location("sensors"))
        let analytics = try LegacySDKFixture.start(legacySDK, environment)
        _ = await analytics.flush()
        let expected = """
            {"behavior":{"wasOpened":true},"report":{"anonymousID":"visitor-7","firstDay":"2024-05-28",\
            "globalAttributes":["channel","depth","tags","vip"],"knownUsers":1,"origin":"Sensors Analytics",\
            "problems":["pending events: 3 events that Sensors Analytics had not sent were not migrated. They are left \
            in place. To send them, run the app with that SDK until they are sent, then replace the SDK."],\
            "user":"anne","userAttributes":[],\
            "vendorID":"\(LegacySDKFixture.device)","waiting":{"found":3,"imported":0,"isComplete":true},"wasOpened":true},\
            "row":0,"stage":"done","version":1}
            """
        #expect(text(try environment.storage.base.contents(of: "/app/takeover")) == expected)
    }

    @Test
    func `lifecycle state keeps its format, and contains the writer while the app is in the foreground`() throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.screen("Home", path: "home-1")
        let now = #"{"boot":"memory","monotonic":1000000,"wall":1700000000000}"#
        let uniqueID = memory.analytics.personID
        let session = uniqueID.suffix(8) + "-20231114-221320000"
        let rest = """
            "sessions":{"state":{"current":{"_0":{"boot":"memory","id":"\(session)",\
            "monotonicStart":1000000,"number":1,"start":1700000000000},\
            "isAnnounced":true,"lastSeen":\(now)}}},"settings":{"capture":31,\
            "sessionTimeout":[97,10665824850173493248]},"uniqueID":"\(uniqueID)",\
            "updates":{"appVersion":"1.0","wasOpened":true}},"version":1
            """
        let screens = """
            "screens":{"isEntranceDue":false,"lastView":1700000000000,\
            "named":{"attributes":[],"isManual":true,"screen":{"id":"home-1","name":"Home"}},\
            "precedence":{"state":{"namedAlone":{}}},\
            "shown":{"id":"home-1","name":"Home"},"waiting":[]}
            """
        let inSight = """
            {"behavior":{"engagement":{"state":{"watching":{"since":\(now)}}},"launch":{"hasBeenSeen":true,\
            "hasEverStarted":true,"state":{"foreground":{"_0":{"isActive":true,"lastAlive":\(now),"since":\(now)}}}},\
            \(screens),\(rest),"writer":"\(memory.analytics.storage.journal.writer)"}
            """
        #expect(text(try memory.persistedLifecycle) == inSight)
        memory.goToBackground()
        let away = """
            {"behavior":{"engagement":{"state":{"idle":{}}},"launch":{"hasBeenSeen":true,"hasEverStarted":true,\
            "state":{"background":{"isSuspended":false}}},\(screens),\(rest)}
            """
        #expect(text(try memory.persistedLifecycle) == away)
    }
}
