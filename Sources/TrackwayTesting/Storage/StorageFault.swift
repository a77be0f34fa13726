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
