// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The file names of a log's segments: eight digits and `.segment`.
enum SegmentName {
    static let suffix = ".segment"
    /// The prepared next segment, not part of the log yet.
    static let spare = "spare"

    static func path(_ folder: String, _ number: UInt32) -> String {
        let digits = String(number)
        return folder + "/" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits + suffix
    }

    static func number(_ name: String) -> UInt32? {
        guard name.hasSuffix(suffix) else { return nil }
        return UInt32(name.dropLast(suffix.count))
    }

    /// The numbers of the segments in a folder, ascending.
    static func all(in folder: String, _ storage: any JournalStorage) throws(StorageError) -> [UInt32] {
        try storage.names(in: folder).compactMap(number).sorted()
    }
}
