// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// The journal's delivery desk as a delivery source.
final class JournalSource: DeliverySource {
    private let journal: Journal
    private let desk: DeliveryDesk
    /// The last request for delivery that was seen.
    private let request: Locked<[UInt8]?>

    init(_ desk: DeliveryDesk, of journal: Journal) {
        self.journal = journal
        self.desk = desk
        // What was asked before the election is about to happen anyway.
        request = Locked((try? desk.deliveryRequest()) ?? nil)
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
            let batch = try desk.read(for: destination, limits: limits, admitting: rule, onlyReleased: onlyReleased)
            return batch.map { LeasedBatch(events: $0.events, lease: $0) }
        } catch {
            throw DeliverySourceError(error.message)
        }
    }

    func settle(
        _ batch: LeasedBatch,
        records: Range<Int>,
        setAside: [Refusal]
    ) throws(DeliverySourceError) -> String? {
        guard let lent = batch.lease as? JournalBatch else {
            throw DeliverySourceError("The batch was not lent by this journal.")
        }
        let setAside = setAside.map { refusal in
            SetAside(
                sequence: batch.events.records[refusal.index].sequence,
                reason: refusal.reason,
                code: refusal.code,
                message: refusal.message
            )
        }
        do throws(JournalError) {
            try desk.settle(lent, records: records, delivered: records.count - setAside.count, setAside: setAside)
            return nil
        } catch {
            // The desk keeps what storage refuses, and writes it with the next cursor.
            guard error.code == .storage else { throw DeliverySourceError(error.message) }
            return error.message
        }
    }

    func release(_ batch: LeasedBatch) {
        if let lent = batch.lease as? JournalBatch { desk.release(lent) }
    }

    func pending(for destination: DestinationID) -> UInt64? {
        // nil says that they cannot be counted at present.
        guard let events = try? desk.deliverable(for: destination) else { return nil }
        // What no event will carry is worth a request of its own.
        return events == 0 && desk.isUntold(destination) ? 1 : events
    }

    func released(for destination: DestinationID) -> UInt64? {
        // nil says that they cannot be counted at present.
        guard let events = try? desk.released(for: destination, leavingOutHeld: true) else { return nil }
        // What the next transfer can tell is no reason to send before it.
        return events == 0 && desk.owesSkips(destination) ? 1 : events
    }

    func tellAll(to destination: DestinationID) {
        desk.tellAll(to: destination)
    }

    func waiting(for destination: DestinationID) -> UInt64? {
        try? desk.waiting(for: destination)  // nil says that they cannot be counted at present.
    }

    func transfer(for destination: DestinationID) throws(DeliverySourceError) -> UInt64 {
        do throws(JournalError) {
            return try desk.transfer(for: destination)
        } catch {
            throw DeliverySourceError(error.message)
        }
    }

    func waitingEvents(for destination: DestinationID, most: Int) -> [[UInt8]] {
        // What cannot be read at present is not shown.
        (try? desk.waitingEvents(for: destination, most: most)) ?? []
    }

    func held(for destination: DestinationID) -> HeldEvents {
        if desk.isOwnHeld(for: destination) { return .own }
        return desk.isHeld(for: destination) ? .others : .none
    }

    func admissionChanged(for destination: DestinationID) {
        desk.forgetHeld(for: destination)
    }

    func tend(at moment: Moment) throws(DeliverySourceError) -> [String] {
        do throws(JournalError) {
            try desk.tend(at: moment)
            return desk.obstacles.map(\.message)
        } catch {
            throw DeliverySourceError(error.message)
        }
    }

    var hasCompany: Bool { desk.hasOtherWriters }

    func wasAsked() -> Bool {
        // A request that cannot be read now is read at the next look.
        guard let latest = try? desk.deliveryRequest() else { return false }
        return request.withLock { request in
            defer { request = latest }
            return request != latest
        }
    }

    func close() {
        desk.close()
    }
}
