// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayPlatform
import TrackwayTesting

/// A device restored from a copy of another device.
@Suite("A restored device")
struct RestoredDeviceTests {
    /// An app's folders on a real disk: the installation folder and, next to it, the backed-up files.
    private final class Device {
        let root: URL

        init() throws {
            root = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: root) }

        /// Restores a backup of this device to another one.
        ///
        /// - Parameter wholly: Whether the installation folder, which no backup contains, is copied, too.
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
            dependencies.backup = location.siblingFile
            return try Analytics(configuration, in: dependencies)
        }

        func names() throws -> [String] {
            try RecordedEvents.read(in: root.path + "/app", of: DiskStorage()).map(\.event.name)
        }

        /// The former installations that events report.
        func reportedFormerInstallations() throws -> [String?] {
            try RecordedEvents.read(in: root.path + "/app", of: DiskStorage())
                .filter { $0.event.name == "_installation_restored" }
                .map { $0.event.attributes["former_installation"]?.string }
        }
    }

    @Test
    func `a restored device is a new installation and reports its former installation once`() async throws {
        let device = try Device()
        let first = try device.start()
        first.record("seen")
        #expect(try device.reportedFormerInstallations() == [])
        await first.shutdown(timeout: .zero)
        let other = try device.restored()
        let second = try other.start()
        #expect(second.installationID != first.installationID)
        #expect(try other.reportedFormerInstallations() == [first.installationID.description])
        await second.shutdown(timeout: .zero)
        let again = try other.start()
        #expect(again.installationID == second.installationID)
        #expect(try other.reportedFormerInstallations().count == 1)
        // A backup of the restored device names the restored installation.
        let third = try other.restored()
        _ = try third.start()
        #expect(try third.reportedFormerInstallations() == [second.installationID.description])
    }

    @Test
    func `every restore of one backup, even twice to one device, is a new installation that reports the former one`()
        async throws
    {
        let device = try Device()
        let first = try device.start()
        await first.shutdown(timeout: .zero)
        let (one, other) = (try device.restored(), try device.restored())
        let (second, third) = (try one.start(), try other.start())
        #expect(Set([first.installationID, second.installationID, third.installationID]).count == 3)
        #expect(try one.reportedFormerInstallations() == [first.installationID.description])
        #expect(try other.reportedFormerInstallations() == [first.installationID.description])
        await second.shutdown(timeout: .zero)
        // The app was deleted with its folder, and the old backup was restored again.
        try FileManager.default.removeItem(at: one.root.appendingPathComponent("app"))
        try FileManager.default.removeItem(at: one.root.appendingPathComponent("app.installation"))
        try FileManager.default.copyItem(
            at: device.root.appendingPathComponent("app.installation"),
            to: one.root.appendingPathComponent("app.installation")
        )
        let fourth = try one.start()
        #expect(fourth.installationID != second.installationID)
        #expect(try one.reportedFormerInstallations() == [first.installationID.description])
    }

    @Test
    func `a restored device without consent reports its former installation once consent allows it`() async throws {
        let device = try Device()
        let first = try device.start()
        let other = try device.restored()
        let second = try other.start { $0.privacy.consent = .denied }
        #expect(try other.reportedFormerInstallations() == [])
        await second.shutdown(timeout: .zero)
        _ = try other.start()
        #expect(try other.reportedFormerInstallations() == [first.installationID.description])
    }

    @Test
    func `a restore is recorded after the app's start, with the attributes set by then, even if a process ends first`()
        throws
    {
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
        #expect(try other.reportedFormerInstallations() == [first.installationID.description])
        _ = try other.start { $0.capture = .standard }.record("second")
        #expect(try other.reportedFormerInstallations().count == 1)
    }

    @Test
    func `an erased installation is not reported as a former installation`() async throws {
        let device = try Device()
        let analytics = try device.start()
        let before = analytics.installationID
        try await analytics.erase()
        #expect(analytics.installationID != before)
        await analytics.shutdown(timeout: .zero)
        _ = try device.start()
        #expect(try device.reportedFormerInstallations() == [])
        let other = try device.restored()
        _ = try other.start()
        #expect(try other.reportedFormerInstallations() == [analytics.installationID.description])
    }

    @Test
    func `a copy of the whole folder, which no system backup makes, remains the same installation`() throws {
        let device = try Device()
        let first = try device.start()
        let other = try device.restored(wholly: true)
        let second = try other.start()
        #expect(second.installationID == first.installationID)
        #expect(try other.reportedFormerInstallations() == [])
    }

    @Test
    func `a damaged file reports no former installation and is replaced`() throws {
        let device = try Device()
        _ = try device.start()
        let other = try device.restored()
        try Data("{".utf8).write(to: other.root.appendingPathComponent("app.installation"))
        let second = try other.start()
        #expect(try other.reportedFormerInstallations() == [])
        let third = try other.restored()
        _ = try third.start()
        #expect(try third.reportedFormerInstallations() == [second.installationID.description])
    }

    @Test
    func `a folder that the system emptied gets its identity back from a copy outside the folder`() throws {
        let storedBytes = Locked<[UInt8]?>(nil)
        func start(_ disk: FaultyStorage) throws -> Analytics {
            let environment = InMemoryEnvironment(storage: disk)
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.identityBackup = IdentityBackup(
                load: { storedBytes.withLock { $0 } },
                save: { bytes in storedBytes.withLock { $0 = bytes } }
            )
            return try Analytics(configuration, in: dependencies)
        }
        let first = try start(FaultyStorage())
        #expect(try start(FaultyStorage()).installationID == first.installationID)
        storedBytes.withLock { $0?[20] ^= 1 }
        #expect(try start(FaultyStorage()).installationID != first.installationID)
    }
}
