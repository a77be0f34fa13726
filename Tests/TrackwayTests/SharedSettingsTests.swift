// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayLifecycle
import TrackwayTesting

@testable import Trackway

@Suite("Settings shared by processes")
struct SharedSettingsTests {
    private let disk = MemoryStorage()

    init() {
        disk.makeFolder("/app")
    }

    private func opening(
        _ storage: any JournalStorage,
        _ queue: StorageQueue = StorageQueue(label: "test"),
        _ diagnostics: Locked<[Diagnostic]> = Locked([])
    ) throws -> SettingsFile {
        let reporter = DiagnosticReporter(
            { diagnostic in diagnostics.withLock { $0.append(diagnostic) } },
            log: { _ in }
        )
        return try SettingsFile(ConsentRules(), folder: "/app", storage: storage, queue: queue, reporter: reporter)
    }

    @Test(arguments: [StorageOperation.contents, .lock, .replace])
    func `a denial is never reverted by another process that changes something else at the same time`(
        _ step: StorageOperation
    ) async throws {
        try opening(disk).change { settings in _ = settings.consent.decide(.granted, by: .device) }
        let (slowDisk, queue) = (FaultyStorage(disk), StorageQueue(label: "quick"))
        let slow = try opening(slowDisk)
        let fast = try opening(disk, queue)
        // The other process pauses at one step of its change, and consent is denied during the pause.
        slowDisk.hold(step, paths: "/app/settings")
        let change = Thread { slow.change { settings in settings.global["person"] = "anna" } }
        change.start()
        try await Deadline.wait(while: slowDisk.heldCalls == 0)
        fast.change { settings in _ = settings.consent.decide(.denied, by: .device) }
        #expect(fast.current.consent.device.overall == .denied)
        slowDisk.release()
        try await Deadline.wait(while: !change.isFinished)
        await queue.run {}
        let next = try opening(disk)
        #expect(next.current.consent.device.overall == .denied)
        #expect(next.current.global["person"] == "anna")
        slow.refresh()
        #expect(slow.current.consent.device.overall == .denied)
    }

    @Test
    func `two processes that change settings concurrently lose none of each other's changes`() async throws {
        let files = try (0..<2).map { _ in try opening(disk) }
        let queues = (0..<2).map { StorageQueue(label: "changes \($0)") }
        await withTaskGroup(of: Void.self) { group in
            for (index, file) in files.enumerated() {
                group.addTask {
                    await queues[index].run {
                        for number in 0..<100 { file.change { $0.global["k\(index)_\(number)"] = .integer(1) } }
                    }
                }
            }
        }
        for file in files {
            // Changes that did not get the lock in time are written by the next refresh.
            file.refresh()
        }
        let next = try opening(disk)
        let known = next.current.global
        let lost = (0..<200).filter { known["k\($0 % 2)_\($0 / 2)"] == nil }
        #expect(lost == [])
    }

    @Test
    func `if another process hangs with the lock, a change applies in this one, is reported, and is written later`()
        async throws
    {
        let queue = StorageQueue(label: "test")
        let diagnostics = Locked<[Diagnostic]>([])
        let file = try opening(disk, queue, diagnostics)
        let lock = try #require(try disk.lock("/app/settings.lock"))
        file.change { settings in _ = settings.consent.decide(.denied, by: .device) }
        #expect(file.current.consent.device.overall == .denied)
        await queue.run {}
        #expect(diagnostics.withLock { $0.map(\.code) } == [.settingsNotSaved])
        lock.release()
        file.refresh()
        #expect(try opening(disk).current.consent.device.overall == .denied)
    }

    @Test
    func `decisions are written even if the lock cannot be opened`() throws {
        let storage = FaultyStorage(disk)
        storage.fail(.lock, with: .denied)
        try opening(storage).change { settings in _ = settings.consent.decide(.denied, by: .device) }
        #expect(try opening(disk).current.consent.device.overall == .denied)
    }
}
