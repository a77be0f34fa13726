// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import Trackway
internal import TrackwayCore

/// A store that keeps records in a local journal until upload.
///
/// ```swift
/// let store = try UsageStore()
/// Usage.shared.configure(with: store)
/// ```
/// A stored record survives termination of the process. Each user has a folder, and unattributed records have a
/// separate folder. Objects with the same folder share its state. Several processes can share a folder where the
/// system permits it (not in an app group on iOS). Thread-safe.
public final class UsageStore: UsageStoring, Sendable {
    /// The storage ID of records without a known user.
    public static let unattributedStorageID = Usage.unattributedStorageID

    /// The default folder of stores: the app's folder for persistent state.
    public static var defaultFolderURL: URL { Usage.shared.core.environment.folder }

    let core: UsageStoreCore
    /// The folder that contains the users' folders.
    let folder: URL

    /// Opens a store, creating it if necessary.
    ///
    /// - Parameters:
    ///   - path: the folder that contains a folder for each storage ID.
    ///   - storageID: the user's ID; nil for unattributed records.
    ///   - encryptionKey: a secret that encrypts everything in the folder; nil for plain files. Use a random secret
    ///     that the app keeps, not a word chosen by a person. The key must stay the same: with a different key, or
    ///     none, opening the store fails and leaves the folder unchanged. Records written before the folder was first
    ///     opened with a key are still read.
    /// - Throws: `TrackwayError`: `encryption_key_missing` if the folder requires another key,
    ///   `invalid_encryption_key` if the key is empty, or `storage_unavailable`, naming the affected folder.
    public convenience init(
        with path: URL = UsageStore.defaultFolderURL,
        storageID: UUID? = nil,
        encryptionKey: String? = nil
    ) throws {
        try self.init(path, storageID, encryptionKey, in: Usage.shared.core.environment)
    }

    /// Opens a store in the given environment.
    package init(
        _ path: URL,
        _ storageID: UUID?,
        _ encryptionKey: String? = nil,
        in environment: UsageEnvironment
    ) throws(TrackwayError) {
        if encryptionKey?.isEmpty == true {
            throw TrackwayError(
                .invalidEncryptionKey,
                "encryptionKey is empty.",
                recoverySuggestion: "Use a random secret, or nil."
            )
        }
        guard path.isFileURL else {
            throw TrackwayError(
                .storageUnavailable,
                "\(path) is not a folder.",
                recoverySuggestion: "Use a file URL."
            )
        }
        folder = path
        core = try UsageStoreCore.open(
            path,
            storageID: storageID?.uuidString ?? Self.unattributedStorageID,
            // The hash has the length of a key, regardless of the length of the text.
            encryption: encryptionKey.map { .key(EncryptionKey(SHA256.hash($0.utf8))) },
            in: environment
        )
    }

    /// The user's ID, or ``unattributedStorageID``.
    public var storageID: String { core.storageID }

    /// The time at which the folder was first used.
    public var initTimestamp: Date { core.created }

    /// The number of records not stored since the process started, by reason.
    ///
    /// Reasons include disabled data collection, withdrawn consent, and a full disk.
    public var droppedRecords: [DropReason: UInt64] { core.droppedRecords }

    /// Removes a target's records up to and including a date.
    ///
    /// - Parameters:
    ///   - date: the latest date to remove, inclusive; now by default.
    ///   - end: the earliest date to remove, inclusive; nil for no lower bound. If this date is later than `date`,
    ///     nothing is removed, and a `Diagnostic` is reported.
    ///   - targetID: the target.
    public func removeRecords(before date: Date = Usage.now, after end: Date? = nil, targetID: String) {
        if let end, end > date {
            core.environment.report(
                Diagnostic(
                    code: .usageRangeEmpty,
                    field: "removeRecords(before:after:targetID:)",
                    value: "before \(Timestamp(date)), after \(Timestamp(end))",
                    message: "Nothing was removed because the range ends (\(Timestamp(date))) before it begins "
                        + "(\(Timestamp(end))).",
                    recoverySuggestion: "Use a date for `after` that is not later than `before`."
                )
            )
            return
        }
        let bounds = RemovedRange(
            from: end?.timeIntervalSinceReferenceDate,
            through: date.timeIntervalSinceReferenceDate
        )
        core.snapshot(for: targetID, within: bounds).removeRecords()
    }

    /// Returns a target's currently stored records.
    public func snapshot(for targetID: String) -> any UsageSnapshotting {
        core.snapshot(for: targetID)
    }

    /// Returns a target's currently stored records up to a date.
    public func snapshot(for targetID: String, till date: Date?) -> any UsageSnapshotting {
        core.snapshot(for: targetID, within: RemovedRange(through: date?.timeIntervalSinceReferenceDate))
    }

    /// Stores a record.
    ///
    /// When this method returns, the record survives termination of the process. A record that cannot be stored is
    /// counted in ``droppedRecords``.
    public func store(record: UsageRecord, for targetID: String) {
        core.record(record, for: targetID)
    }

    /// The targets that have stored records, in alphabetical order.
    public func targetIdentifiers() -> [String] {
        core.targetIdentifiers()
    }
}
