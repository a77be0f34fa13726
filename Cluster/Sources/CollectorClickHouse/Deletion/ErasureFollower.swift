// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore
internal import TrackwayJournal

/// Finds erasures in a stream's records as they arrive.
///
/// Used by a collector without an index, because the tables receive erasures later: only after a forwarder has written
/// the block, and not at all while the tables are unreachable. Until then, the collector would accept events that are
/// never stored.
package struct ErasureFollower: Sendable {
    /// The pause between checks for new records.
    private static let pause: Duration = .milliseconds(100)
    /// The pause after a failure.
    private static let failurePause: Duration = .seconds(1)

    /// The stream's records.
    package var records: any RecordStream
    /// Returns the highest known sequence of the stream.
    package var streamEnd: @Sendable () -> UInt64
    /// Returns the sequence of the tables' last record.
    ///
    /// Nil until the tables have been reached.
    package var tableEnd: @Sendable () -> UInt64?
    /// Returns whether an error from ``records`` means a permanently missing record.
    package var isPermanentlyMissing: @Sendable (any Error) -> Bool
    /// Called with an erased installation and the sequence of the erasing record.
    package var onErasure: @Sendable (InstallationID, UInt64) -> Void
    /// Called with a one-sentence warning; must return immediately.
    package var onWarning: @Sendable (String) -> Void
    /// The admission limits, used for splitting batches.
    package var limits: AdmissionLimits
    /// Sleeps; returns early when the task is canceled.
    package var sleep: @Sendable (Duration) async -> Void

    /// Creates a follower of a stream's erasures.
    package init(
        records: any RecordStream,
        streamEnd: @escaping @Sendable () -> UInt64,
        tableEnd: @escaping @Sendable () -> UInt64?,
        isPermanentlyMissing: @escaping @Sendable (any Error) -> Bool,
        onErasure: @escaping @Sendable (InstallationID, UInt64) -> Void,
        onWarning: @escaping @Sendable (String) -> Void = { _ in },
        limits: AdmissionLimits = AdmissionLimits(),
        sleep: @escaping @Sendable (Duration) async -> Void
    ) {
        self.records = records
        self.streamEnd = streamEnd
        self.tableEnd = tableEnd
        self.isPermanentlyMissing = isPermanentlyMissing
        self.onErasure = onErasure
        self.onWarning = onWarning
        self.limits = limits
        self.sleep = sleep
    }

    /// Follows the stream until the task is canceled.
    ///
    /// Records that are already in the tables are not read. If the tables are unreachable at the start, reading begins
    /// with the records that arrive from then on. Earlier records are read once the end of the tables is known.
    package func run() async {
        var state = ReadState()
        while !Task.isCancelled { await step(&state) }
    }

    /// The state of reading the stream.
    struct ReadState: Sendable, Hashable {
        /// The sequence of the next record; nil before the first step.
        var next: UInt64?
        /// Whether it is known where the tables ended when reading began.
        var isTableEndKnown = false
        /// Whether the last read failed.
        var isFailing = false
    }

    /// Reads the next records, or waits.
    func step(_ state: inout ReadState) async {
        let last = streamEnd()
        if !state.isTableEndKnown, let written = tableEnd() {
            state.isTableEndKnown = true
            state.next = min(state.next ?? .max, written + 1)
        }
        let next = state.next ?? last + 1
        state.next = next
        guard next <= last else { return await sleep(Self.pause) }
        do {
            let read = try await records.records(
                from: LogPosition(stream: 0, sequence: next),
                upTo: LogPosition(stream: 0, sequence: last + 1)
            )
            for record in read {
                for installation in Self.erased(in: record, limits: limits) {
                    onErasure(installation, record.start.streamSequence)
                }
                state.next = record.start.streamSequence + 1
            }
            state.isFailing = false
        } catch {
            if Task.isCancelled { return }
            if isPermanentlyMissing(error) {
                // Purged records are in the tables, including their erasures.
                state.next = max(next + 1, (tableEnd() ?? 0) + 1)
                return
            }
            if !state.isFailing {
                onWarning(
                    "Erasures cannot be read from the stream. Until the tables contain an erasure, events from the "
                        + "erased installation may be accepted but are not stored. Cause: \(error)"
                )
            }
            state.isFailing = true
            await sleep(Self.failurePause)
        }
    }

    /// Returns the installations that a record erases.
    ///
    /// Either an operator or the installation itself requested the erasure.
    ///
    /// - Complexity: O(inflated bytes) for a batch; a small fraction of the cost of splitting it.
    static func erased(in record: StreamedRecord, limits: AdmissionLimits) -> [InstallationID] {
        record.payload.withUnsafeBytes { payload in
            switch record.kind {
            // An unreadable request erases nothing; the process that fills the tables reports it.
            case .erasure?: (try? ErasureRecord(payload: payload)).map { [$0.installation] } ?? []
            // The same applies to an unreadable batch.
            case .intake?: (try? IntakeRecord(payload: payload)).map { erased(in: $0, limits: limits) } ?? []
            default: []
            }
        }
    }

    private static func erased(in batch: IntakeRecord, limits: AdmissionLimits) -> [InstallationID] {
        // Other formats cannot express erasures. Almost no batch contains an erasure, and batches without one need not
        // be split. A batch that cannot be inflated erases nothing; the process that fills the tables reports it.
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
