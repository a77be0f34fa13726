// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal
public import TrackwayWire

/// What waited for a target of the app's when ``Analytics/pendingEvents(for:)`` was called: exactly the events recorded before, by any
/// thread of this process, and what other processes of the installation had written.
///
/// Reading streams: memory stays constant however much waits, and recording goes on meanwhile, as do other snapshots. What
/// happens to the events in between (another snapshot removes them, the journal gives them up, everything is erased) ends the
/// reading with a ``TrackwayError``, never with a wrong answer. Events that consent does not let leave are not shown.
///
/// Any thread may call. Every call reads files; call from where a disk may be waited for.
public struct PendingEvents: Sendable {
    private let snapshot: JournalSnapshot
    private let reporter: DiagnosticReporter

    init(_ snapshot: JournalSnapshot, _ reporter: DiagnosticReporter) {
        self.snapshot = snapshot
        self.reporter = reporter
    }

    /// Whose events these are.
    public var target: DestinationID { snapshot.destination }

    /// Why the events of other processes of the installation are missing in this snapshot: each a sentence that names a path and
    /// the remedy. Empty nearly always; a later snapshot has them.
    public var obstacles: [String] { snapshot.obstacles.map(\.message) }

    /// The last sequence number that the snapshot shows, by writer.
    package var places: [WriterID: UInt64] { snapshot.places }

    /// The snapshot's events up to the given sequence number of each writer; none of a writer that is not named.
    package func prefix(through places: [WriterID: UInt64]) -> PendingEvents {
        PendingEvents(snapshot.prefix(through: places), reporter)
    }

    /// Calls `body` with each event, in the order of recording, until it returns false. Events of several processes come one
    /// process after the other, in the order they were started.
    ///
    /// An event that cannot be decoded is passed over with a `Diagnostic`.
    ///
    /// - Parameter body: says whether to go on. It may throw, record, and make other snapshots.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/snapshotOutdated`` when events of the snapshot were removed, given up
    ///   or erased since it was made; ``TrackwayError/Code/snapshotEnded`` when the ``Analytics`` it was made of is gone;
    ///   ``TrackwayError/Code/storageUnavailable``. And whatever `body` throws.
    /// - Complexity: O(bytes that were recorded since the last removal); constant memory.
    public func readEvents(_ body: (RecordedEvent) throws -> Bool) throws {
        try readBatches { batch in
            var contexts: [UInt32: JSONValue] = [:]
            for context in batch.contexts {
                // A context that is no JSON would be the SDK's own mistake, and the missing context shows it.
                contexts[context.generation] = try? JSONValue.parse(Array(batch.bytes[context.content]))
            }
            for record in batch.records {
                let event: Event
                do throws(JSONError) {
                    event = try Event(json: Array(batch.bytes[record.payload]))
                } catch {
                    reporter.report(.eventNotReadable(record.sequence, of: target, error))
                    continue
                }
                let recorded = RecordedEvent(
                    event: event,
                    context: contexts[record.context] ?? .null,
                    sequence: record.sequence,
                    writer: batch.writer
                )
                guard try body(recorded) else { return false }
            }
            return true
        }
    }

    /// Calls `body` with a batch of events after the other, as a `Destination` encodes them, until it returns false:
    ///
    /// ```swift
    /// try snapshot.readBatches { batch in
    ///     let request = try destination.request(for: batch, sentAt: Timestamp(Date()))
    ///     return try upload(request)
    /// }
    /// ```
    /// - Parameters:
    ///   - limits: how large a batch is at most.
    ///   - body: says whether to go on.
    /// - Throws: as ``readEvents(_:)``.
    public func readBatches(of limits: BatchLimits = BatchLimits(), _ body: (EventBatch) throws -> Bool) throws {
        do {
            try snapshot.readBatches(events: limits.events, bytes: limits.bytes, body)
        } catch let error as JournalError {
            throw TrackwayError(error)
        }
    }

    /// How many events the snapshot shows.
    ///
    /// - Throws: as ``readEvents(_:)``.
    /// - Complexity: reads them all.
    public func countEvents() throws(TrackwayError) -> Int {
        var count = 0
        do {
            try snapshot.readBatches { batch in
                count += batch.records.count
                return true
            }
        } catch {
            throw TrackwayError(reading: error)
        }
        return count
    }

