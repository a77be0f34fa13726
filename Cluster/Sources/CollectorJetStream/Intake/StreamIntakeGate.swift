// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Decides which records may be held and published.
///
/// Also checks whether the stream's reports are consistent.
///
/// A value type: its driver holds a lock around it, reports events to it, and follows its decisions.
struct StreamIntakeGate: Sendable {
    /// Whether a record may be published.
    enum Permission: Sendable, Hashable {
        /// Publish.
        ///
        /// `floor` is the highest sequence known before; with `isProbe`, all other records wait for the outcome.
        case publish(floor: UInt64, isProbe: Bool)
        /// Wait; the problem may resolve shortly.
        case wait(String)
        /// Reject; the sender retries later.
        case refuse(IntakeError)
    }

    /// Why the intake stopped permanently; nil while it accepts records.
    private(set) var end: IntakeError?
    /// Whether other streams accept the records now.
    private(set) var isLeft = false
    /// The highest sequence of the stream that was acknowledged, reported or read.
    private(set) var highest: UInt64
    /// The highest sequence that was acknowledged here; nil before the first.
    private(set) var acknowledged: UInt64?
    private(set) var heldRecords = 0
    private(set) var heldBytes = 0

    private let stream: String
    private let options: IntakeOptions
    /// Whether the last publish failed.
    ///
    /// If so, one record probes while the others wait.
    private var isStuck = false
    private var isProbing = false
    /// The number of consecutive reports of an end before the known one.
    private var doubts = 0
    private var trouble: (error: IntakeError, until: MonotonicTime)?

    /// - Parameter known: The sequence up to which the stream was read before.
    init(stream: String, options: IntakeOptions, known: UInt64 = 0) {
        self.stream = stream
        highest = known
        self.options = options
    }

    /// Handles an offered record.
    ///
    /// - Returns: Why it cannot be held. Nil if it is accepted; it then counts as held until ``released(bytes:)``.
    mutating func offered(bytes: Int) -> IntakeError? {
        if let end { return end }
        guard heldRecords < options.waitingBatches, heldBytes == 0 || heldBytes + bytes <= options.waitingBytes else {
            return .waiting(heldRecords)
        }
        heldRecords += 1
        heldBytes += bytes
        return nil
    }

    /// Handles the answer to a held record.
    mutating func released(bytes: Int) {
        heldRecords -= 1
        heldBytes -= bytes
    }

    /// Returns whether a held record may be published now.
    mutating func permission(_ standing: DurabilityState.Standing) -> Permission {
        if let end { return .refuse(end) }
        if isLeft { return .refuse(moved) }
        switch standing {
        case .unproven(let faults):
            return .refuse(Self.notDurable(faults))
        case .unknown(let reason):
            return .wait(reason)
        case .proven where isStuck && isProbing:
            return .wait("the NATS cluster is currently not accepting records")
        case .proven:
            if isStuck { isProbing = true }
            return .publish(floor: highest, isProbe: isStuck)
        }
    }

    /// Handles the outcome of a published record.
    ///
    /// - Parameters:
    ///   - floor: The highest sequence known before it was first published.
    /// - Returns: Why its acknowledgement must not be trusted; nil if it is consistent.
    mutating func published(_ outcome: PublishOutcome, floor: UInt64, isProbe: Bool) -> IntakeError? {
        if isProbe { isProbing = false }
        switch outcome {
        case .notStored, .unknown: isStuck = true
        case .stored, .full, .misconfigured: isStuck = false
        case .inProcess: break
        }
        guard case .stored(let sequence, let isRepeated) = outcome else { return end }
        // A new record must follow all records acknowledged before; a repeated one may be anywhere.
        if !isRepeated, sequence <= floor { wentBack(from: floor, to: sequence) }
        if let end { return end }
        highest = max(highest, sequence)
        acknowledged = max(acknowledged ?? 0, sequence)
        trouble = nil
        return nil
    }

    /// Handles a report of the stream's end.
    ///
    /// - Parameter floor: The highest sequence known before the report was requested.
    mutating func told(last sequence: UInt64, floor: UInt64) {
        // A former leader that has not noticed its replacement may report an old end, once.
        doubts = sequence < floor ? doubts + 1 : 0
        if doubts > 1 { wentBack(from: floor, to: sequence) }
        highest = max(highest, sequence)
    }

    /// Notes that the record with this sequence was read.
    mutating func read(_ sequence: UInt64) { highest = max(highest, sequence) }

    /// Stops the intake because the stream's creation time differs.
    ///
    /// The stream was replaced by one with the same name.
    mutating func replaced(_ known: String, by made: String) {
        guard end == nil else { return }
        end = IntakeError(
            code: .stopped,
            message:
                "No more records are accepted, because the stream \(stream) was recreated (\(made), before: "
                + "\(known)): the records it had acknowledged are lost. Find out what happened."
        )
    }

    /// Stops the intake for good.
    ///
    /// Acknowledgements of such a stream cannot be trusted, and asking again proves nothing.
    private mutating func wentBack(from high: UInt64, to low: UInt64) {
        guard end == nil else { return }
        end = IntakeError(
            code: .stopped,
            message:
                "No more records are accepted, because the end of the stream \(stream) went back from \(high) to "
                + "\(low): records it had acknowledged are lost, or the stream was recreated. Find out what happened, "
                + "then restart the collector."
        )
    }

    /// Records a rejection.
    ///
    /// Readiness reports the error until its retry time has passed.
    mutating func refused(_ error: IntakeError, at now: MonotonicTime) {
        trouble = (error, now.advanced(by: error.retryAfter))
    }

    /// Returns why a record would be rejected now.
    ///
    /// Nil if it would be accepted.
    func trouble(_ standing: DurabilityState.Standing, at now: MonotonicTime) -> IntakeError? {
        if let end { return end }
        switch standing {
        case .unproven(let faults): return Self.notDurable(faults)
        case .unknown(let reason):
            return IntakeError(code: .engineUnavailable, message: "NATS currently accepts no records: \(reason).")
        case .proven:
            guard let trouble, now < trouble.until else { return nil }
            return trouble.error
        }
    }

    /// Notes that other streams have replaced this one.
    ///
    /// Records in flight may still be stored.
    mutating func left() { isLeft = true }

    private var moved: IntakeError {
        IntakeError(
            code: .engineUnavailable,
            message: "The stream \(stream) is closed, and other streams accept its records now."
        )
    }

    /// Stops accepting records because the collector is shutting down.
    mutating func closing() {
        end = end ?? IntakeError(code: .closing, message: "The collector is shutting down.")
    }

    private static func notDurable(_ faults: [DurabilityFault]) -> IntakeError {
        IntakeError(code: .engineNotDurable, message: faults.map(\.description).joined(separator: " "))
    }
}

extension IntakeError {
    /// Too many batches are held.
    static func waiting(_ records: Int) -> IntakeError {
        IntakeError(code: .busy, message: "\(records) batches are already waiting for NATS; try again shortly.")
    }

    /// The error that a sender gets for a record that was given up.
    init(_ refusal: HeldRefusal) {
        let code: Code =
            switch refusal.kind {
            case .unavailable: .engineUnavailable
            case .full: .engineFull
            case .misconfigured: .engineMisconfigured
            }
        let known =
            refusal.isUnknown
            ? "It is unknown whether the batch is stored; if sent again, it is still stored only once."
            : "The batch is not stored."
        self.init(code: code, message: "The NATS cluster did not accept the batch: \(refusal.reason). \(known)")
    }
}
