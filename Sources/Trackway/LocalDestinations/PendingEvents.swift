// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
public import TrackwayEvents
internal import TrackwayJournal
public import TrackwayWire

/// A snapshot of the events that were pending for a local destination.
///
/// It contains exactly the events that any thread of this process recorded before ``Analytics/pendingEvents(for:)`` was
/// called, and the events that other processes of the installation had written by then.
///
/// Reading needs constant memory for any number of events. Recording and other snapshots continue concurrently. If
/// events of the snapshot are removed, dropped or erased in the meantime, reading ends with a ``TrackwayError`` and
/// never returns a wrong result. Events that consent does not permit are left out.
///
/// Any thread may call. Every call reads files, so do not call on a thread that must not wait for the disk.
public struct PendingEvents: Sendable {
    private let snapshot: JournalSnapshot
    private let reporter: DiagnosticReporter

    init(_ snapshot: JournalSnapshot, _ reporter: DiagnosticReporter) {
        self.snapshot = snapshot
        self.reporter = reporter
    }

    /// The id of the local destination.
    public var target: DestinationID { snapshot.destination }

    /// The reasons why events of other processes are missing from this snapshot.
    ///
    /// Each sentence names a path and the remedy. Nearly always empty. A later snapshot contains these events.
    public var obstacles: [String] { snapshot.obstacles.map(\.message) }

    /// The last sequence number in the snapshot, by writer.
    package var places: [WriterID: UInt64] { snapshot.places }

    /// Returns the snapshot's events up to the given sequence number of each writer.
    ///
    /// Events of other writers are left out.
    package func prefix(through places: [WriterID: UInt64]) -> PendingEvents {
        PendingEvents(snapshot.prefix(through: places), reporter)
    }

    /// Calls a closure with each event until it returns false.
    ///
    /// Events are read in the order of recording. Events of several processes are read one process after another, in
    /// the order in which the processes started. An event that cannot be decoded is skipped and reported as a
    /// `Diagnostic`.
    ///
    /// - Parameter body: Returns whether to continue. It may throw, record events, and create other snapshots.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/snapshotOutdated`` if events of the snapshot were removed,
    ///   dropped or erased since it was created, ``TrackwayError/Code/snapshotEnded`` if its ``Analytics`` was
    ///   released, or ``TrackwayError/Code/storageUnavailable``; and any error that `body` throws.
    /// - Complexity: O(bytes that were recorded since the last removal); constant memory.
    public func readEvents(_ body: (RecordedEvent) throws -> Bool) throws {
        try readBatches { batch in
            var contexts: [UInt32: JSONValue] = [:]
            for context in batch.contexts {
                // Only a bug of the SDK could write a context that is not JSON; the missing context then reveals it.
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

    /// Calls a closure with each batch of events until it returns false.
    ///
    /// A `Destination` can encode each batch:
    ///
    /// ```swift
    /// try snapshot.readBatches { batch in
    ///     let request = try destination.request(for: batch, sentAt: Timestamp(Date()))
    ///     return try upload(request)
    /// }
    /// ```
    /// - Parameters:
    ///   - limits: The maximum size of a batch.
    ///   - body: Returns whether to continue.
    /// - Throws: The same errors as ``readEvents(_:)``.
    public func readBatches(of limits: BatchLimits = BatchLimits(), _ body: (EventBatch) throws -> Bool) throws {
        do {
            try snapshot.readBatches(events: limits.events, bytes: limits.bytes, body)
        } catch let error as JournalError {
            throw TrackwayError(error)
        }
    }

    /// Returns the number of events in the snapshot.
    ///
    /// - Throws: The same errors as ``readEvents(_:)``.
    /// - Complexity: Reads all events.
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

    /// Removes exactly the events of the snapshot, and counts them as delivered.
    ///
    /// When the call returns, the removal survives power loss. Events that were recorded later stay. A second call
    /// removes nothing.
    ///
    /// - Returns: The number of events that this call removed.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/deliveredElsewhere`` while another process of the
    ///   installation delivers, because only that process can remove events; with
    ///   ``TrackwayError/Code/snapshotOutdated`` if everything was erased; with ``TrackwayError/Code/snapshotEnded``;
    ///   or with ``TrackwayError/Code/storageUnavailable`` if the removal could not be written: call again.
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
    /// Creates a snapshot of a local destination's pending events.
    ///
    /// No event is read yet.
    ///
    /// - Parameter target: The id of a ``LocalDestination`` that is configured or was added.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/unknownDestination`` if no destination has this id, with
    ///   ``TrackwayError/Code/targetMismatch`` if the SDK delivers to it, or with
    ///   ``TrackwayError/Code/storageUnavailable`` if the folder cannot be read now.
    /// - Complexity: O(number of processes that left events).
    public func pendingEvents(for target: DestinationID) throws(TrackwayError) -> PendingEvents {
        try checkPresent(target)
        guard storage.journal.isKept(target) else {
            throw TrackwayError(
                .targetMismatch,
                "The events of \"\(target)\" cannot be read because the SDK delivers them and removes them itself.",
                recoverySuggestion: "Configure it as a local destination with .local(\"\(target)\")."
            )
        }
        let rules = runtimeOptions.withLock { $0.rules[target] ?? [] }
        do throws(JournalError) {
            return PendingEvents(
                try storage.journal.snapshot(
                    for: target,
                    admitting: delivery.consents.presentRule(for: target),
                    filtering: rules.isEmpty ? nil : RuleFilter(rules, for: target, of: storage.journal.installation)
                ),
                reporter
            )
        } catch {
            throw TrackwayError(error)
        }
    }

    /// The ids of the installation's local destinations, in ascending order.
    ///
    /// These are the local destinations that are configured or were added, and those for which earlier runs or other
    /// processes left events.
    ///
    /// - Complexity: O(number of processes that left events, times destinations); reads small files.
    public var localDestinationIDs: [DestinationID] {
        guard !isInChild else { return [] }
        // On failure, the destinations of other processes are unknown; the present ones are known without a file.
        let kept =
            (try? storage.journal.keptDestinations())
            ?? Set(storage.registry.present.filter { storage.journal.isKept($0) })
        return kept.sorted()
    }

    /// Returns the number of pending events for a local destination.
    ///
    /// 0 if they cannot be counted.
    func pendingLocalCount(for target: DestinationID) -> UInt64 {
        // Events that cannot be counted now count as none; a snapshot reports why. The consumer may have been closed in
        // the meantime.
        if let consumer = storage.journal.heldConsumer, let count = try? consumer.waiting(for: target) { return count }
        // The same applies here.
        return (try? storage.journal.countWaiting(for: target)) ?? 0
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
            case .snapshotEnded: "Keep the Analytics while its snapshots are used."
            case .deliveredElsewhere: "Make the call in the process that delivers, or stop that process first."
            default: "Make the storage folder readable and writable, and take another snapshot."
            }
        self.init(code, error.message.sentence, recoverySuggestion: suggestion, cause: error.cause)
    }

    /// Creates the error for a read whose body throws nothing.
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
