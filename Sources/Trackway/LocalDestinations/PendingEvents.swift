// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDelivery
public import TrackwayDestinationKit
internal import TrackwayJournal

/// A snapshot of the events that were pending for a local destination.
///
/// It contains exactly the events that any thread of this process recorded before ``Analytics/pendingEvents(for:)`` was
/// called, and the events that other processes of the installation had written by then.
///
/// Reading needs constant memory for any number of events. Recording and other snapshots continue concurrently. If
/// events of the snapshot are removed, dropped or erased in the meantime, reading ends with a ``TrackwayError`` and
/// never returns a wrong result. Events that consent does not permit are left out.
///
/// Callable from any thread. Every call reads files, so do not make one on a thread that must not wait for the disk.
public struct PendingEvents: Sendable {
    private let snapshot: JournalSnapshot
    private let reporter: DiagnosticReporter

    init(_ snapshot: JournalSnapshot, _ reporter: DiagnosticReporter) {
        self.snapshot = snapshot
        self.reporter = reporter
    }

    /// The id of the local destination.
    public var destinationID: DestinationID { snapshot.destination }

    /// The errors that caused events of other processes to be missing.
    ///
    /// The list is nearly always empty. A later snapshot contains the missing events.
    public var readErrors: [TrackwayError] { snapshot.writerProblems.map { TrackwayError($0) } }

    /// The last sequence number of each writer in the snapshot.
    package var places: [WriterID: UInt64] { snapshot.places }

    /// Returns the snapshot's events up to a sequence number per writer.
    ///
    /// Events of other writers are left out.
    package func prefix(through places: [WriterID: UInt64]) -> PendingEvents {
        PendingEvents(snapshot.prefix(through: places), reporter)
    }

    /// The events, in the order of recording.
    ///
    /// Events of several processes are read one process after another, in the order in which the processes started.
    public var events: Events { Events(batches: batches(), reporter: reporter) }

    /// Returns the events in batches that a `Destination` can encode.
    ///
    /// ```swift
    /// for try await batch in snapshot.batches(of: destination.limits) {
    ///     try await upload(destination.request(for: batch, sentAt: Timestamp(Date())))
    /// }
    /// ```
    /// - Parameter limits: The maximum size of a batch.
    public func batches(of limits: BatchLimits = BatchLimits()) -> Batches {
        Batches(snapshot: snapshot, limits: limits)
    }

    /// Returns the number of events in the snapshot.
    ///
    /// - Throws: The same errors as ``Batches/AsyncIterator/next()``.
    /// - Complexity: Reads all events.
    public func countEvents() throws(TrackwayError) -> Int {
        var count = 0
        var iterator = batches().makeAsyncIterator()
        while let batch = try iterator.next() { count += batch.records.count }
        return count
    }

    /// Removes exactly the events of the snapshot, and counts them as delivered.
    ///
    /// When the call returns, the removal survives power loss. Events that were recorded later are kept. A second call
    /// removes nothing.
    ///
    /// - Returns: The number of events that this call removed.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/deliveredElsewhere`` while another process of the
    ///   installation delivers, because only that process can remove events; with
    ///   ``TrackwayError/Code/snapshotOutdated`` if everything was erased; with ``TrackwayError/Code/snapshotEnded``;
    ///   or with ``TrackwayError/Code/storageUnavailable`` if the removal could not be written, in which case the call
    ///   can be repeated.
    /// - Complexity: O(bytes recorded since the last removal); constant memory.
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
    /// - Parameter id: The id of a local destination that is configured or was added.
    /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/unknownDestination`` if no destination has this id, with
    ///   ``TrackwayError/Code/destinationKindMismatch`` if the SDK delivers that destination's events, or with
    ///   ``TrackwayError/Code/storageUnavailable`` if the folder currently cannot be read.
    /// - Complexity: O(number of processes that left events).
    public func pendingEvents(for id: DestinationID) throws(TrackwayError) -> PendingEvents {
        try requireDestination(id)
        guard storage.journal.isAppManaged(id) else {
            throw TrackwayError(
                .destinationKindMismatch,
                "The events of \"\(id)\" cannot be read because the SDK delivers them and removes them itself.",
                recoverySuggestion: "Configure it as a local destination with .local(\"\(id)\")."
            )
        }
        let rules = runtimeOptions.withLock { $0.rules[id] ?? [] }
        do throws(JournalError) {
            return PendingEvents(
                try storage.journal.snapshot(
                    for: id,
                    admitting: delivery.consents.currentRule(for: id),
                    filtering: rules.isEmpty ? nil : RuleFilter(rules, for: id, of: storage.journal.installation)
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
        // On failure, the destinations of other processes are unknown; those of this process are known without a file.
        let localIDs =
            (try? storage.journal.appManagedDestinations())
            ?? Set(storage.registry.present.filter { storage.journal.isAppManaged($0) })
        return localIDs.ordered()
    }

    /// Returns the number of pending events for a local destination.
    ///
    /// 0 if the events cannot be counted.
    func pendingLocalCount(for id: DestinationID) -> UInt64 {
        // If the events cannot be counted, the number is 0; a snapshot reports the reason. The consumer may have been
        // closed in the meantime.
        if let consumer = storage.journal.heldConsumer, let count = try? consumer.waitingCount(for: id) {
            return count
        }
        // If this count fails, the number is also 0.
        return (try? storage.journal.countWaiting(for: id)) ?? 0
    }
}

extension TrackwayError {
    init(_ error: JournalError) {
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
            case .snapshotEnded: "Keep the Analytics alive while its snapshots are used."
            case .deliveredElsewhere: "Make the call in the process that delivers, or stop that process first."
            default: "Make the storage folder readable and writable, and take another snapshot."
            }
        self.init(code, error.message.sentence, recoverySuggestion: suggestion, cause: error.cause)
    }
}
