// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit
public import TrackwayJournal

/// Decides which previously rejected events can be admitted.
///
/// A pure function of the record that contains the events, the current rules, and the time.
///
/// Admitted events form a new batch that states its origin. They get the ids that they would have had on arrival, so
/// they count once no matter how many times they are admitted.
public struct Replay: Sendable {
    /// The outcome for the rejected events of one record.
    public struct Outcome: Sendable, Hashable {
        /// The record of kind `intake` to commit; nil if nothing changes.
        public var record: [UInt8]?
        /// The number of admitted events.
        public var admitted = 0
        /// The number of events or whole batches rejected for a new reason.
        public var refused = 0
        /// The number of events or whole batches rejected for an unchanged reason.
        public var unchanged = 0
        /// The events and batches that cannot be checked again.
        public var lost: [Loss] = []
    }

    /// A rejected event or batch that cannot be checked again.
    public struct Loss: Sendable, Hashable {
        /// The reason why an event or batch cannot be checked again.
        public enum Reason: String, Sendable, Hashable {
            /// The event or batch is no longer in the log, or cannot be read.
            case unreadable
            /// Only a part of the batch was stored.
            case cut
            /// The event or batch was sent in another format, which is translated on arrival.
            case otherFormat = "other_format"
            /// The event's first member would make it a different kind of line.
            case ambiguous
            /// The event's installation was erased.
            case erased = "installation_erased"
        }

        /// The position of the event or batch.
        public var position: EventPosition
        /// The reason why the event or batch cannot be checked again.
        public var reason: Reason
    }

    private let admission: Admission
    private let at: Timestamp
    private let key: String
    private let isErased: @Sendable (InstallationID) -> Bool

    /// Creates a replay.
    ///
    /// - Parameters:
    ///   - admission: The current rules.
    ///   - at: The current time, by the collector's clock.
    ///   - key: The name of the operator's key.
    ///   - isErased: Returns whether an installation was erased.
    public init(
        admission: Admission,
        at: Timestamp,
        key: String,
        isErased: @escaping @Sendable (InstallationID) -> Bool
    ) {
        self.admission = admission
        self.at = at
        self.key = key
        self.isErased = isErased
    }

    /// Checks rejected events of one record again.
    ///
    /// - Parameters:
    ///   - failed: The events or the batch, all from one record.
    ///   - kind: The record's kind; nil if the log does not contain the record.
    ///   - payload: The record.
    /// - Complexity: O(inflated bytes).
    public func outcome(of failed: [FailedEvent], kind: FrameKind?, payload: [UInt8]) -> Outcome {
        do {
            switch kind {
            case .intake:
                let record = try payload.withUnsafeBytes { try IntakeRecord(payload: $0) }
                return try events(failed, of: record)
            case .quarantine:
                let record = try payload.withUnsafeBytes { try QuarantineRecord(payload: $0) }
                return batch(failed, record)
            default: return lost(failed, .unreadable)
            }
        } catch {
            return lost(failed, .unreadable)
        }
    }

    private func lost(_ failed: [FailedEvent], _ reason: Loss.Reason) -> Outcome {
        var outcome = Outcome()
        outcome.lost = failed.map { Loss(position: $0.position, reason: reason) }
        return outcome
    }

    // MARK: Events of an accepted batch

    private func events(_ failed: [FailedEvent], of record: IntakeRecord) throws -> Outcome {
        guard record.header.format == .trackway else { return lost(failed, .otherFormat) }
        var missing = Dictionary(failed.map { ($0.position.ordinal, $0) }, uniquingKeysWith: { first, _ in first })
        var outcome = Outcome()
        var batch = ReplayedBatch()
        try record.visit(
            limits: Self.withoutSizeLimits(admission.limits),
            header: { batch.header = $0 },
            event: { event in
                guard let failure = missing.removeValue(forKey: event.ordinal) else { return }
                if let sender = batch.header?.installation, isErased(sender) {
                    outcome.lost.append(Loss(position: failure.position, reason: .erased))
                } else if event.isAmbiguous {
                    outcome.lost.append(Loss(position: failure.position, reason: .ambiguous))
                } else if let fault = BatchInspection.fault(
                    in: event.json,
                    index: event.ordinal,
                    limits: admission.limits,
                    hasSendTime: batch.header?.sent != nil
                ) {
                    if failure.isRefused(as: fault) {
                        outcome.unchanged += 1
                    } else {
                        outcome.refused += 1
                        batch.refused.append(fault)
                    }
                } else {
                    outcome.admitted += 1
                    batch.add(event)
                }
            }
        )
        for failure in missing.values.sorted(by: { $0.position < $1.position }) {
            outcome.lost.append(Loss(position: failure.position, reason: .unreadable))
        }
        guard outcome.admitted + outcome.refused > 0, let first = failed.first else { return outcome }
        var header = IntakeHeader(
            received: record.header.received,
            key: record.header.key,
            encoding: .identity,
            replayed: origin(of: first, batch.ordinals, batch.refused)
        )
        header.client = record.header.client
        outcome.record = batch.body.withUnsafeBytes { IntakeRecord.bytes(header, body: $0) }
        return outcome
    }

