// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The attributes by which a backup recognizes an unchanged file.
public struct FileAttributes: Sendable, Hashable {
    /// The kind of a folder's entry.
    public enum Kind: Sendable, Hashable {
        /// A regular file.
        case file
        /// A folder.
        case folder
        /// Anything else, such as a symbolic link or a socket.
        case other
    }

    /// The kind of the entry.
    public var kind: Kind
    /// The file's number in its file system.
    public var inode: Int64
    /// The size in bytes.
    public var bytes: Int
    /// The time of the last change of the content, in nanoseconds since 1970.
    public var modified: Int64

    /// Creates attributes.
    public init(kind: Kind, inode: Int64, bytes: Int, modified: Int64) {
        self.kind = kind
        self.inode = inode
        self.bytes = bytes
        self.modified = modified
    }
}
