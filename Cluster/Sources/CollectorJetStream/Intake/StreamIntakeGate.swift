// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Decides which records may be held and published.
///
/// Also checks whether the stream's reports and acknowledgements are consistent.
///
/// A value type: its driver holds a lock around it, reports events to it, and follows its decisions.
struct StreamIntakeGate: Sendable {
    /// Whether a record may be published.
    enum Permission: Sendable, Hashable {
        /// Publish the record.
        ///
        /// `knownEnd` is the highest sequence known before the publish. If `isProbe` is true, all other records wait
        /// for the outcome.
        case publish(knownEnd: UInt64, isProbe: Bool)
        /// Wait, because the problem may resolve shortly. Carries the reason.
        case wait(String)
        /// Reject the record; the sender retries later.
        case reject(IntakeError)
    }

    /// Why the intake stopped permanently; nil while it accepts records.
    private(set) var end: IntakeError?
    /// Whether other streams have replaced this one.
    private(set) var isReplaced = false
    /// The highest sequence of the stream that was acknowledged, reported, or read.
    private(set) var highest: UInt64
    /// The highest sequence acknowledged to this intake; nil before the first acknowledgement.
    private(set) var acknowledged: UInt64?
    private(set) var heldRecords = 0
    private(set) var heldBytes = 0

    private let stream: String
    private let options: IntakeOptions
    /// Whether the last publish failed.
    ///
    /// If so, one record is published as a probe while the others wait.
    private var lastPublishFailed = false
    private var isProbing = false
    /// The number of consecutive reports with an end before the known end.
    private var lowEndReports = 0
    private var lastRejection: (error: IntakeError, until: MonotonicTime)?

    /// Creates a gate for a new intake.
    ///
    /// - Parameter known: The sequence up to which the stream was previously read.
    init(stream: String, options: IntakeOptions, known: UInt64 = 0) {
        self.stream = stream
        highest = known
        self.options = options
    }

    /// Handles a record received from a sender.
    ///
    /// - Returns: The reason that the record cannot be held; nil if it is accepted. An accepted record counts as held
    ///   until ``release(bytes:)``.
    mutating func admit(bytes: Int) -> IntakeError? {
        if let end { return end }
        guard heldRecords < options.waitingBatches, heldBytes == 0 || heldBytes + bytes <= options.waitingBytes else {
            return .waiting(heldRecords)
        }
        heldRecords += 1
        heldBytes += bytes
        return nil
    }

    /// Stops counting a record as held, because its sender gets an answer.
    mutating func release(bytes: Int) {
        heldRecords -= 1
        heldBytes -= bytes
    }

    /// Returns whether a held record may currently be published.
    mutating func permission(_ status: DurabilityState.Status) -> Permission {
        if let end { return .reject(end) }
        if isReplaced { return .reject(streamClosedError) }
        switch status {
        case .unproven(let faults):
            return .reject(Self.notDurable(faults))
        case .unknown(let reason):
            return .wait(reason)
        case .proven where lastPublishFailed && isProbing:
            return .wait("the NATS cluster is currently not accepting records")
        case .proven:
            if lastPublishFailed { isProbing = true }
            return .publish(knownEnd: highest, isProbe: lastPublishFailed)
        }
    }

    /// Handles the outcome of a published record.
    ///
    /// - Parameters:
    ///   - knownEnd: The highest sequence known before the record was first published.
    /// - Returns: The reason not to trust the acknowledgement; nil if it is consistent.
    mutating func publishFinished(with outcome: PublishOutcome, knownEnd: UInt64, isProbe: Bool) -> IntakeError? {
        if isProbe { isProbing = false }
        switch outcome {
        case .notStored, .unknown: lastPublishFailed = true
        case .stored, .full, .misconfigured: lastPublishFailed = false
        case .inProgress: break
        }
        guard case .stored(let sequence, let isRepeated) = outcome else { return end }
        // A new record must follow all previously acknowledged records; a repeated record may have any sequence.
        if !isRepeated, sequence <= knownEnd { stopForLostRecords(from: knownEnd, to: sequence) }
        if let end { return end }
        highest = max(highest, sequence)
        acknowledged = max(acknowledged ?? 0, sequence)
        lastRejection = nil
        return nil
    }

