// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

extension JournalConsumer {
    /// How many events may be sent to a destination now, those on their way included and those behind an event found held
    /// left out: of a queue what was released, perhaps too many, else all. 0 exactly when nothing is to be sent; 1 where only
    /// numbers are to be told that no event carries; nil when nothing can be counted at present. A step of the consumer.
    ///
    /// - Parameter enough: counting may stop here.
    func sendable(for destination: DestinationID, isQueue: Bool, enough: UInt64 = .max) -> UInt64? {
        do throws(JournalError) {
            let events =
                isQueue
                ? try released(for: destination, leavingOutHeld: true)
                : try deliverable(for: destination, enough: enough)
            guard events == 0 else { return events }
            // What a queue's next transfer can tell is no reason to send before it.
            return (isQueue ? owesSkips(destination) : isUntold(destination)) ? 1 : 0
        } catch {
            return nil
        }
    }

    /// The same for a destination that is no queue, for any thread: waits for no step.
    func countSendable(for destination: DestinationID) -> UInt64? {
        do throws(JournalError) {
            let events = try countDeliverable(for: destination)
            return events > 0 ? events : isUntold(destination) ? 1 : 0
        } catch {
            return nil
        }
    }

    /// The same for a queue, for any thread: waits for no file.
    func countHandedOver(of queue: DestinationID) -> UInt64 {
        let events = countReleased(for: queue)
        return events > 0 ? events : owesSkips(queue) ? 1 : 0
    }
}
