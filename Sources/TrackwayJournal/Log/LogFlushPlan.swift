// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What one flush to stable storage has to do, taken under the lock and carried out outside it.
struct LogFlushPlan: Sendable {
    let folder: String
    let storage: any JournalStorage
    /// Completed segments not yet flushed.
    let finished: Range<UInt32>?
    /// The segment being written.
    let current: (any SegmentStorage)?
    let currentNumber: UInt32
    /// Whether segments were made since the last flush, so that their names must be flushed too.
    let isFolderStale: Bool

    /// Blocks until everything is on stable storage.
    func carryOut() throws(StorageError) {
        for number in finished ?? 0..<0 {
            try storage.synchronize(SegmentName.path(folder, number))
        }
        try current?.synchronize()
        if isFolderStale { try storage.synchronizeFolder(folder) }
    }
}
