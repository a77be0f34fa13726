// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How long deliverers have looked at a writer of an earlier boot.
///
/// Wall clocks jump, and monotonic clocks start anew with each boot. So the age of what an earlier boot left is the time
/// that deliverers really saw pass: never too long, at worst too short, and then bytes decide.
enum ObservedAge {
    static func load(
        _ id: WriterID,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> Duration {
        guard let bytes = try storage.contents(of: path(id, folder)),
            let seen = CheckedLines(bytes)?.number("milliseconds")
        else { return .zero }
        return .milliseconds(Int64(clamping: seen))
    }

    static func save(
        _ age: Duration,
        _ id: WriterID,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) {
        var lines = CheckedLines()
        lines.add("milliseconds", age.wholeMilliseconds)
        try storage.replace(path(id, folder), with: lines.bytes, durably: false)
    }

    private static func path(_ id: WriterID, _ folder: JournalFolder) -> String {
        folder.writer(id) + "/observed"
    }
}
