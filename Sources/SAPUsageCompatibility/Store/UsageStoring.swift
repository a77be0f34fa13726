// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// A store that keeps records until they are uploaded.
///
/// ``UsageStore`` is one implementation; an app may supply its own.
///
/// ``Usage`` and the uploader call a store and its snapshots one call at a time, from any thread, so a custom store
/// needs no lock for these calls.
public protocol UsageStoring: AnyObject {
    /// The owner of the records: a user's ID, or ``Usage/unattributedStorageID``.
    var storageID: String { get }

    /// The time at which the store was first used.
    var initTimestamp: Date { get }

    /// Removes a target's records that are no longer needed.
    ///
    /// - Parameters:
    ///   - date: the latest date to remove, inclusive.
    ///   - end: the earliest date to remove, inclusive; nil for no lower bound.
    ///   - targetID: the target.
    func removeRecords(before date: Date, after end: Date?, targetID: String)

    /// Returns a target's currently stored records.
    func snapshot(for targetID: String) -> any UsageSnapshotting

    /// Returns a target's currently stored records up to a date.
    ///
    /// - Parameters:
    ///   - targetID: the target.
    ///   - date: the latest date, inclusive; nil for all records.
    func snapshot(for targetID: String, till date: Date?) -> any UsageSnapshotting

    /// Stores a record.
    func store(record: UsageRecord, for targetID: String)

    /// The targets that have stored records.
    func targetIdentifiers() -> [String]
}

/// The records of a target at one point in time.
///
/// The records are read and then removed.
public protocol UsageSnapshotting {
    /// Calls `body` with each record, in order, until it returns false.
    func records(_ body: (UsageRecord) -> Bool)

    /// The number of records.
    func recordCount() -> Int

    /// Removes the records from their store.
    ///
    /// Records stored after the snapshot was taken are not removed.
    func removeRecords()
}
