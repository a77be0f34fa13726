// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// Serialized access to the store in use.
///
/// A custom store need not be thread-safe: calls to it are made one at a time. The lock is recursive because such a
/// store may itself report records. The lock is also held while part of a snapshot is read, because a snapshot may
/// read from its store, but never while a request is sent.
///
/// `@unchecked Sendable`: the app's object is called only under the lock, and a `UsageStore` is itself `Sendable`.
final class SerializedStore: @unchecked Sendable {
    private let store: any UsageStoring
    private let lock = NSRecursiveLock()
    /// The core of a `UsageStore`, whose analytics enforce consent.
    ///
    /// Nil for custom stores.
    let core: UsageStoreCore?
    /// The folder that contains the users' folders; nil for custom stores.
    let folder: URL?
    /// The storage ID of the records' owner.
    let storageID: String

    init(_ store: any UsageStoring) {
        self.store = store
        core = (store as? UsageStore)?.core
        folder = (store as? UsageStore)?.folder
        storageID = store.storageID
    }

    /// The user's ID; nil if no user is known.
    var userID: String? { storageID == Usage.unattributedStorageID ? nil : storageID }

    /// The user's ID as spelled in decisions.
    ///
    /// A custom store may spell the ID in lowercase letters.
    var canonicalUserID: String? { userID.map { UUID(uuidString: $0)?.uuidString ?? $0 } }

    /// A name that identifies the store among custom stores.
    var name: String { "\(canonicalUserID ?? storageID)/\(String(reflecting: type(of: store)))" }

    /// The underlying store, for the app.
    var object: any UsageStoring { store }

    /// Calls `body` with the store while holding the lock.
    func exclusively<Result>(_ body: (any UsageStoring) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(store)
    }

    /// Stores a record.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - target: the record's target.
    ///   - isFiltered: whether interceptors and rules already processed the record in another store.
    ///   - environment: the environment that receives diagnostics.
    /// - Returns: nil if the record was stored; otherwise the reason why it was not.
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
            let filter = environment.filter(for: target, of: canonicalUserID ?? storageID)
            if let reason = filter.apply(to: &content, id: environment.newID) { return reason }
        }
        let encoded = content.encoded()
        environment.report(encoded.faults, of: record)
        guard let text = encoded.text else {
            environment.report(rejected: record, encoded.rejectionReason ?? "")
            return .notExpressible
        }
        // A custom store, too, receives only values that JSON can represent.
        let isUnchanged = content.event == original.event && content.info == original.info && encoded.faults.isEmpty
        let valid = isUnchanged ? record : UsageRecord(encoded: text) ?? record
        exclusively { $0.store(record: valid, for: target) }
        return nil
    }

    func targetIdentifiers() -> [String] {
        exclusively { $0.targetIdentifiers() }
    }

    /// Removes all records from a custom store.
    ///
    /// - Parameter targets: the targets that have a reporter.
    /// - Returns: the number of records that are still stored.
    func removeAllRecords(of targets: Set<String>) -> Int {
        exclusively { store in
            var remaining = 0
            for target in targets.union(store.targetIdentifiers()).union([Usage.defaultTargetID]) {
                store.removeRecords(before: .distantFuture, after: nil, targetID: target)
                // A record's date may be later than `.distantFuture`.
                let records = store.snapshot(for: target)
                if records.recordCount() > 0 { records.removeRecords() }
                remaining += store.snapshot(for: target).recordCount()
            }
            return remaining
        }
    }
}

/// Carries an object of an app's class across threads.
///
/// `@unchecked Sendable`: the object is only returned to the app, or called in the same way as by the app. Reporters
/// synchronize their own state, and snapshots of a custom store are read by one thread at a time.
struct UncheckedSendableBox<Object>: @unchecked Sendable {
    let object: Object
}
