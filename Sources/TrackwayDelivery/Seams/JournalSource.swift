// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// The journal's consumer as a delivery source.
final class JournalSource: DeliverySource {
    private let journal: Journal
    private let consumer: JournalConsumer
    /// The last request for delivery that was seen.
    private let request: Locked<[UInt8]?>

    init(_ consumer: JournalConsumer, of journal: Journal) {
        self.journal = journal
        self.consumer = consumer
        // What was asked before the election is about to happen anyway.
        request = Locked((try? consumer.deliveryRequest()) ?? nil)
    }

    func read(
        for destination: DestinationID,
        limits: BatchLimits,
        admitting rule: Admission.Rule?,
        onlyReleased: Bool
    ) throws(DeliverySourceError) -> LeasedBatch? {
        // What waits in memory, losses included, becomes readable as soon as there is room for it.
        journal.drain()
        do throws(JournalError) {
            let limits = (events: limits.events, bytes: limits.bytes)
            let batch = try consumer.read(for: destination, limits: limits, admitting: rule, onlyReleased: onlyReleased)
            return batch.map { LeasedBatch(events: $0.events, lease: $0) }
        } catch {
            throw DeliverySourceError(error.message)
        }
    }

    func settle(
        _ batch: LeasedBatch,
        records: Range<Int>,
        deadLetters: [Refusal]
    ) throws(DeliverySourceError) -> String? {
        guard let lent = batch.lease as? JournalBatch else {
            throw DeliverySourceError("The batch was not lent by this journal.")
        }
        let deadLetters = deadLetters.map { refusal in
            DeadLetter(
                sequence: batch.events.records[refusal.index].sequence,
                reason: refusal.reason,
                code: refusal.code,
                message: refusal.message
            )
        }
        do throws(JournalError) {
            try consumer.settle(
                lent,
                records: records,
                delivered: records.count - deadLetters.count,
                deadLetters: deadLetters
            )
            return nil
        } catch {
            // The consumer keeps what storage refuses, and writes it with the next cursor.
            guard error.code == .storage else { throw DeliverySourceError(error.message) }
            return error.message
        }
    }

    func release(_ batch: LeasedBatch) {
        if let lent = batch.lease as? JournalBatch { consumer.release(lent) }
    }

    func pending(for destination: DestinationID) -> UInt64? {
        // nil says that they cannot be counted at present.
        guard let events = try? consumer.deliverable(for: destination) else { return nil }
        // What no event will carry is worth a request of its own.
        return events == 0 && consumer.isUntold(destination) ? 1 : events
    }

    func released(for destination: DestinationID) -> UInt64? {
        // nil says that they cannot be counted at present.
        guard let events = try? consumer.released(for: destination, leavingOutHeld: true) else { return nil }
        // What the next transfer can tell is no reason to send before it.
        return events == 0 && consumer.owesSkips(destination) ? 1 : events
    }

    func reportAll(to destination: DestinationID) {
        consumer.reportAll(to: destination)
    }

    func waiting(for destination: DestinationID) -> UInt64? {
        try? consumer.waiting(for: destination)  // nil says that they cannot be counted at present.
    }

    func transfer(for destination: DestinationID) throws(DeliverySourceError) -> UInt64 {
        do throws(JournalError) {
            return try consumer.transfer(for: destination)
        } catch {
            throw DeliverySourceError(error.message)
        }
    }

    func waitingEvents(for destination: DestinationID, most: Int) -> [[UInt8]] {
        // What cannot be read at present is not shown.
        (try? consumer.waitingEvents(for: destination, most: most)) ?? []
    }

    func held(for destination: DestinationID) -> HeldEvents {
        if consumer.isOwnHeld(for: destination) { return .own }
        return consumer.isHeld(for: destination) ? .others : .none
    }

    func admissionChanged(for destination: DestinationID) {
        consumer.forgetHeld(for: destination)
    }

    func maintain(at moment: Moment) throws(DeliverySourceError) -> [String] {
        do throws(JournalError) {
            try consumer.maintain(at: moment)
            return consumer.obstacles.map(\.message)
        } catch {
            throw DeliverySourceError(error.message)
        }
    }

    var hasCompany: Bool { consumer.hasOtherWriters }

    func wasAsked() -> Bool {
        // A request that cannot be read now is read at the next look.
        guard let latest = try? consumer.deliveryRequest() else { return false }
        return request.withLock { request in
            defer { request = latest }
            return request != latest
        }
    }

    func close() {
        consumer.close()
    }
}
