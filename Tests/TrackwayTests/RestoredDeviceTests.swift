// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayEvents
import TrackwayJournal
import TrackwayPlatform
import TrackwayTesting

/// A device that was made from a copy of another one.
@Suite("A restored device")
struct RestoredDeviceTests {
    /// An app's folders on a real disk: the installation's, and beside it what is backed up.
    private final class Device {
        let root: URL

        init() throws {
            root = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: root) }

        /// What a backup of this device brings to another one: everything but the installation's folder.
        func restored(wholly: Bool = false) throws -> Device {
            let other = try Device()
            for name in try FileManager.default.contentsOfDirectory(atPath: root.path) where wholly || name != "app" {
                let (from, to) = (root.appendingPathComponent(name), other.root.appendingPathComponent(name))
                try FileManager.default.copyItem(at: from, to: to)
            }
            return other
        }

        func start(_ change: (inout Configuration) -> Void = { _ in }) throws -> Analytics {
            let environment = InMemoryEnvironment()
            var configuration = InMemoryAnalytics.usualConfiguration
            change(&configuration)
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            let location = try StorageLocation(path: root.path + "/app")
            dependencies.storage = SystemStorage.make()
            dependencies.folder = location.path
            dependencies.backup = location.beside
            return try Analytics(configuration, in: dependencies)
        }

        func names() throws -> [String] {
            try RecordedEvents.read(in: root.path + "/app", of: DiskStorage()).map(\.event.name)
        }

        /// The former installations that events tell of.
        func told() throws -> [String?] {
            try RecordedEvents.read(in: root.path + "/app", of: DiskStorage())
                .filter { $0.event.name == "_installation_restored" }
                .map { $0.event.attributes["former_installation"]?.string }
        }
    }

    @Test("is a new installation, says which one it was, and says it once")
    func restored() async throws {
        let device = try Device()
        let first = try device.start()
        first.record("seen")
        #expect(try device.told() == [])
        await first.shutdown(timeout: .zero)
        let other = try device.restored()
        let second = try other.start()
        #expect(second.installationID != first.installationID)
        #expect(try other.told() == [first.installationID.description])
        await second.shutdown(timeout: .zero)
        let again = try other.start()
        #expect(again.installationID == second.installationID)
        #expect(try other.told().count == 1)
        // A backup of the restored device names that one.
        let third = try other.restored()
        _ = try third.start()
        #expect(try third.told() == [second.installationID.description])
    }

    @Test("one backup brought to two devices, and to one of them twice: each is its own, and names the one it was")
    func twice() async throws {
        let device = try Device()
        let first = try device.start()
        await first.shutdown(timeout: .zero)
        let (one, other) = (try device.restored(), try device.restored())
        let (second, third) = (try one.start(), try other.start())
        #expect(Set([first.installationID, second.installationID, third.installationID]).count == 3)
        #expect(try one.told() == [first.installationID.description])
        #expect(try other.told() == [first.installationID.description])
        await second.shutdown(timeout: .zero)
        // The app was deleted, which takes its folder, and the old backup came once more.
        try FileManager.default.removeItem(at: one.root.appendingPathComponent("app"))
        try FileManager.default.removeItem(at: one.root.appendingPathComponent("app.installation"))
        try FileManager.default.copyItem(
            at: device.root.appendingPathComponent("app.installation"),
            to: one.root.appendingPathComponent("app.installation")
        )
        let fourth = try one.start()
        #expect(fourth.installationID != second.installationID)
        #expect(try one.told() == [first.installationID.description])
    }

    @Test("says nothing while it may not, and says it later")
    func denied() async throws {
        let device = try Device()
        let first = try device.start()
        let other = try device.restored()
        let second = try other.start { $0.privacy.consent = .denied }
        #expect(try other.told() == [])
        await second.shutdown(timeout: .zero)
        _ = try other.start()
        #expect(try other.told() == [first.installationID.description])
    }

    @Test(
        "waits for the start of the app, with the attributes that the app sets first, also over a process that ends meanwhile"
    )
    func launching() throws {
        let device = try Device()
        let first = try device.start()
        let other = try device.restored()
        _ = try other.start { $0.capture = .standard }
        #expect(try other.names() == [])
        let second = try other.start { $0.capture = .standard }
        second.setGlobalAttributes(["platform": "iOS"])
        second.record("first")
        #expect(
            try other.names() == ["_first_open", "_app_start", "_session_start", "_installation_restored", "first"]
        )
        #expect(try other.told() == [first.installationID.description])
        _ = try other.start { $0.capture = .standard }.record("second")
        #expect(try other.told().count == 1)
    }

    @Test("whoever erased the installation is not told of again")
    func erased() async throws {
        let device = try Device()
        let analytics = try device.start()
        let before = analytics.installationID
        try await analytics.erase()
        #expect(analytics.installationID != before)
        await analytics.shutdown(timeout: .zero)
        _ = try device.start()
        #expect(try device.told() == [])
        let other = try device.restored()
        _ = try other.start()
        #expect(try other.told() == [analytics.installationID.description])
    }

    @Test("a copy of the whole folder, which no backup of the system makes, stays the installation it was")
    func copied() throws {
        let device = try Device()
        let first = try device.start()
        let other = try device.restored(wholly: true)
        let second = try other.start()
        #expect(second.installationID == first.installationID)
        #expect(try other.told() == [])
    }

    @Test("a damaged file says nothing and is written anew")
    func damaged() throws {
        let device = try Device()
        _ = try device.start()
        let other = try device.restored()
        try Data("{".utf8).write(to: other.root.appendingPathComponent("app.installation"))
        let second = try other.start()
        #expect(try other.told() == [])
        let third = try other.restored()
        _ = try third.start()
        #expect(try third.told() == [second.installationID.description])
    }

    @Test("a folder that the system emptied gets its identity back from where the system does not look")
    func emptied() throws {
        let kept = Locked<[UInt8]?>(nil)
        func start(_ disk: FaultyStorage) throws -> Analytics {
            let environment = InMemoryEnvironment(storage: disk)
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.identityCopy = IdentityCopy(
                load: { kept.withLock { $0 } },
                save: { bytes in kept.withLock { $0 = bytes } }
            )
            return try Analytics(configuration, in: dependencies)
        }
        let first = try start(FaultyStorage())
        #expect(try start(FaultyStorage()).installationID == first.installationID)
        kept.withLock { $0?[20] ^= 1 }
        #expect(try start(FaultyStorage()).installationID != first.installationID)
    }
}
