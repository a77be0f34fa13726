// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import Trackway
internal import TrackwayEvents

/// Keeps records in a journal on this device until somebody has uploaded them.
///
/// ```swift
/// let store = try UsageStore()
/// Usage.shared.configure(with: store)
/// ```
/// A record that was stored survives the death of the process. Each person has a folder, and so have records of nobody known.
/// Objects of one folder share it; several processes may, too, where the system lets them (not in an app group on iOS). Any
/// thread.
public final class UsageStore: UsageStoring, Sendable {
    /// The storage id of records of nobody known.
    public static let unattributedStorageID = Usage.unattributedStorageID

    /// The folder that stores use unless told otherwise: the app's own for state that must survive.
    public static var defaultFolderURL: URL { Usage.shared.core.environment.folder }

    let core: UsageStoreCore
    /// The folder with the persons' folders.
    let folder: URL

    /// Opens a store, and makes it when it is not there.
    ///
    /// - Parameters:
    ///   - path: the folder that holds a folder for each storage id.
    ///   - storageID: whose records these are; nil for nobody known.
    ///   - encryptionKey: a secret that everything in the folder is encrypted with, made of chance and kept by the app, not a
    ///     word that a person chose; nil for plain files. It must stay the same: with another one, or none, the store is refused and
    ///     left as it is. What a folder held before it was first opened with a key is read as well.
    /// - Throws: `TrackwayError`: `encryption_key_missing` for a folder that needs another key, `invalid_encryption_key` for an
    ///   empty one, or `storage_unavailable` with the folder at fault.
    public convenience init(
        with path: URL = UsageStore.defaultFolderURL,
        storageID: UUID? = nil,
        encryptionKey: String? = nil
    ) throws {
        try self.init(path, storageID, encryptionKey, in: Usage.shared.core.environment)
    }

    /// The same in an environment of a test's own.
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
            // Its hash has the length of a key, whatever the text's is.
            encryption: encryptionKey.map { .key(EncryptionKey(SHA256.hash($0.utf8))) },
            in: environment
        )
    }

    /// The person's id, or ``unattributedStorageID``.
    public var storageID: String { core.storageID }

    /// When the folder was first used.
    public var initTimestamp: Date { core.created }

    /// Records that were not stored since this process began, by reason: the switch was off, consent was withdrawn, the disk
    /// was full.
    public var droppedRecords: [DropReason: UInt64] { core.droppedRecords }

    /// Removes records of a target that are older than a date, those of the date included.
    ///
    /// - Parameters:
    ///   - date: the latest date that is removed; now by default.
    ///   - end: the earliest date that is removed; nil for all. One that is later than `date` removes nothing, and is told.
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

    /// What is stored for a target now.
    public func snapshot(for targetID: String) -> any UsageSnapshotting {
        core.snapshot(for: targetID)
    }

    /// What is stored for a target now, without records of a later date.
    public func snapshot(for targetID: String, till date: Date?) -> any UsageSnapshotting {
        core.snapshot(for: targetID, within: RemovedRange(through: date?.timeIntervalSinceReferenceDate))
    }

    /// Stores a record. When this returns, it survives the death of the process; a record that cannot be stored is counted
    /// in ``droppedRecords``.
    public func store(record: UsageRecord, for targetID: String) {
        core.record(record, for: targetID)
    }

    /// The targets that records are stored for, in alphabetical order.
    public func targetIdentifiers() -> [String] {
        core.targetIdentifiers()
    }
}
