// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayLifecycle
import TrackwayPlatform
import TrackwayTesting

/// An app that the system launches before the device is first unlocked after a restart.
@Suite("Before the first unlock")
struct LockedDeviceTests {
    /// An app on a device whose files are inaccessible while it is locked.
    private struct Device {
        struct Listener: Sendable {
            let report: @Sendable () -> Void
        }

        let environment: InMemoryEnvironment
        let unlocking = Locked<[Listener]>([])

        init(_ environment: InMemoryEnvironment = InMemoryEnvironment()) {
            self.environment = environment
        }

        /// The next process, as if this one were killed now.
        func next() -> Device { Device(environment.nextProcess()) }

        func lock() throws {
            try environment.storage.base.makeFolder(InMemoryEnvironment.usualFolder)
            for operation in [StorageOperation.makeFolder, .contents, .create, .replace, .lock, .makeSegment, .size] {
                environment.storage.fail(operation, with: .denied)
            }
        }

        func start(
            in state: AppState = .background,
            _ change: (inout Configuration) -> Void = { _ in }
        ) throws -> Analytics {
            var configuration = InMemoryAnalytics.usualConfiguration
            change(&configuration)
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.launch = LaunchConclusion(state == .active ? .user : .background, in: state)
            dependencies.availability = StorageAvailability(
                isTemporary: { $0.code == .denied },
                observe: { [unlocking] report in
                    unlocking.withLock { $0.append(Listener(report: report)) }
                    return nil
                }
            )
            return try Analytics(configuration, in: dependencies)
        }

        /// Unlocks the device and sends the system's notification.
        func unlock(_ analytics: Analytics) async {
            environment.storage.clearFaults()
            for listener in unlocking.withLock({ $0 }) { listener.report() }
            await analytics.storage.queue.run {}
        }

        func events(named name: String) -> [RecordedEvent] { environment.recorded.filter { $0.event.name == name } }
        var codes: [Diagnostic.Code] { environment.diagnostics.map(\.code) }
    }

    @Test
    func `events recorded while locked are stored in order and sent after the unlock`() async throws {
        let device = Device()
        try device.lock()
        let analytics = try device.start()
        #expect(device.codes == [.storageAwaited])
        for number in 0..<20 {
            let receipt = analytics.record("push", ["n": .integer(Int64(number))])
            #expect(receipt.durability == Receipt.Durability.memory)
        }
        await #expect(throws: TrackwayError.self) { try await analytics.recordDurably("push", ["n": 20]) }
        _ = await analytics.flush()
        #expect(device.environment.transport.delivered.isEmpty)
        await device.unlock(analytics)
        #expect(device.codes == [.storageAwaited])
        let receipt = try await analytics.recordDurably("push", ["n": 21])
        #expect(receipt.durability == Receipt.Durability.disk)
        #expect(device.events(named: "push").map { $0.event.attributes["n"] } == (0..<22).map { .integer(Int64($0)) })
        _ = await analytics.flush()
        #expect(device.environment.transport.delivered(named: "push").count == 22)
        #expect(analytics.ledger().isBalanced)
    }

    @Test
    func `events recorded while locked get the installation, user and global attributes of earlier runs`() async throws
    {
        let before = Device()
        let first = try before.start()
        first.identify("ann")
        first.setGlobalAttributes(["shop": "north", "kept": 1])
        let device = before.next()
        try device.lock()
        let analytics = try device.start()
        #expect(analytics.installationID != first.installationID)
        analytics.record("push")
        analytics.setGlobalAttributes(["shop": "south"])
        analytics.record("push")
        await device.unlock(analytics)
        analytics.record("push")
        #expect(analytics.installationID == first.installationID)
        let events = device.events(named: "push")
        #expect(events.map(\.user) == ["ann", "ann", "ann"])
        let shops = events.map { $0.global("shop")?.string }
        #expect(shops == ["north", "south", "south"])
        #expect(events.allSatisfy { $0.global("kept")?.integer == 1 })
        #expect(Set(events.map { $0.context["user"]?["unique_id"]?.string }).count == 1)
        // The next start finds both.
        let next = device.next()
        let again = try next.start()
        again.record("push")
        let last = try #require(next.events(named: "push").last)
        #expect(last.user == "ann" && last.global("shop")?.string == "south")
    }

    @Test
    func `later events belong to the user who signed in while the device was locked`() async throws {
        let before = Device()
        try before.start().identify("ann")
        let device = before.next()
        try device.lock()
        let analytics = try device.start()
        analytics.record("push")
        analytics.identify("ben")
        analytics.record("push")
        await device.unlock(analytics)
        analytics.record("push")
        #expect(device.events(named: "push").map(\.user) == ["ann", "ben", "ben"])
    }

