// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The cursor files in a writer's folder.
enum CursorFile {
    /// A destination's cursor; nil when it has none yet. A damaged file counts as none: reading then starts again at the
    /// oldest record kept, and the receiving end recognises what it has already.
    static func load(
        _ writer: WriterID,
        _ destination: DestinationID,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> Cursor? {
        guard let bytes = try storage.contents(of: folder.cursor(writer, destination)) else { return nil }
        return Cursor(fileBytes: bytes, of: writer, for: destination)
    }

    /// The destinations that have a cursor in a writer's folder.
    static func destinations(
        of writer: WriterID,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> [DestinationID] {
        try storage.names(in: folder.writer(writer)).compactMap { name in
            guard name.hasPrefix(JournalFolder.cursorPrefix) else { return nil }
            // A file that is just being written has no destination's name.
            return DestinationID(String(name.dropFirst(JournalFolder.cursorPrefix.count)))
        }
    }
}
