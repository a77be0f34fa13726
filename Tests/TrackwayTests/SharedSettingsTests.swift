// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayBehavior
import TrackwayEvents
import TrackwayJournal
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
        _ heard: Locked<[Diagnostic]> = Locked([])
    ) throws -> SettingsFile {
        let reporter = DiagnosticReporter(
            { diagnostic in heard.withLock { $0.append(diagnostic) } },
            log: { _ in }
        )
        return try SettingsFile(ConsentRules(), folder: "/app", storage: storage, queue: queue, reporter: reporter)
    }

    @Test(
        "a denial is never reverted by another process that changes something else at the same time",
        arguments: [StorageOperation.contents, .lock, .replace]
    )
    func interleaved(_ step: StorageOperation) async throws {
        try opening(disk).change { settings in _ = settings.consent.decided(.granted, by: .device) }
        let (slowDisk, queue) = (FaultyStorage(disk), StorageQueue(label: "quick"))
        let slow = try opening(slowDisk)
        let quick = try opening(disk, queue)
        // The other process stops at one step of its change, and the denial comes in between.
        slowDisk.hold(step, paths: "/app/settings")
        let change = Thread { slow.change { settings in settings.global["person"] = "anna" } }
        change.start()
        try await Deadline.wait(while: slowDisk.heldCalls == 0)
        quick.change { settings in _ = settings.consent.decided(.denied, by: .device) }
        #expect(quick.current.consent.device.overall == .denied)
        slowDisk.release()
        try await Deadline.wait(while: !change.isFinished)
        await queue.run {}
        let next = try opening(disk)
        #expect(next.current.consent.device.overall == .denied)
        #expect(next.current.global["person"] == "anna")
        slow.refresh()
        #expect(slow.current.consent.device.overall == .denied)
    }

    @Test("two processes that change settings concurrently lose none of each other's changes")
    func manyChanges() async throws {
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

    @Test(
        "if another process stops with the lock, a change applies here, is reported, and is written later"
    )
    func holderStopped() async throws {
        let queue = StorageQueue(label: "test")
        let heard = Locked<[Diagnostic]>([])
        let file = try opening(disk, queue, heard)
        let lock = try #require(try disk.lock("/app/settings.lock"))
        file.change { settings in _ = settings.consent.decided(.denied, by: .device) }
        #expect(file.current.consent.device.overall == .denied)
        await queue.run {}
        #expect(heard.withLock { $0.map(\.code) } == [.settingsNotSaved])
        lock.release()
        file.refresh()
        #expect(try opening(disk).current.consent.device.overall == .denied)
    }

    @Test("decisions are written even if the lock cannot be opened")
    func lockDenied() throws {
        let storage = FaultyStorage(disk)
        storage.fail(.lock, with: .denied)
        try opening(storage).change { settings in _ = settings.consent.decided(.denied, by: .device) }
        #expect(try opening(disk).current.consent.device.overall == .denied)
    }
}
