// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsumerState {
    /// A writer's highest sequence number: a cursor may know more than what is left of the log.
    static func last(_ extent: LedgerCounter.Extent, _ cursors: [Cursor]) -> UInt64 {
        max(extent.last, cursors.map { $0.next - 1 }.max() ?? 0)
    }

    /// Takes in what has come since the last look, as far as counting needs it: writers, and cursors of destinations.
    mutating func takeIn(_ journal: Journal) throws(JournalError) {
        do throws(StorageError) {
            try refresh(own: journal.writer)
        } catch {
            throw JournalError(error)
        }
        for id in order where progressByWriter[id]?.problem == nil {
            _ = try attempt(id) { (state) throws(JournalError) in
                for destination in state.destinations(of: id) { _ = try state.cursor(id, destination, journal) }
                // A newer version's log shows as one here.
                _ = try state.readableExtent(
                    of: id,
                    isComplete: state.progressByWriter[id]?.isComplete ?? false,
                    journal
                )
            }
        }
    }

    /// A writer's extent; nil when a newer version wrote it, which is then left to the version that can read it.
    mutating func readableExtent(
        of id: WriterID,
        isComplete: Bool,
        _ journal: Journal
    ) throws(JournalError) -> LedgerCounter.Extent? {
        do throws(JournalError) {
            return try journal.extent(of: id, isComplete: isComplete)
        } catch {
            guard error.code == .newerVersion else { throw error }
            progressByWriter[id]?.problem = error
            return nil
        }
    }
}