    @Test
    func `consent denied in an earlier run applies: nothing recorded while locked is stored or sent`() async throws {
        let before = Device()
        try before.start().setConsent(.denied)
        let device = before.next()
        try device.lock()
        let analytics = try device.start()
        #expect(analytics.record("push").durability == Receipt.Durability.memory)
        await device.unlock(analytics)
        #expect(analytics.consent == .denied)
        #expect(analytics.record("push").dropped == .consentDenied)
        #expect(device.events(named: "push").isEmpty)
        try await Deadline.wait(while: analytics.ledger().destinations["collector"]?.pending != 0)
        #expect(analytics.ledger().destinations["collector"]?.dropped == [.consentDenied: 1])
    }

    @Test
    func `a decision made while locked applies immediately, and is written after the unlock`() async throws {
        let device = Device()
        try device.lock()
        let analytics = try device.start()
        analytics.setConsent(.denied)
        #expect(analytics.record("push").dropped == .consentDenied)
        await device.unlock(analytics)
        #expect(analytics.consent == .denied)
        let next = device.next()
        #expect(try next.start().consent == .denied)
    }

    @Test
    func `the start is recorded once the earlier state is known, with the time of the launch`() async throws {
        let before = Device()
        let first = try before.start(in: .active) { $0.capture = .all }
        first.record("seen")
        let device = before.next()
        device.environment.clock.advance(by: .seconds(60))
        try device.lock()
        let analytics = try device.start { $0.capture = .all }
        let began = device.environment.clock.now().wall
        analytics.record("push")
        device.environment.clock.advance(by: .seconds(5))
        await device.unlock(analytics)
        #expect(device.events(named: "_first_open").count == 1)
        let starts = device.environment.recorded.filter { $0.event.name.hasPrefix("_app_start") }
        #expect(starts.filter { $0.event.time == began }.count == 1)
    }

    @Test(arguments: [true, false])
    func `events lost when a process is killed before the unlock are counted by the next one, locked or not`(
        _ isLocked: Bool
    ) async throws {
        let device = Device()
        try device.lock()
        let analytics = try device.start()
        for _ in 0..<5 { analytics.record("push") }
        let next = device.next()
        if isLocked { try next.lock() }
        let second = try next.start()
        await next.unlock(second)
        #expect(next.codes.contains(.lostBeforeStorage))
        #expect(next.environment.diagnostics.last?.value == "5")
        _ = await second.flush()
        let account = try #require(second.ledger().destinations["collector"])
        #expect(account.isBalanced && account.dropped == [.storageAwaited: 5])
    }

    @Test
    func `without a notification, the folder is checked again after a while`() async throws {
        let device = Device()
        try device.lock()
        let analytics = try device.start()
        analytics.record("push")
        device.environment.storage.clearFaults()
        while device.events(named: "push").isEmpty {
            device.environment.clock.advance(by: .seconds(10))
            await Task.yield()
            await analytics.storage.queue.run {}
        }
        #expect(device.events(named: "push").count == 1)
    }

    @Test
    func `a folder that was removed while the device was locked is created again`() async throws {
        let device = Device()
        try device.lock()
        let analytics = try device.start()
        analytics.record("push")
        let memory = try #require(device.environment.storage.base as? MemoryStorage)
        for path in memory.paths { memory.remove(path) }
        analytics.record("push")
        await device.unlock(analytics)
        analytics.record("push")
        #expect(device.events(named: "push").count == 3)
        _ = await analytics.flush()
        #expect(analytics.ledger().isBalanced)
        #expect(device.environment.transport.delivered(named: "push").count == 3)
    }

    @Test
    func `an encrypted folder is opened only with its own key`() async throws {
        let (key, another) = (try EncryptionKey.generate(), try EncryptionKey.generate())
        let before = Device()
        try before.start { $0.storage.encryption = .key(key) }.identify("ann")
        let device = before.next()
        try device.lock()
        let analytics = try device.start { $0.storage.encryption = .key(key) }
        analytics.record("push")
        await device.unlock(analytics)
        #expect(device.events(named: "push").map(\.user) == ["ann"])
        let deviceWithOtherKey = before.next()
        try deviceWithOtherKey.lock()
        let other = try deviceWithOtherKey.start { $0.storage.encryption = .key(another) }
        other.record("push")
        await deviceWithOtherKey.unlock(other)
        #expect(other.record("push").durability == Receipt.Durability.memory)
    }

    @Test
    func `an inaccessible folder is an error on systems that do not lock files`() throws {
        let disk = FaultyStorage()
        disk.fail(.makeFolder, with: .denied)
        #expect(throws: TrackwayError.self) { try InMemoryAnalytics(storage: disk) }
    }
}
