// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayPlatform
import TrackwayTesting

@Suite("A copied folder")
struct CopiedFolderTests {
    /// A folder on an in-memory disk, with an inode that the test sets.
    private struct Machine {
        var environment = InMemoryEnvironment()
        var inode: UInt64 = 1

        /// The next process, which finds the folder at another inode.
        func copied(to inode: UInt64) -> Machine { Machine(environment: environment.nextProcess(), inode: inode) }

        func start(_ change: (inout Configuration) -> Void = { _ in }) throws -> Analytics {
            var configuration = InMemoryAnalytics.usualConfiguration
            change(&configuration)
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.folderFingerprint = { [inode] in
                var place = FolderFingerprint()
                place.inode = inode
                return place
            }
            return try Analytics(configuration, in: dependencies)
        }

        func events(_ name: String) -> [RecordedEvent] { environment.recorded.filter { $0.event.name == name } }
        var reportedFormerInstallations: [String?] {
            events("_installation_restored").map { $0.event.attributes["former_installation"]?.string }
        }
    }

    /// A machine whose events are all delivered, and its installation.
    private func settled(_ change: (inout Configuration) -> Void = { _ in }) async throws -> (Machine, InstallationID) {
        let machine = Machine()
        let analytics = try machine.start(change)
        analytics.identify("ann")
        analytics.setGlobalAttributes(["tier": "gold"])
        analytics.record("original")
        await analytics.shutdown(timeout: .seconds(5))
        return (machine, analytics.installationID)
    }

    @Test
    func `a copied folder is a new installation without a user, and reports its former installation once`() async throws
    {
        let (machine, former) = try await settled()
        let copy = machine.copied(to: 2)
        let analytics = try copy.start()
        #expect(analytics.installationID != former)
        analytics.record("copy")
        let recorded = try #require(copy.events("copy").first)
        let context = RecordedContext(recorded.context)
        #expect(context.user.id == nil)
        #expect(context.global["tier"] == nil)
        #expect(copy.reportedFormerInstallations == [former.description])
        await analytics.shutdown(timeout: .seconds(5))
        let again = copy.copied(to: 2)
        #expect(try again.start().installationID == analytics.installationID)
        #expect(again.reportedFormerInstallations == [former.description])
        #expect(again.events("_installation_erased").isEmpty)
    }

    @Test
    func `each of three copies is a separate installation, and all their events arrive`() async throws {
        let (machine, former) = try await settled()
        var seen: Set = [former]
        for inode in UInt64(2)...4 {
            let copy = machine.copied(to: inode)
            let analytics = try copy.start()
            seen.insert(analytics.installationID)
            for number in 0..<5 { analytics.record("event \(number)") }
            let report = await analytics.flush()
            #expect(report.isComplete)
            await analytics.shutdown(timeout: .seconds(5))
        }
        #expect(seen.count == 4)
        let delivered = machine.environment.transport.delivered
        #expect(delivered.filter { $0.event.name.hasPrefix("event ") }.count == 15)
        #expect(Set(delivered.map(\.event.id)).count == delivered.count)
    }

    @Test
    func `pending events are sent under the former installation, and the next start begins a new one`() async throws {
        let machine = Machine()
        let first = try machine.start { $0.privacy.consent = .pending }
        first.record("waits")
        await first.shutdown(timeout: .zero)
        let copy = machine.copied(to: 2)
        let second = try copy.start()
        #expect(second.installationID == first.installationID)
        second.setConsent(.granted)
        await second.shutdown(timeout: .seconds(5))
        #expect(copy.reportedFormerInstallations == [])
        let later = copy.copied(to: 2)
        let third = try later.start()
        #expect(third.installationID != first.installationID)
        #expect(later.reportedFormerInstallations == [first.installationID.description])
    }

    @Test
    func `a copied folder keeps the consent decision for the device`() async throws {
        let machine = Machine()
        let first = try machine.start()
        first.setConsent(.denied)
        await first.shutdown(timeout: .zero)
        let copy = machine.copied(to: 2)
        let second = try copy.start()
        #expect(second.installationID != first.installationID)
        second.record("denied")
        #expect(copy.events("denied").isEmpty)
        #expect(copy.reportedFormerInstallations == [])
        second.setConsent(.granted)
        await second.shutdown(timeout: .zero)
        // Now it may report the former installation.
        let later = copy.copied(to: 2)
        _ = try later.start()
        #expect(later.reportedFormerInstallations == [first.installationID.description])
    }