    /// Handles a report on the stream's end.
    ///
    /// - Parameter knownEnd: The highest sequence known before the report was requested.
    mutating func updateEnd(last sequence: UInt64, knownEnd: UInt64) {
        // A former leader that has not noticed its replacement may report an old end, once.
        lowEndReports = sequence < knownEnd ? lowEndReports + 1 : 0
        if lowEndReports > 1 { stopForLostRecords(from: knownEnd, to: sequence) }
        highest = max(highest, sequence)
    }

    /// Notes that the record with the given sequence was read.
    mutating func advance(to sequence: UInt64) { highest = max(highest, sequence) }

    /// Stops the intake because the stream's creation time has changed.
    ///
    /// A new creation time means that a stream with the same name replaced this one.
    mutating func streamReplaced(_ known: String, by created: String) {
        guard end == nil else { return }
        end = IntakeError(
            code: .stopped,
            message:
                "No more records are accepted, because the stream \(stream) was recreated (\(created), "
                + "previously \(known)): the records it had acknowledged are lost. Find out what happened."
        )
    }

    /// Stops the intake permanently, because acknowledged records were lost.
    ///
    /// Acknowledgements from such a stream cannot be trusted, and another check would prove nothing.
    private mutating func stopForLostRecords(from high: UInt64, to low: UInt64) {
        guard end == nil else { return }
        end = IntakeError(
            code: .stopped,
            message:
                "No more records are accepted, because the end of the stream \(stream) moved back from \(high) to "
                + "\(low): records it had acknowledged are lost, or the stream was recreated. Find out what happened, "
                + "then restart the collector."
        )
    }

    /// Records a rejection.
    ///
    /// Readiness reports the error until its retry time has passed.
    mutating func recordRejection(_ error: IntakeError, at now: MonotonicTime) {
        lastRejection = (error, now.advanced(by: error.retryAfter))
    }

    /// Returns the reason that a record would currently be rejected.
    ///
    /// Returns nil if the record would be accepted.
    func rejectionReason(_ status: DurabilityState.Status, at now: MonotonicTime) -> IntakeError? {
        if let end { return end }
        switch status {
        case .unproven(let faults): return Self.notDurable(faults)
        case .unknown(let reason):
            return IntakeError(code: .engineUnavailable, message: "NATS currently accepts no records: \(reason).")
        case .proven:
            guard let lastRejection, now < lastRejection.until else { return nil }
            return lastRejection.error
        }
    }

    /// Notes that other streams have replaced this one.
    ///
    /// Records in flight may still be stored.
    mutating func markReplaced() { isReplaced = true }

    private var streamClosedError: IntakeError {
        IntakeError(
            code: .engineUnavailable,
            message: "The stream \(stream) is closed, and other streams accept its records now."
        )
    }

    /// Stops accepting records because the collector is shutting down.
    mutating func close() {
        end = end ?? IntakeError(code: .closing, message: "The collector is shutting down.")
    }

    private static func notDurable(_ faults: [DurabilityFault]) -> IntakeError {
        IntakeError(code: .engineNotDurable, message: faults.map(\.description).joined(separator: " "))
    }
}

extension IntakeError {
    /// Returns the error for too many held batches.
    static func waiting(_ records: Int) -> IntakeError {
        IntakeError(code: .busy, message: "\(records) batches are already waiting for NATS; try again shortly.")
    }

    /// Creates the error that a sender gets if the collector gave up on its record.
    init(_ failure: HeldRecordFailure) {
        let code: Code =
            switch failure.kind {
            case .unavailable: .engineUnavailable
            case .full: .engineFull
            case .misconfigured: .engineMisconfigured
            }
        let known =
            failure.mayBeStored
            ? "It is unknown whether the batch is stored. If it is sent again, it is still stored only once."
            : "The batch is not stored."
        self.init(code: code, message: "The NATS cluster did not accept the batch: \(failure.reason). \(known)")
    }
}
