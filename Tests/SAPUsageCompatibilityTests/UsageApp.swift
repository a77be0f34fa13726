// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SAPUsageCompatibility
internal import Trackway
internal import TrackwayEvents
internal import TrackwayTesting

/// One device with an app that reports its use: memory for a disk, a clock that stands still.
final class UsageApp: Sendable {
    let memory: InMemoryEnvironment
    let environment: UsageEnvironment
    let usage: Usage

    /// The app's first process on a fresh device, or a process on a device that there is.
    ///
    /// - Parameters:
    ///   - memory: the device.
    ///   - change: what the app changes in the configuration.
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

    /// What the device says of itself.
    static let device: Attributes = [
        "id": "0c2a7c36-5d0b-4c6e-8c0f-6c1e2b7f90a4", "platform": "iOS", "os_version": "17.5.1", "model": "iPhone",
    ]

    /// The next process, after this one was killed.
    func restarted() -> UsageApp {
        memory.clock.advance(by: .milliseconds(1))
        return UsageApp(memory.nextProcess())
    }

    /// A store of this process.
    func store(of user: UUID? = nil) throws -> UsageStore {
        try UsageStore(environment.folder, user, in: environment)
    }

    /// What a store holds for a target.
    func events(_ store: any UsageStoring, _ target: String = Usage.defaultTargetID) -> [String] {
        store.snapshot(for: target).all.map(\.event.description)
    }

    /// The codes of what was told so far.
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

/// A store that somebody wrote against the protocols alone.
final class OwnStore: UsageStoring {
    let storageID: String
    let initTimestamp = Date(timeIntervalSince1970: 0)
    var kept: [(target: String, record: UsageRecord)] = []
    /// Called before a snapshot is made.
    var onSnapshot: () -> Void = {}
    /// The threads whose calls are not over, and how often two of them called at once.
    private let calls = Locked((threads: [pthread_t](), overlaps: 0))

    /// How often a call came while another thread's was not over.
    var overlaps: Int { calls.withLock { $0.overlaps } }

    /// Counts a call.
    func called<Result>(_ body: () -> Result) -> Result {
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
        called {
            kept.removeAll { $0.target == targetID && $0.record.date <= date && $0.record.date >= end ?? .distantPast }
        }
    }

    func snapshot(for targetID: String) -> any UsageSnapshotting {
        snapshot(for: targetID, till: nil)
    }

    func snapshot(for targetID: String, till date: Date?) -> any UsageSnapshotting {
        called {
            onSnapshot()
            return OwnSnapshot(
                self,
                targetID,
                kept.filter { $0.target == targetID && $0.record.date <= date ?? .distantFuture }.count
            )
        }
    }

    func store(record: UsageRecord, for targetID: String) {
        called { kept.append((targetID, record)) }
    }

    func targetIdentifiers() -> [String] {
        called { Set(kept.map(\.target)).sorted() }
    }
}

/// As above; of the first so many of a target.
struct OwnSnapshot: UsageSnapshotting {
    let store: OwnStore
    let target: String
    let count: Int

    init(_ store: OwnStore, _ target: String, _ count: Int) {
        self.store = store
        self.target = target
        self.count = count
    }

    func records(_ body: (UsageRecord) -> Bool) {
        store.called {
            for item in store.kept.filter({ $0.target == target }).prefix(count) where !body(item.record) { return }
        }
    }

    func recordCount() -> Int { count }

    func removeRecords() {
        var left = count
        store.called {
            store.kept.removeAll { item in
                guard item.target == target, left > 0 else { return false }
                left -= 1
                return true
            }
        }
    }
}
