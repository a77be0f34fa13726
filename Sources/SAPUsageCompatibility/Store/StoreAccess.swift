// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

/// A store in use, whoever wrote it.
///
/// A store of the app's own need not bear several threads: calls to it come one at a time. The lock is recursive, since such a
/// store may itself report. It is held while a part of a snapshot is read, too, because a snapshot may look into its store, and never while
/// something is sent.
///
/// `@unchecked Sendable`: the app's object is called under the lock alone, and a `UsageStore` is `Sendable` itself.
final class StoreAccess: @unchecked Sendable {
    private let store: any UsageStoring
    private let lock = NSRecursiveLock()
    /// The store's core, when it is one of this module's: its own analytics are the gate then.
    let core: UsageStoreCore?
    /// The folder with the persons' folders, when the store is one of this module's.
    let folder: URL?
    /// Whose records these are.
    let storageID: String

    init(_ store: any UsageStoring) {
        self.store = store
        core = (store as? UsageStore)?.core
        folder = (store as? UsageStore)?.folder
        storageID = store.storageID
    }

    /// The person; nil while nobody is known.
    var userID: String? { storageID == Usage.unattributedStorageID ? nil : storageID }

    /// The person as decisions name them: a store of the app's own may write the id in small letters.
    var person: String? { userID.map { UUID(uuidString: $0)?.uuidString ?? $0 } }

    /// Names the store among those of the app's own.
    var name: String { "\(person ?? storageID)/\(String(reflecting: type(of: store)))" }

    /// The store itself, for the app.
    var object: any UsageStoring { store }

    /// Calls the store while no other call of ours does.
    func exclusively<Result>(_ body: (any UsageStoring) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(store)
    }

    /// Stores a record.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - target: the target it is for.
    ///   - isFiltered: whether interceptors and rules have seen it before, in another store.
    ///   - environment: where mistakes are reported.
    /// - Returns: nil when the store has it; else why not.
    func record(
        _ record: UsageRecord,
        for target: String,
        isFiltered: Bool,
        in environment: UsageEnvironment
    ) -> DropReason? {
        if let core { return core.record(record, for: target, isFiltered: isFiltered) }
        let original = record.content()
        var content = original
        if !isFiltered {
            let filter = environment.filter(for: target, of: person ?? storageID)
            if let reason = filter.apply(to: &content, id: environment.newID) { return reason }
        }
        let written = content.written()
        environment.report(written.faults, of: record)
        guard let text = written.text else {
            environment.report(refused: record, written.refusal ?? "")
            return .notExpressible
        }
        // Somebody else's store gets what is JSON, too.
        let isUnchanged = content.event == original.event && content.info == original.info && written.faults.isEmpty
        let valid = isUnchanged ? record : UsageRecord(written: text) ?? record
        exclusively { $0.store(record: valid, for: target) }
        return nil
    }

    func targetIdentifiers() -> [String] {
        exclusively { $0.targetIdentifiers() }
    }

    /// Removes everything from a store of the app's own.
    ///
    /// - Parameter targets: the targets that have a reporter.
    /// - Returns: the records that are still there.
    func removeEverything(of targets: Set<String>) -> Int {
        exclusively { store in
            var left = 0
            for target in targets.union(store.targetIdentifiers()).union([Usage.defaultTargetID]) {
                store.removeRecords(before: .distantFuture, after: nil, targetID: target)
                // Dates may be beyond any other.
                let rest = store.snapshot(for: target)
                if rest.recordCount() > 0 { rest.removeRecords() }
                left += store.snapshot(for: target).recordCount()
            }
            return left
        }
    }
}

/// An object of the app's class that is kept for the app.
///
/// `@unchecked Sendable`: what it holds is handed back and called as the app itself would do it; reporters guard their own state,
/// and snapshots of an app's own store are read by one thread at a time.
struct Kept<Object>: @unchecked Sendable {
    let object: Object
}
