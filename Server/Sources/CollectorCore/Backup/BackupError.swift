// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// A failure of a backup, its verification, or its restoration.
public struct BackupError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: Sendable, Hashable {
        /// A folder cannot be used for this purpose.
        case unusable
        /// Another process is using a folder.
        case inUse
        /// A folder or file is missing.
        case missing
        /// The backup is damaged, or a newer version wrote it.
        case damaged
        /// Reading or writing failed.
        case inputOutput
    }

    /// The kind of failure.
    public var kind: Kind
    /// What happened, with the path.
    public var message: String
    /// What to do.
    public var remedy: String

    /// Creates a failure.
    public init(_ kind: Kind, _ message: String, remedy: String) {
        self.kind = kind
        self.message = message
        self.remedy = remedy
    }

    /// Creates a failure to read or write a file.
    ///
    /// - Parameter outcome: The state after the failure, such as “the previous backup is unchanged”.
    init(_ error: any Error, outcome: String) {
        let isFull = (error as? StorageError)?.code == .full
        self.init(
            .inputOutput,
            "\(error); \(outcome)",
            remedy: isFull
                ? "free some space on that disk, then run the command again"
                : "check the disk and the permissions, then run the command again"
        )
    }

    public var description: String { message }
}
