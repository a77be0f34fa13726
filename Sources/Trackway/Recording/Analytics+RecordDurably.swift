// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayJournal

extension Analytics {
    /// Records an event and returns when it survives power loss.
    ///
    /// The event is recorded as by ``record(_:_:items:to:)`` before the call waits. Callers that wait at the same time share
    /// one flush of the disk, which runs on a thread of the SDK. Canceling the task neither removes the event nor ends the
    /// wait.
    ///
    /// - Parameters:
    ///   - name: the name of the event.
    ///   - attributes: the event's attributes, in order.
    ///   - items: the items that the event is about.
    ///   - route: the destinations that receive the event; all by default.
    /// - Returns: a receipt with the durability ``Receipt/Durability/disk``.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/notRecorded`` when the event was not recorded, or with
    ///   ``TrackwayError/Code/notDurable`` when it was recorded but the disk did not confirm it; it is then still delivered
    ///   unless the power fails first.
    @discardableResult
    public func recordDurably(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        to route: Route = .all
    ) async throws(TrackwayError) -> Receipt {
        try await makeDurable(record(name, attributes, items: items, to: route), name)
    }

    /// Records a typed event and returns when it survives power loss.
    ///
    /// - Returns: As for ``recordDurably(_:_:items:to:)``.
    /// - Throws: As for ``recordDurably(_:_:items:to:)``.
    @discardableResult
    public func recordDurably(
        _ event: some TypedEvent,
        to route: Route = .all
    ) async throws(TrackwayError) -> Receipt {
        try await makeDurable(record(event, to: route), type(of: event).name)
    }

    private func makeDurable(_ receipt: Receipt, _ name: String) async throws(TrackwayError) -> Receipt {
        if !receipt.isRecorded {
            let reason = receipt.dropped.map { "\($0)" } ?? "unknown"
            if receipt.dropped == .forked { throw .inChild }
            throw TrackwayError(
                .notRecorded,
                receipt.dropped == .intercepted
                    ? "The event \"\(name)\" was not recorded because an interceptor of the app dropped it (\(reason))."
                    : "The event \"\(name)\" was not recorded (\(reason)).",
                recoverySuggestion: receipt.dropped == .intercepted
                    ? nil
                    : receipt.sequence == 0
                        ? "Set consent, enable the SDK or correct the destinations, then record it again."
                        : "Free some space, or make the storage folder writable, then record it again."
            )
        }
        do throws(JournalError) {
            try await storage.commits.commit()
            // A flush that succeeds proves nothing for what an earlier one has failed on.
            guard storage.journal.isDurable(receipt.sequence) else { throw JournalError.doubtful(receipt.sequence) }
        } catch {
            throw TrackwayError(
                .notDurable,
                "The event \"\(name)\" is recorded, but stable storage did not confirm it. It is delivered unless the "
                    + "power fails first.",
                recoverySuggestion: "Do not record it again.",
                cause: error
            )
        }
        return Receipt(id: receipt.id, sequence: receipt.sequence, .recorded(.disk))
    }
}
