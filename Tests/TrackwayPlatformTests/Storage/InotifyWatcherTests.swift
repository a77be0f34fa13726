// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
import Foundation
import Testing
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@testable import TrackwayPlatform

@Suite("Folder watching", .serialized)
struct InotifyWatcherTests {
    private let root: String
    private let storage = SystemStorage.make()

    init() throws {
        root = NSTemporaryDirectory() + "trackway-watch-\(UUID().uuidString)"
        try storage.makeFolder(root + "/writers")
    }

    private func waitUntil(_ condition: () -> Bool) async throws {
        try await Deadline.wait(while: !condition())
    }

    /// The process's threads and descriptors for its watches.
    private static var threads: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            // A thread that has ended since the list was read has no name.
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name?.hasPrefix("trackway.watch") ?? false
        }
    }

    private static var descriptors: Int {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return files.count { file in
            // A descriptor that was closed since the list was read has no target.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(file)")
            return target?.contains("inotify") ?? false
        }
    }

    @Test
    func `a replaced file is reported by name, and writes and other new files are not reported`() async throws {
        defer { remove() }
        let changes = Collected<StorageChange>()
        let watch = try #require(storage.watch(root, for: .replacedFiles) { changes.append($0) })
        try storage.overwrite(root + "/behavior", with: [1, 2, 3])
        try storage.overwrite(root + "/behavior", with: [4])
        _ = try storage.lock(root + "/deliver.lock")
        let segment = try storage.makeSegment(root + "/1.segment", bytes: 4096)
        segment.memory.storeBytes(of: 7, as: UInt8.self)
        try storage.replace(root + "/nudge", with: [1], durably: false)
        try await waitUntil { !changes.all.isEmpty }
        #expect(changes.all == [.entry("nudge")])
        try storage.replace(root + "/nudge", with: [2], durably: true)
        try await waitUntil { changes.all.count > 1 }
        #expect(changes.all == [.entry("nudge"), .entry("nudge")])
        watch.end()
    }

    @Test
    func `added and removed folders are reported`() async throws {
        defer { remove() }
        let changes = Collected<StorageChange>()
        let watch = try #require(storage.watch(root + "/writers", for: .folders) { changes.append($0) })
        try storage.makeFolder(root + "/writers/a")
        try await waitUntil { changes.all == [.entry("a")] }
        try storage.removeFolder(root + "/writers/a")
        try await waitUntil { changes.all == [.entry("a"), .entry("a")] }
        watch.end()
    }

    @Test(arguments: [true, false])
    func `a removed or moved folder ends its watch, and a recreated one can be watched again`(isMoved: Bool)
        async throws
    {
        defer { remove() }
        let path = root + "/writers"
        let changes = Collected<StorageChange>()
        let watch = try #require(storage.watch(path, for: .folders) { changes.append($0) })
        if isMoved {
            try storage.rename(path, to: root + "/elsewhere")
        } else {
            try storage.removeFolder(path)
        }
        try await waitUntil { changes.all == [.ended] }
        #expect(storage.watch(path, for: .folders) { _ in } == nil)
        try storage.makeFolder(path)
        let changesOfNewFolder = Collected<StorageChange>()
        let second = try #require(storage.watch(path, for: .folders) { changesOfNewFolder.append($0) })
        try storage.makeFolder(path + "/b")
        try await waitUntil { changesOfNewFolder.all == [.entry("b")] }
        // Changes in the moved folder or in the new one do not reach the old watch.
        #expect(changes.all == [.ended])
        watch.end()
        second.end()
    }

    @Test
    func `watches on one folder are independent, and the last one frees the thread and the descriptor`() async throws {
        defer { remove() }
        try await waitUntil { Self.threads == 0 && Self.descriptors == 0 }
        let (first, second) = (Collected<StorageChange>(), Collected<StorageChange>())
        let one = try #require(storage.watch(root, for: .replacedFiles) { first.append($0) })
        let other = try #require(SystemStorage.make().watch(root, for: .folders) { second.append($0) })
        #expect(Self.descriptors == 1)
        try storage.replace(root + "/nudge", with: [1], durably: false)
        try await waitUntil { first.all.contains(.entry("nudge")) && second.all.contains(.entry("nudge")) }
        #expect(Self.threads == 1)
        one.end()
        one.end()
        let before = first.all.count
        try storage.replace(root + "/other", with: [1], durably: false)
        try await waitUntil { second.all.contains(.entry("other")) }
        #expect(first.all.count == before)
        other.end()
        try await waitUntil { Self.threads == 0 && Self.descriptors == 0 }
        // Watching works again afterward.
        let laterChanges = Collected<StorageChange>()
        let third = try #require(storage.watch(root, for: .replacedFiles) { laterChanges.append($0) })
        try storage.replace(root + "/nudge", with: [3], durably: false)
        try await waitUntil { laterChanges.all == [.entry("nudge")] }
        third.end()
        try await waitUntil { Self.threads == 0 && Self.descriptors == 0 }
    }

    @Test
    func `a released watch ends, even on the thread that reports changes`() async throws {
        defer { remove() }
        let held = Locked<(any StorageWatch)?>(nil)
        let calls = Locked(0)
        let watch = storage.watch(root, for: .replacedFiles) { _ in
            calls.withLock { $0 += 1 }
            let last = held.withLock { held in
                defer { held = nil }
                return held
            }
            last?.end()
        }
        held.withLock { $0 = watch }
        try storage.replace(root + "/nudge", with: [1], durably: false)
        try await waitUntil { calls.withLock { $0 } > 0 }
    }

    @Test
    func `an overflow of the system's event queue is reported as an unknown change`() async throws {
        defer { remove() }
        let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let most = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let gate = DispatchSemaphore(value: 0)
        let isFirst = Locked(true)
        let changes = Collected<StorageChange>()
        let watch = try #require(
            storage.watch(root, for: .replacedFiles) { change in
                let waits = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if waits { gate.wait() }
                if change == .unknown { changes.append(change) }
            }
        )
        try storage.overwrite(root + "/a", with: [1])
        for _ in 0...(most / 2 + 1_000) {
            try storage.rename(root + "/a", to: root + "/b")
            try storage.rename(root + "/b", to: root + "/a")
        }
        gate.signal()
        try await waitUntil { !changes.all.isEmpty }
        watch.end()
    }

    @Test
    func `concurrent watches and changes leak neither threads nor descriptors`() async throws {
        defer { remove() }
        let (root, storage) = (root, storage)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for turn in 0..<200 {
                        let watch = storage.watch(root, for: number % 2 == 0 ? .folders : .replacedFiles) { _ in }
                        #expect(watch != nil)
                        // The next turn changes it again.
                        try? storage.replace(root + "/file\(number)", with: [UInt8(turn)], durably: false)
                        if turn % 3 > 0 { watch?.end() }
                    }
                }
            }
        }
        try await waitUntil { Self.threads == 0 && Self.descriptors == 0 }
    }

    private func remove() {
        // The system deletes leftover files.
        try? FileManager.default.removeItem(atPath: root)
    }
}
#endif
