// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Keeps records until somebody has uploaded them. ``UsageStore`` is one; an app may have its own.
///
/// The calls that ``Usage`` and the uploader make, to the store and to its snapshots, come one at a time, from any thread, so a store of
/// one's own needs no lock for them.
public protocol UsageStoring: AnyObject {
    /// Whose records these are: a person's id, or ``Usage/unattributedStorageID``.
    var storageID: String { get }

    /// When the store was first used.
    var initTimestamp: Date { get }

    /// Removes the records of a target that are not needed any more.
    ///
    /// - Parameters:
    ///   - date: records of this date and earlier ones are removed.
    ///   - end: but none that are earlier than this; nil for all.
    ///   - targetID: the target.
    func removeRecords(before date: Date, after end: Date?, targetID: String)

    /// What is stored for a target now.
    func snapshot(for targetID: String) -> any UsageSnapshotting

    /// What is stored for a target now, without records of a later date.
    ///
    /// - Parameters:
    ///   - targetID: the target.
    ///   - date: the latest date; nil for all.
    func snapshot(for targetID: String, till date: Date?) -> any UsageSnapshotting

    /// Stores a record.
    func store(record: UsageRecord, for targetID: String)

    /// The targets that records are stored for.
    func targetIdentifiers() -> [String]
}

/// The records of a target at one moment, to be read and then removed.
public protocol UsageSnapshotting {
    /// Calls `body` with each record, in order, until it returns false.
    func records(_ body: (UsageRecord) -> Bool)

    /// How many records there are.
    func recordCount() -> Int

    /// Removes the records from the store they came from. Records stored since stay.
    func removeRecords()
}