    @Test(arguments: 0..<12)
    func `a start that fails at any write is completed by the next one`(writes: Int) async throws {
        let (machine, former) = try await settled()
        let copy = machine.copied(to: 2)
        copy.environment.storage.fail(.replace, with: .inputOutput, after: writes)
        copy.environment.storage.fail(.remove, with: .inputOutput, after: writes)
        // This start may fail. Only the state that the next one finds matters.
        _ = try? copy.start()
        let later = copy.copied(to: 2)
        later.environment.storage.clearFaults()
        let analytics = try later.start()
        #expect(analytics.installationID != former)
        analytics.record("kept")
        #expect(later.events("kept").count == 1)
        #expect(Set(later.reportedFormerInstallations.compactMap { $0 }) == [former.description])
        #expect(later.events("_installation_erased").isEmpty)
    }

    @Test
    func `a copy of a copy reports the copy that it was made from`() async throws {
        let (machine, former) = try await settled()
        let copy = machine.copied(to: 2)
        let second = try copy.start()
        await second.shutdown(timeout: .seconds(5))
        let next = copy.copied(to: 3)
        let third = try next.start()
        #expect(Set([former, second.installationID, third.installationID]).count == 3)
        #expect(Set(next.reportedFormerInstallations) == [former.description, second.installationID.description])
    }

    @Test
    func `processes that start in a copy concurrently share one new installation`() async throws {
        let (machine, former) = try await settled()
        let copy = machine.copied(to: 2)
        let installations = try await withThrowingTaskGroup(of: InstallationID.self) { group in
            for _ in 0..<4 { group.addTask { try copy.start().installationID } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(installations.count == 1)
        #expect(!installations.contains(former))
        #expect(copy.reportedFormerInstallations == [former.description])
    }

    @Test
    func `an erased copy does not report its former installation later`() async throws {
        let (machine, former) = try await settled()
        let copy = machine.copied(to: 2)
        let analytics = try copy.start { $0.privacy.consent = .denied }
        #expect(analytics.installationID != former)
        #expect(copy.reportedFormerInstallations == [])
        try await analytics.erase()
        await analytics.shutdown(timeout: .seconds(5))
        let later = copy.copied(to: 2)
        _ = try later.start()
        #expect(later.reportedFormerInstallations == [])
    }

    #if os(Linux)
    @Test
    func `a folder copied on a disk counts as a copy, and a renamed one does not`() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let (original, copy, renamed) = ("original", "copy", "renamed")
        func path(_ name: String) -> String { root.path + "/" + name }
        try FileManager.default.createDirectory(atPath: path(original), withIntermediateDirectories: true)
        let place = FolderFingerprint.current(of: path(original))
        try FileManager.default.copyItem(atPath: path(original), toPath: path(copy))
        #expect(place.inode == nil || FolderFingerprint.current(of: path(copy)).isCopy(of: place))
        try FileManager.default.moveItem(atPath: path(original), toPath: path(renamed))
        #expect(!FolderFingerprint.current(of: path(renamed)).isCopy(of: place))
        #expect(!FolderFingerprint.current(of: path("nothing")).isCopy(of: FolderFingerprint()))
    }
    #endif
}

#if os(Linux)
@Suite("Folder locations")
struct FolderFingerprintTests {
    @Test(
        arguments: [
            ("0123456789abcdef0123456789abcdef\n", [], true), ("uninitialized\n", [], false), ("", [], false),
            ("0123456789abcdef0123456789abcdef\n", [".dockerenv"], false),
            ("0123456789abcdef0123456789abcdef\n", ["run/.containerenv"], false),
        ] as [(String, [String], Bool)]
    )
    func `the machine id is used unless it is invalid or the process runs in a container`(
        id: String,
        marks: [String],
        counts: Bool
    ) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("trackway-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        for name in ["etc", "run"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(name),
                withIntermediateDirectories: true
            )
        }
        try Data(id.utf8).write(to: root.appendingPathComponent("etc/machine-id"))
        for mark in marks { try Data().write(to: root.appendingPathComponent(mark)) }
        let place = FolderFingerprint.current(of: root.path, in: SystemTree(root: root.path), isInContainer: false)
        #expect((place.machine != nil) == counts)
        #expect(place.machine?.contains("0123456789abcdef") != true)
        let inContainer = FolderFingerprint.current(of: root.path, in: SystemTree(root: root.path), isInContainer: true)
        #expect(inContainer.machine == nil)
    }

    @Test
    func `two locations are compared only by values that are known for both`() {
        var (one, other) = (FolderFingerprint(), FolderFingerprint())
        one.inode = 1
        #expect(!one.isCopy(of: other))
        other.machine = "a"
        #expect(!one.isCopy(of: other))
        one.machine = "b"
        #expect(one.isCopy(of: other))
        other.machine = "b"
        other.host = "h"
        other.inode = 1
        #expect(!one.isCopy(of: other))
    }
}
#endif
