// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A file operation that matters for power loss.
package enum FileAction: Sendable, Hashable {
    /// A folder was created.
    case madeFolder(String)
    /// A file was opened for writing, and created if it was missing.
    case opened(String)
    /// A file's bytes or length were changed.
    case changed(String)
    /// A file was mapped for writing.
    ///
    /// From here on, the file may change at any time.
    case mapped(String)
    /// The writable mapping was removed.
    case unmapped(String)
    /// A file or folder was renamed and replaced the file that had the new name.
    case renamed(String, to: String)
    /// A file got a second name (hard link).
    case linked(String, to: String)
    /// A name was removed.
    case removed(String)
    /// A file's bytes, or a folder's entries, are on stable storage: the flush has returned.
    case flushed(String)
    /// The program promised that everything accepted before survives power loss.
    case promised(String)
}
