// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SAPUsageCompatibility
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

/// A device with an app that reports usage.
///
/// Its storage is in memory, and its clock does not advance.
final class UsageApp: Sendable {
    let memory: InMemoryEnvironment
    let environment: UsageEnvironment
    let usage: Usage

    /// Creates a process of the app on a new or an existing device.
    ///
    /// - Parameters:
    ///   - memory: The device.
    ///   - change: Changes the app's configuration.
    init(
        _ memory: InMemoryEnvironment = InMemoryEnvironment(device: UsageApp.device),
        _ change: (inout Configuration) -> Void = { _ in }
    ) {
        self.memory = memory
        environment = UsageEnvironment {
            $0.run(in: memory)
            change(&$0)
        }
        usage = Usage(environment)
    }

    /// The device's properties.
    static let device: Attributes = [
        "id": "0c2a7c36-5d0b-4c6e-8c0f-6c1e2b7f90a4", "platform": "iOS", "os_version": "17.5.1", "model": "iPhone",
    ]

    /// Kills this process and returns the next one.
    func restarted() -> UsageApp {
        memory.clock.advance(by: .milliseconds(1))
        return UsageApp(memory.nextProcess())
    }

    /// Returns a store of this process.
    func store(of user: UUID? = nil) throws -> UsageStore {
        try UsageStore(environment.folder, user, in: environment)
    }

    /// Returns the events that a store contains for a target.
    func events(_ store: any UsageStoring, _ target: String = Usage.defaultTargetID) -> [String] {
        store.snapshot(for: target).all.map(\.event.description)
    }

    /// The codes of all diagnostics so far.
    var codes: [String] { memory.diagnostics.map(\.code.rawValue) }
}

extension UsageSnapshotting {
    /// Every record.
    var all: [UsageRecord] {
        var all: [UsageRecord] = []
        records { record in
            all.append(record)
            return true
        }
        return all
    }
}

/// A custom store that uses only the protocols.
final class CustomStore: UsageStoring {
    let storageID: String
    let initTimestamp = Date(timeIntervalSince1970: 0)
    var storedRecords: [(target: String, record: UsageRecord)] = []
    /// Called before a snapshot is made.
    var onSnapshot: () -> Void = {}
    /// The threads with running calls, and the number of overlapping calls.
    private let calls = Locked((threads: [pthread_t](), overlaps: 0))

    /// The number of calls made while another thread's call was running.
    var overlaps: Int { calls.withLock { $0.overlaps } }

    /// Counts a call.
    func countCall<Result>(_ body: () -> Result) -> Result {
        let thread = pthread_self()
        calls.withLock {
            if $0.threads.contains(where: { pthread_equal($0, thread) == 0 }) { $0.overlaps += 1 }
            $0.threads.append(thread)
        }
        defer {
            calls.withLock { calls in
                if let last = calls.threads.lastIndex(where: { pthread_equal($0, thread) != 0 }) {
                    calls.threads.remove(at: last)
                }
            }
        }
        return body()
    }

    init(_ storageID: String) {
        self.storageID = storageID
    }

    func removeRecords(before date: Date, after end: Date?, targetID: String) {
        countCall {
            storedRecords.removeAll {
                $0.target == targetID && $0.record.date <= date && $0.record.date >= end ?? .distantPast
            }
        }
    }

    func snapshot(for targetID: String) -> any UsageSnapshotting {
        snapshot(for: targetID, till: nil)
    }

    func snapshot(for targetID: String, till date: Date?) -> any UsageSnapshotting {
        countCall {
            onSnapshot()
            return CustomSnapshot(
                self,
                targetID,
                storedRecords.filter { $0.target == targetID && $0.record.date <= date ?? .distantFuture }.count
            )
        }
    }

    func store(record: UsageRecord, for targetID: String) {
        countCall { storedRecords.append((targetID, record)) }
    }

    func targetIdentifiers() -> [String] {
        countCall { Set(storedRecords.map(\.target)).sorted() }
    }
}

/// A snapshot of a custom store: the first `count` records of a target.
struct CustomSnapshot: UsageSnapshotting {
    let store: CustomStore
    let target: String
    let count: Int

    init(_ store: CustomStore, _ target: String, _ count: Int) {
        self.store = store
        self.target = target
        self.count = count
    }

    func records(_ body: (UsageRecord) -> Bool) {
        store.countCall {
            for item in store.storedRecords.filter({ $0.target == target }).prefix(count) where !body(item.record) {
                return
            }
        }
    }

    func recordCount() -> Int { count }

    func removeRecords() {
        var remaining = count
        store.countCall {
            store.storedRecords.removeAll { item in
                guard item.target == target, remaining > 0 else { return false }
                remaining -= 1
                return true
            }
        }
    }
}
