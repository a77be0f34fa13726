// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
internal import TrackwayJournal

/// Finds erasures in a stream's records as they arrive, for a collector whose tables learn of them later.
///
/// Tables know an erasure once a forwarder has written its block, and not at all while they cannot be reached. Until then a collector
/// without an index would accept events that are never kept.
package struct StreamedErasures: Sendable {
    /// Between two looks whether there are new records.
    private static let pause: Duration = .milliseconds(100)
    /// After a failure.
    private static let failurePause: Duration = .seconds(1)

    /// The stream's records.
    package var records: any RecordStream
    /// The sequence that the stream is known to have come to.
    package var highest: @Sendable () -> UInt64
    /// The sequence of the last record that the tables have; nil while they were never reached.
    package var tables: @Sendable () -> UInt64?
    /// Whether an error of ``records`` says that a record is gone for good.
    package var isGone: @Sendable (any Error) -> Bool
    /// Takes an erased installation, and the sequence of the record that says so.
    package var found: @Sendable (InstallationID, UInt64) -> Void
    /// Takes a warning, a sentence. It must return at once.
    package var notice: @Sendable (String) -> Void
    /// Those of admission, by which batches are taken apart.
    package var limits: AdmissionLimits
    /// Waits; ends early when the task is cancelled.
    package var sleep: @Sendable (Duration) async -> Void

    /// Erasures of a stream.
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

    /// Follows the stream until the task is cancelled. What is in the tables is not read; while these cannot be reached at the start, it
    /// begins with the records that arrive from then on, and reads the others once it is known where the tables end.
    package func run() async {
        var place = Place()
        while !Task.isCancelled { await step(&place) }
    }

    /// Where the reading is.
    struct Place: Sendable, Hashable {
        /// The sequence of the next record; nil before the first look.
        var next: UInt64?
        /// Whether it is known where the tables ended at the beginning.
        var knowsTables = false
        /// Whether the last read failed.
        var isFailing = false
    }

    /// Reads what there is next, or waits.
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
                // What was purged is in the tables, and with it whoever was erased.
                place.next = max(next + 1, (tables() ?? 0) + 1)
                return
            }
            if !place.isFailing {
                notice(
                    "Erasures cannot be read from the stream, so events of an installation that is erased now may be accepted until the tables "
                        + "have it; nothing of them is kept: \(error)"
                )
            }
            place.isFailing = true
            await sleep(Self.failurePause)
        }
    }

    /// The installations that a record erases: by an operator's order, or by themselves.
    ///
    /// - Complexity: O(inflated bytes) for a batch, a small part of what taking it apart costs.
    static func erased(in record: StreamedRecord, limits: AdmissionLimits) -> [InstallationID] {
        record.payload.withUnsafeBytes { payload in
            switch record.kind {
            // An order that cannot be read erases nothing; whoever fills the tables reports it.
            case .erasure?: (try? ErasureRecord(payload: payload)).map { [$0.installation] } ?? []
            // The same of a batch.
            case .intake?: (try? IntakeRecord(payload: payload)).map { erased(in: $0, limits: limits) } ?? []
            default: []
            }
        }
    }

    private static func erased(in batch: IntakeRecord, limits: AdmissionLimits) -> [InstallationID] {
        // Other formats have no word for it. Nearly no batch has one, and those need not be taken apart.
        // One that cannot be inflated erases nothing; whoever fills the tables reports it.
        guard batch.header.format == .trackway, (try? batch.mayHaveTombstone(limits: limits)) == true else { return [] }
        var erased: [InstallationID] = []
        // Behind an event that cannot be read there is none that counts.
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
