// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Drops and counts what waits for a destination, unless another process delivers.
    package func discardWaiting(for destination: DestinationID) async {
        guard registry.contains(destination) else { return }
        let (journal, reporter) = (journal, reporter)
        // As for erasing: delivery lets go of the folder first, so that nothing that is to go is on its way.
        control.change { $0.eraseBegan() }
        defer { control.change { $0.eraseEnded() } }
        await control.untilAtRest()
        await queue.run {
            do throws(JournalError) {
                guard let consumer = try journal.tryElection() else { return }
                defer { consumer.close() }
                try consumer.discardPending(for: destination, reason: .erased)
            } catch {
                reporter.report(
                    Diagnostic(
                        code: .notDiscarded,
                        field: "deleteAll",
                        value: "\(error)",
                        remedy: "Nothing was dropped, and what waits is sent; ask again when the folder is accessible."
                    )
                )
            }
        }
    }
}
