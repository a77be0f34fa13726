// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
internal import TrackwayJournal

/// Finds erasures in a stream's records as they arrive.
///
/// Used by a collector whose tables receive erasures later: only after a forwarder has written the block, and not at
/// all while the tables are unreachable. Until then, a collector without an index would accept events that are never
/// stored.
package struct StreamedErasures: Sendable {
    /// The pause between checks for new records.
    private static let pause: Duration = .milliseconds(100)
    /// The pause after a failure.
    private static let failurePause: Duration = .seconds(1)

    /// The stream's records.
    package var records: any RecordStream
    /// Returns the highest known sequence of the stream.
    package var highest: @Sendable () -> UInt64
    /// Returns the sequence of the tables' last record; nil until they are reached.
    package var tables: @Sendable () -> UInt64?
    /// Whether an error of ``records`` means that a record is permanently gone.
    package var isGone: @Sendable (any Error) -> Bool
    /// Called with an erased installation and the sequence of the erasing record.
    package var found: @Sendable (InstallationID, UInt64) -> Void
    /// Called with a warning, one sentence; must return immediately.
    package var notice: @Sendable (String) -> Void
    /// The limits of admission, used for splitting batches.
    package var limits: AdmissionLimits
    /// Sleeps; returns early when the task is canceled.
    package var sleep: @Sendable (Duration) async -> Void

    /// Creates a finder of a stream's erasures.
    package init(
        records: any RecordStream,
        highest: @escaping @Sendable () -> UInt64,
        tables: @escaping @Sendable () -> UInt64?,
        isGone: @escaping @Sendable (any Error) -> Bool,
        found: @escaping @Sendable (InstallationID, UInt64) -> Void,
        notice: @escaping @Sendable (String) -> Void = { _ in },
        limits: AdmissionLimits = AdmissionLimits(),
        sleep: @escaping @Sendable (Duration) async -> Void
    ) {
        self.records = records
        self.highest = highest
        self.tables = tables
        self.isGone = isGone
        self.found = found
        self.notice = notice
        self.limits = limits
        self.sleep = sleep
    }

    /// Follows the stream until the task is canceled.
    ///
    /// Records that the tables have are not read. If the tables are unreachable at the start, reading begins with the
    /// records that arrive from then on; the earlier ones are read once the end of the tables is known.
    package func run() async {
        var place = Place()
        while !Task.isCancelled { await step(&place) }
    }

    /// The state of reading the stream.
    struct Place: Sendable, Hashable {
        /// The sequence of the next record; nil before the first step.
        var next: UInt64?
        /// Whether the end of the tables at the start is known.
        var knowsTables = false
        /// Whether the last read failed.
        var isFailing = false
    }

    /// Reads the next records, or waits.
    func step(_ place: inout Place) async {
        let last = highest()
        if !place.knowsTables, let written = tables() {
            place.knowsTables = true
            place.next = min(place.next ?? .max, written + 1)
        }
        let next = place.next ?? last + 1
        place.next = next
        guard next <= last else { return await sleep(Self.pause) }
        do {
            let read = try await records.records(
                from: LogPosition(stream: 0, sequence: next),
                upTo: LogPosition(stream: 0, sequence: last + 1)
            )
            for record in read {
                for installation in Self.erased(in: record, limits: limits) {
                    found(installation, record.start.streamSequence)
                }
                place.next = record.start.streamSequence + 1
            }
            place.isFailing = false
        } catch {
            if Task.isCancelled { return }
            if isGone(error) {
                // Purged records are in the tables, including the erasures in them.
                place.next = max(next + 1, (tables() ?? 0) + 1)
                return
            }
            if !place.isFailing {
                notice(
                    "Erasures cannot be read from the stream. Until the tables contain an erasure, events of that "
                        + "installation may be accepted, but they are not stored: \(error)"
                )
            }
            place.isFailing = true
            await sleep(Self.failurePause)
        }
    }

    /// Returns the installations that a record erases.
    ///
    /// Either an operator or the installation itself requested the erasure.
    ///
    /// - Complexity: O(inflated bytes) for a batch; a small part of the cost of splitting it.
    static func erased(in record: StreamedRecord, limits: AdmissionLimits) -> [InstallationID] {
        record.payload.withUnsafeBytes { payload in
            switch record.kind {
            // An unreadable request erases nothing; the process that fills the tables reports it.
            case .erasure?: (try? ErasureRecord(payload: payload)).map { [$0.installation] } ?? []
            // The same applies to a batch.
            case .intake?: (try? IntakeRecord(payload: payload)).map { erased(in: $0, limits: limits) } ?? []
            default: []
            }
        }
    }

    private static func erased(in batch: IntakeRecord, limits: AdmissionLimits) -> [InstallationID] {
        // Other formats cannot express erasures. Almost no batch contains one, and the others need not be split. A
        // batch that cannot be inflated erases nothing; the process that fills the tables reports it.
        guard batch.header.format == .trackway, (try? batch.mayHaveTombstone(limits: limits)) == true else { return [] }
        var erased: [InstallationID] = []
        // Events after an unreadable one are ignored.
        try? batch.visit(
            limits: limits,
            event: { event in
                guard let scan = event.scan, case .proved(let installation) = Tombstone(event.json, scan) else {
                    return
                }
                erased.append(installation)
            }
        )
        return erased
    }
}
