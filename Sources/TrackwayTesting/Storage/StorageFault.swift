// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// The failure of an operation of a ``FaultyStorage``.
public struct StorageFault: Sendable, Hashable {
    /// The error's kind.
    public let code: StorageError.Code
    /// The system's error number.
    public let number: Int32

    /// Creates a fault with any kind and number.
    public init(_ code: StorageError.Code, number: Int32) {
        self.code = code
        self.number = number
    }

    /// No space left on the device (`ENOSPC`).
    public static let noSpace = StorageFault(.full, number: 28)
    /// The device reports an error (`EIO`).
    public static let inputOutput = StorageFault(.inputOutput, number: 5)
    /// The file currently cannot be accessed (`EACCES`), as on a locked device.
    public static let denied = StorageFault(.denied, number: 13)
}

/// The storage operations that a ``FaultyStorage`` can fail, count, or hold.
public enum StorageOperation: String, Sendable, Hashable, CaseIterable {
    /// Creating a folder.
    case makeFolder
    /// Listing a folder.
    case names
    /// Reading a whole file.
    case contents
    /// Reading a file's size.
    case size
    /// Reading part of a file.
    case read
    /// Replacing a file atomically.
    case replace
    /// Overwriting a file's content in place.
    case overwrite
    /// Creating a new file atomically.
    case create
    /// Renaming a file.
    case rename
    /// Removing a file.
    case remove
    /// Removing a folder.
    case removeFolder
    /// Creating and mapping a segment, which detects a full disk.
    case makeSegment
    /// Acquiring a lock.
    case lock
    /// Flushing a file's bytes.
    case synchronize
    /// Flushing a folder's entries.
    case synchronizeFolder
    /// Flushing a segment's bytes.
    case synchronizeSegment
    /// Finishing a segment.
    case finishSegment
}
