// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Why numbers are missing in a writer's log: whole segments that went before everybody had read them.
///
/// The writer keeps it, and writes it before the segments go, so that what is missing is never missing without a reason,
/// whoever is killed when. A number that is in the log all the same is there, whatever the file says. Lines:
/// ```
/// gaps 1
/// gap 1 250 journal_full
/// ```
enum GapFile {
    /// The reasons known in a writer's folder; a missing or damaged file says nothing.
    static func load(_ folder: String, _ storage: any JournalStorage) throws(StorageError) -> [DroppedRange] {
        guard let bytes = try storage.contents(of: path(folder)) else { return [] }
        return CheckedLines(bytes)?.all("gap").compactMap { DroppedRanges.range(from: $0) } ?? []
    }

    static func save(
        _ ranges: DroppedRanges,
        _ folder: String,
        _ storage: any JournalStorage
    ) throws(StorageError) {
        var lines = CheckedLines()
        lines.add("gaps", 1)
        for range in ranges.ranges { lines.add("gap", DroppedRanges.text(of: range)) }
        try storage.replace(path(folder), with: lines.bytes, durably: false)
    }

    private static func path(_ folder: String) -> String {
        folder + "/gaps"
    }
}
