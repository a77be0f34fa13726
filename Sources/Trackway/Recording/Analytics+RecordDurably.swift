// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayJournal

extension Analytics {
    /// Records an event and returns when it survives power loss.
    ///
    /// The event is recorded as with ``record(_:_:items:to:)`` before the wait begins. Concurrent callers share one
    /// disk flush, which runs on an SDK thread. Canceling the task neither removes the event nor ends the wait.
    ///
    /// - Parameters:
    ///   - name: The event's name.
    ///   - attributes: The event's attributes, in order.
    ///   - items: The items that the event is about.
    ///   - route: The destinations that receive the event; all by default.
    /// - Returns: A receipt with the durability ``Receipt/Durability/disk``.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/notRecorded`` if the event was not recorded, or with
    ///   ``TrackwayError/Code/notDurable`` if it was recorded but the disk did not confirm it. In the latter case, the
    ///   event is still delivered unless the power fails first.
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
    /// - Returns: The same as ``recordDurably(_:_:items:to:)``.
    /// - Throws: The same as ``recordDurably(_:_:items:to:)``.
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
                    ? "The event \"\(name)\" was not recorded because one of the app's interceptors dropped it "
                        + "(\(reason))."
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
            // A successful flush does not prove that data from an earlier, failed flush was written.
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
