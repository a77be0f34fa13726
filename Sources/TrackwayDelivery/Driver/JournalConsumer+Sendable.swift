// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

extension JournalConsumer {
    /// Returns the number of events that may be sent now.
    ///
    /// Includes events in progress, but not those after an event found held. For a queue, counts the released events,
    /// and the result may be too high; otherwise, counts all. The result is 0 if and only if there is nothing to send,
    /// 1 if only sequence numbers without an event must be reported, and nil if nothing can be counted at present. This
    /// is a step of the consumer.
    ///
    /// - Parameter enough: Counting may stop at this number.
    func sendable(for destination: DestinationID, isQueue: Bool, enough: UInt64 = .max) -> UInt64? {
        do throws(JournalError) {
            let events =
                isQueue
                ? try released(for: destination, leavingOutHeld: true)
                : try deliverable(for: destination, enough: enough)
            guard events == 0 else { return events }
            // Skipped numbers are not sent before a queue's next transfer, which can report them.
            return (isQueue ? owesSkips(destination) : isReportDue(destination)) ? 1 : 0
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
    func countHandedOver(of queue: DestinationID) -> UInt64 {
        let events = countReleased(for: queue)
        return events > 0 ? events : owesSkips(queue) ? 1 : 0
    }
}
