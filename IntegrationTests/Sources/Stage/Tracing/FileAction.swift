// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a program did to its files, as far as power loss cares.
package enum FileAction: Sendable, Hashable {
    /// A folder was made.
    case madeFolder(String)
    /// A file was opened for writing and made if it was missing.
    case opened(String)
    /// Bytes of a file, or its length, were changed.
    case changed(String)
    /// A file was mapped for writing: from here on it may be changed at any time.
    case mapped(String)
    /// Nothing can be written through the mapping any more.
    case unmapped(String)
    /// A file or folder got another name, in place of what had that name.
    case renamed(String, to: String)
    /// A file got a second name.
    case linked(String, to: String)
    /// A name went away.
    case removed(String)
    /// A file's bytes, or a folder's names, are on stable storage: the flush has returned.
    case flushed(String)
    /// Somebody was told that what was handed over before survives power loss.
    case promised(String)
}
