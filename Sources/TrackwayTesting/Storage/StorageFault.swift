// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// How an operation of a ``FaultyStorage`` fails.
public struct StorageFault: Sendable, Hashable {
    /// The error's kind.
    public let code: StorageError.Code
    /// The system's error number.
    public let number: Int32

    /// Makes a fault with any kind and number.
    public init(_ code: StorageError.Code, number: Int32) {
        self.code = code
        self.number = number
    }

    /// No space left on the device (`ENOSPC`).
    public static let noSpace = StorageFault(.full, number: 28)
    /// The device reports an error (`EIO`).
    public static let inputOutput = StorageFault(.inputOutput, number: 5)
    /// The file may not be used now (`EACCES`), as on a locked device.
    public static let denied = StorageFault(.denied, number: 13)
}

/// The operations of a journal's storage that a ``FaultyStorage`` can let fail, count or hold.
public enum StorageOperation: String, Sendable, Hashable, CaseIterable {
    /// Making a folder.
    case makeFolder
    /// Listing a folder.
    case names
    /// Reading a whole file.
    case contents
    /// Asking for a file's size.
    case size
    /// Reading a part of a file.
    case read
    /// Replacing a file in one step.
    case replace
    /// Putting new content into a file where it lies.
    case overwrite
    /// Publishing a new file in one step.
    case create
    /// Giving a file another name.
    case rename
    /// Removing a file.
    case remove
    /// Removing a folder.
    case removeFolder
    /// Making and mapping a segment; this is where a full disk shows.
    case makeSegment
    /// Taking a lock.
    case lock
    /// Flushing a file's bytes.
    case synchronize
    /// Flushing a folder's entries.
    case synchronizeFolder
    /// Flushing a segment's bytes.
    case synchronizeSegment
    /// Ending a segment.
    case finishSegment
}