    /// Returns limits that every event in the log satisfies.
    ///
    /// The batch's other events, which were admitted, may exceed a current limit.
    private static func withoutSizeLimits(_ limits: AdmissionLimits) -> AdmissionLimits {
        var wide = limits
        let most = 1 << 30
        wide.event.nameBytes = most
        wide.event.keyBytes = most
        wide.event.stringBytes = most
        wide.event.attributes = most
        wide.event.items = most
        wide.event.itemIDBytes = most
        wide.event.depth = EventLimits.maximumDepth
        wide.event.eventBytes = most
        return wide
    }

    private func origin(
        of failure: FailedEvent,
        _ ordinals: [Int] = [],
        _ refused: [RejectedEvent] = []
    ) -> ReplayOrigin {
        let place = failure.position
        return ReplayOrigin(
            at: at,
            key: key,
            position: EventPosition(segment: place.segment, offset: place.offset),
            ordinals: ordinals,
            refused: refused
        )
    }

    /// A batch of the admitted events.
    private struct ReplayedBatch {
        var header: BatchHeader?
        var ordinals: [Int] = []
        var refused: [RejectedEvent] = []
        private var lines: [[UInt8]] = []
        private var context: [UInt8] = []

        /// Adds an event after its context.
        mutating func add(_ event: IntakeEvent) {
            // A batch starts without a context.
            if !context.elementsEqual(event.context) {
                context = Array(event.context)
                let value = context.isEmpty ? Array("{}".utf8) : context
                lines.append(Self.withoutNewlines(Array("{\"context\":".utf8) + value + Array("}".utf8)))
            }
            ordinals.append(event.ordinal)
            lines.append(Self.withoutNewlines(Array(event.json)))
        }

        /// The bytes of the batch.
        ///
        /// The batch names its writer but no sequence numbers: those were counted when the events first arrived.
        var body: [UInt8] {
            let head = JSONWriter.withThreadBuffer { writer in
                writer.beginObject()
                writer.object("batch") { writer in
                    if let installation = header?.installation { writer.member("installation", installation) }
                    if let id = header?.writer { writer.member("writer", id) }
                }
                writer.endObject()
                return writer.array()
            }
            return Array(([head] + lines).joined(separator: [UInt8(ascii: "\n")]))
        }

        /// Replaces line breaks with spaces.
        ///
        /// JSON allows line breaks only between values, where a space is equivalent.
        private static func withoutNewlines(_ json: [UInt8]) -> [UInt8] {
            json.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        }
    }

    // MARK: Batches rejected as a whole

    private func batch(_ failed: [FailedEvent], _ record: QuarantineRecord) -> Outcome {
        guard let encoding = record.encoding else { return lost(failed, .otherFormat) }
        guard record.body.count == record.bodyBytes else { return lost(failed, .cut) }
        guard let first = failed.first else { return Outcome() }
        var outcome = Outcome()
        let grant = KeyGrant(name: record.key, scopes: [])
        do throws(AdmissionError) {
            let batch = try admit(record.body, encoding, grant, record.received)
            if let sender = batch.sender, isErased(sender) { return lost(failed, .erased) }
            // Single events of an admitted batch may still be rejected.
            let same = failed.filter { failure in
                batch.rejected.contains { $0.index == failure.position.ordinal && failure.isRefused(as: $0) }
            }
            outcome.unchanged = same.count
            guard same.count < failed.count else { return outcome }
            outcome.admitted = batch.accepted
            outcome.refused = max(0, batch.rejected.count - same.count)
            var header = IntakeHeader(received: record.received, key: record.key, encoding: encoding)
            header.rejected = batch.rejected
            header.replayed = origin(of: first)
            outcome.record = record.body.withUnsafeBytes { IntakeRecord.bytes(header, body: $0) }
        } catch {
            let fault = RejectedEvent(index: 0, code: error.code, field: error.field, message: error.message)
            let others = failed.filter { !$0.isRefused(as: fault) }
            outcome.unchanged = failed.count - others.count
            guard !others.isEmpty else { return outcome }
            outcome.refused = others.count
            let faults = others.map { failure in
                RejectedEvent(
                    index: failure.position.ordinal,
                    code: error.code,
                    field: error.field,
                    message: error.message
                )
            }
            let header = IntakeHeader(
                received: record.received,
                key: record.key,
                encoding: .identity,
                replayed: origin(of: first, [], faults)
            )
            outcome.record = IntakeRecord.bytes(header, body: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return outcome
    }

    private func admit(
        _ body: [UInt8],
        _ encoding: ContentEncoding,
        _ grant: KeyGrant,
        _ received: Timestamp
    ) throws(AdmissionError) -> AdmittedBatch {
        // A Result, because withUnsafeBytes rethrows untyped errors only.
        let result = body.withUnsafeBytes { bytes in
            Result { () throws(AdmissionError) in
                try admission.admit(bytes, encoding: encoding, grant: grant, received: received)
            }
        }
        return try result.get()
    }
}

extension IntakeEvent {
    /// Whether the event would be another kind of line in a batch.
    ///
    /// As an element of an array, an event may start with any member.
    fileprivate var isAmbiguous: Bool {
        let start = LineSplitter.trimmed(json, 0..<json.count)
        return LineSplitter.firstKey(json, start, is: "batch") || LineSplitter.firstKey(json, start, is: "context")
    }
}

extension FailedEvent {
    /// Whether the event was rejected for the same reason as `fault`.
    fileprivate func isRefused(as fault: RejectedEvent) -> Bool {
        code == fault.code && field == fault.field && message == fault.message
    }
}
