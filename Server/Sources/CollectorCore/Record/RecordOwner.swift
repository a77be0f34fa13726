// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// The installation that owns everything in a record.
///
/// A record with such an owner can be deleted when the installation is erased.
public struct RecordOwner: Sendable, Hashable {
    /// The installation.
    public var installation: InstallationID
    /// The number of the record's events that count as erased.
    ///
    /// These are the accepted events, including duplicates. They are erased with the installation.
    public var events: Int
    /// The position where the record's replayed events were first rejected.
    ///
    /// Nil if the record is not a replay.
    public var origin: EventPosition?

    /// Determines the owner of a record.
    ///
    /// Nil if the record has no single owner, or is not a batch. Also nil if the record requests an erasure, because
    /// such a record must remain.
    ///
    /// - Parameters:
    ///   - start: The position where the record begins.
    ///   - limits: The limits of admission.
    /// - Complexity: O(bytes).
    public init?(_ record: ParsedRecord, at start: LogPosition, limits: AdmissionLimits) {
        guard case .batch(let batch, _, _) = record else { return nil }
        let sink = Sink()
        do {
            try RecordVisitor(sink, limits: limits).enter(record, at: start)
        } catch {
            // The sink never fails itself, and all other errors are reported to it.
            return nil
        }
        guard let owner = sink.owner, !sink.hasOthers, !sink.hasOrder else { return nil }
        // The unreadable part of a body in our own format belongs to the one installation that it names; in another
        // format, the part may name other installations.
        guard !sink.isTorn || batch.header.format == .trackway else { return nil }
        installation = owner
        events = sink.events
        origin = batch.header.replayed?.position
    }

    /// Determines the owner of everything in a record.
    private final class Sink: RecordConsumer {
        private(set) var owner: InstallationID?
        private(set) var hasOthers = false
        private(set) var hasOrder = false
        private(set) var isTorn = false
        private(set) var events = 0
        private var current: InstallationID?
        private var waiting = 0

        func isOwnFailure(_ error: any Error) -> Bool { false }

        func begin(
            installation: InstallationID?,
            writer: WriterID?,
            recorded: UInt64?,
            received: Timestamp,
            key: String
        ) {
            current = installation
            guard let installation else { return }
            if owner == nil { owner = installation }
            if owner != installation { hasOthers = true }
        }

        /// Records that the current part has content.
        private func noteContent() { if current == nil { hasOthers = true } }

        func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String) { noteContent() }

        func context(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) { noteContent() }

        func event(_ event: VisitedEvent) {
            noteContent()
            events += 1
            waiting += 1
        }

        func store() -> Int {
            defer { waiting = 0 }
            return waiting
        }

        func failed(_ failure: FailedEvent, sequence: UInt64?) { noteContent() }

        func unreadable(_ payload: [UInt8], length: Int, at start: LogPosition, _ message: String) { isTorn = true }

        func erase(_ order: DeletionRequest, sequence: UInt64?) { hasOrder = true }

        // The remaining contents of a record relate to other records, or to events that are reported separately.

        func admittedOnReplay(at place: EventPosition) {}

        func rejectedOnReplay(_ fault: RejectedEvent, at place: EventPosition) {}

        func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) {}

        func countErased(_ record: ErasureRecord) {}

        func end() {}
    }
}
