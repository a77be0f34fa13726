// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// Whose a record is: that of the one installation to which all that is in it belongs. So it can be deleted when that is erased.
public struct RecordOwner: Sendable, Hashable {
    /// The installation.
    public var installation: InstallationID
    /// How many events of it count as erased when the installation is: those that were accepted, repeats included.
    public var events: Int
    /// Where what it admits was refused at first; nil when it admits nothing again.
    public var origin: EventPosition?

    /// The owner of a record; nil when something in it belongs to somebody else or to nobody, when it orders an erasure, which has to stay, and
    /// when it is no batch.
    ///
    /// - Parameters:
    ///   - start: Where it begins.
    ///   - limits: Those of admission.
    /// - Complexity: O(bytes).
    public init?(_ record: KeptRecord, at start: LogPosition, limits: AdmissionLimits) {
        guard case .batch(let batch, _, _) = record else { return nil }
        let sink = Sink()
        do {
            try RecordWalk(sink, limits: limits).enter(record, at: start)
        } catch {
            // The sink has no failures of its own, and everything else is told to it.
            return nil
        }
        guard let owner = sink.owner, !sink.hasOthers, !sink.hasOrder else { return nil }
        // What cannot be read of a body of our own format belongs to the one installation that it names; another may name more of them.
        guard !sink.isTorn || batch.header.format == .trackway else { return nil }
        installation = owner
        events = sink.events
        origin = batch.header.replayed?.position
    }

    /// Looks whose everything in a record is.
    private final class Sink: RecordSink {
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

        /// Something of whoever has begun.
        private func met() { if current == nil { hasOthers = true } }

        func account(_ range: ClosedRange<UInt64>, _ kind: RangeKind, reason: String) { met() }

        func context(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) { met() }

        func event(_ event: WalkedEvent) {
            met()
            events += 1
            waiting += 1
        }

        func store() -> Int {
            defer { waiting = 0 }
            return waiting
        }

        func failed(_ failure: FailedEvent, sequence: UInt64?) { met() }

        func unreadable(_ payload: [UInt8], length: Int, at start: LogPosition, _ message: String) { isTorn = true }

        func erase(_ order: ErasureOrder, sequence: UInt64?) { hasOrder = true }

        // What else a record says is about others, or about what follows here.

        func admitted(at place: EventPosition) {}

        func refusedAgain(_ fault: RejectedEvent, at place: EventPosition) {}

        func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) {}

        func countErased(_ record: ErasureRecord) {}

        func end() {}
    }
}