    /// Removes exactly the snapshot's events. When this returns, that survives power loss; the ledger counts them as delivered.
    ///
    /// Events that are gone already are left as they are, so a second call removes nothing. Events that were recorded since
    /// stay.
    ///
    /// - Returns: how many events this call removed.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/deliveredElsewhere`` while another process of the installation
    ///   delivers: it alone can remove events, or this process once that one has ended; with
    ///   ``TrackwayError/Code/snapshotOutdated`` when everything was erased, ``TrackwayError/Code/snapshotEnded``,
    ///   ``TrackwayError/Code/storageUnavailable`` when it could not be written down: call again.
    /// - Complexity: O(bytes that were recorded since the last removal); constant memory.
    @discardableResult
    public func remove() throws(TrackwayError) -> Int {
        do throws(JournalError) {
            return Int(clamping: try snapshot.remove())
        } catch {
            throw TrackwayError(error)
        }
    }
}

extension Analytics {
    /// Everything that waits for a target of the app's now. Cheap: nothing is read yet.
    ///
    /// - Parameter target: the id of an ``LocalDestination`` that is configured or was added.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/unknownDestination`` when nothing has this id, with
    ///   ``TrackwayError/Code/targetMismatch`` when it is delivered by the SDK, with
    ///   ``TrackwayError/Code/storageUnavailable`` when the folder cannot be read now.
    /// - Complexity: O(number of processes that left events).
    public func pendingEvents(for target: DestinationID) throws(TrackwayError) -> PendingEvents {
        try checkPresent(target)
        guard journal.isKept(target) else {
            throw TrackwayError(
                .targetMismatch,
                "The events of \"\(target)\" cannot be read because the SDK delivers them and removes them itself.",
                recoverySuggestion: "Configure it as a target with .target(\"\(target)\")."
            )
        }
        let rules = runtimeOptions.withLock { $0.rules[target] ?? [] }
        do throws(JournalError) {
            return PendingEvents(
                try journal.snapshot(
                    for: target,
                    admitting: consents.presentRule(for: target),
                    filtering: rules.isEmpty ? nil : RuleFilter(rules, for: target, of: journal.installation)
                ),
                reporter
            )
        } catch {
            throw TrackwayError(error)
        }
    }

    /// The local destinations of the installation, in the order of their ids.
    ///
    /// These are the ones that are configured or were added, and the ones for which earlier runs or other processes left events.
    ///
    /// - Complexity: O(number of processes that left events, times destinations); reads small files.
    public var localDestinationIDs: [DestinationID] {
        guard !isInChild else { return [] }
        // Those of other processes cannot be read on failure; the present ones are known without a file.
        let kept = (try? journal.keptDestinations()) ?? Set(registry.present.filter { journal.isKept($0) })
        return kept.sorted()
    }

    /// How many events wait for a target; 0 also while nothing can be counted.
    func targetCount(for target: DestinationID) -> UInt64 {
        // What cannot be counted at present counts as none; a snapshot says why. The consumer may have been closed meanwhile.
        if let consumer = journal.heldConsumer, let count = try? consumer.waiting(for: target) { return count }
        // As above.
        return (try? journal.countWaiting(for: target)) ?? 0
    }
}

extension TrackwayError {
    fileprivate init(_ error: JournalError) {
        let code: Code =
            switch error.code {
            case .outOfOrder: .snapshotOutdated
            case .closed: .snapshotEnded
            case .locked: .deliveredElsewhere
            default: .storageUnavailable
            }
        let suggestion =
            switch code {
            case .snapshotOutdated: "Take another snapshot."
            case .snapshotEnded: "Keep the Analytics as long as its snapshots are used."
            case .deliveredElsewhere: "Make the call in the process that delivers, or stop that process first."
            default: "Make the storage folder readable and writable, and take another snapshot."
            }
        self.init(code, error.message.sentence, recoverySuggestion: suggestion, cause: error.cause)
    }

    /// What ends reading where the body throws nothing.
    fileprivate init(reading error: any Error) {
        if let error = error as? JournalError {
            self.init(error)
        } else {
            self.init(
                .storageUnavailable,
                "The snapshot cannot be read.",
                recoverySuggestion: "Take another snapshot.",
                cause: error
            )
        }
    }
}

extension Diagnostic {
    fileprivate static func eventNotReadable(
        _ sequence: UInt64,
        of target: DestinationID,
        _ error: JSONError
    ) -> Diagnostic {
        Diagnostic(
            code: .eventNotReadable,
            field: "\(target)",
            value: "event \(sequence): \(error)",
            message: "Event \(sequence) of \"\(target)\" was skipped because it cannot be decoded (\(error)). "
                + "Removing the snapshot removes it with the others.",
            recoverySuggestion: "Call readBatches to get its bytes."
        )
    }
}
