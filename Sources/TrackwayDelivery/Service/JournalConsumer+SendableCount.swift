// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

extension JournalConsumer {
    /// Returns the number of events that may be sent now.
    ///
    /// Includes events in progress, but not those after an event found held. For a queue, counts the released events,
    /// and the result may be too high; otherwise, counts all. The result is 0 if and only if there is nothing to send,
    /// 1 if only sequence numbers without an event must be reported, and nil if events currently cannot be counted.
    /// This is a step of the consumer.
    ///
    /// - Parameter limit: Counting may stop at this number.
    func sendableCount(for destination: DestinationID, isQueue: Bool, limit: UInt64 = .max) -> UInt64? {
        do throws(JournalError) {
            let events =
                isQueue
                ? try releasedCount(for: destination, leavingOutHeld: true)
                : try deliverableCount(for: destination, limit: limit)
            guard events == 0 else { return events }
            // A queue reports skipped numbers only with its next transfer.
            return (isQueue ? hasReportableSkips(destination) : isReportDue(destination)) ? 1 : 0
        } catch {
            return nil
        }
    }

    /// Returns the count for a destination without a queue, on any thread.
    ///
    /// Does not wait for a step of the consumer.
    func countSendable(for destination: DestinationID) -> UInt64? {
        do throws(JournalError) {
            let events = try countDeliverable(for: destination)
            return events > 0 ? events : isReportDue(destination) ? 1 : 0
        } catch {
            return nil
        }
    }

    /// Returns the count for a queue, on any thread, without waiting for files.
    func countTransferred(of queue: DestinationID) -> UInt64 {
        let events = countReleased(for: queue)
        return events > 0 ? events : hasReportableSkips(queue) ? 1 : 0
    }
}
