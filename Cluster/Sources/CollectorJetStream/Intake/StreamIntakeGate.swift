// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Decides which records may wait for the engine, which may be published now, and whether what the engine says of its stream
/// still goes together. A value: the driver holds a lock around it, tells it what happened, and does what it says.
struct StreamIntakeGate: Sendable {
    /// Whether a record may be published.
    enum Permission: Sendable, Hashable {
        /// Yes. `floor` is the highest place known before it is, and `isProbe` says that all others wait for what becomes of it.
        case publish(floor: UInt64, isProbe: Bool)
        /// Not now; that may pass in a moment.
        case wait(String)
        /// No: its sender is told to come back.
        case refuse(IntakeError)
    }

    /// Why nothing more is accepted, ever.
    private(set) var end: IntakeError?
    /// Whether other streams take the records now.
    private(set) var isLeft = false
    /// The highest place of the stream that an acknowledgement named, or the engine told.
    private(set) var highest: UInt64
    /// The highest place that was acknowledged here; nil before the first.
    private(set) var acknowledged: UInt64?
    private(set) var heldRecords = 0
    private(set) var heldBytes = 0

    private let stream: String
    private let options: IntakeOptions
    /// Whether the engine did not take the last record it was asked for: then one tries, and the others wait for it.
    private var isStuck = false
    private var isProbing = false
    /// How often in a row the engine told of less than was known.
    private var doubts = 0
    private var trouble: (error: IntakeError, until: MonotonicTime)?

    /// - Parameter known: How far the stream had come when it was read last.
    init(stream: String, options: IntakeOptions, known: UInt64 = 0) {
        self.stream = stream
        highest = known
        self.options = options
    }

    /// A record was offered.
    ///
    /// - Returns: Why it cannot be held; nil when it may, and counts as held until ``released(bytes:)``.
    mutating func offered(bytes: Int) -> IntakeError? {
        if let end { return end }
        guard heldRecords < options.waitingBatches, heldBytes == 0 || heldBytes + bytes <= options.waitingBytes else {
            return .waiting(heldRecords)
        }
        heldRecords += 1
        heldBytes += bytes
        return nil
    }

    /// A record that was held has its answer.
    mutating func released(bytes: Int) {
        heldRecords -= 1
        heldBytes -= bytes
    }

    /// Whether a record that is held may be published now.
    mutating func permission(_ standing: DurabilityState.Standing) -> Permission {
        if let end { return .refuse(end) }
        if isLeft { return .refuse(moved) }
        switch standing {
        case .unproven(let faults):
            return .refuse(Self.notDurable(faults))
        case .unknown(let reason):
            return .wait(reason)
        case .proven where isStuck && isProbing:
            return .wait("the engine takes nothing now")
        case .proven:
            if isStuck { isProbing = true }
            return .publish(floor: highest, isProbe: isStuck)
        }
    }

    /// A record was published, and this has become of it.
    ///
    /// - Parameters:
    ///   - floor: What was known before it was published for the first time.
    /// - Returns: Why its acknowledgement must not be believed; nil when all goes together.
    mutating func published(_ outcome: PublishOutcome, floor: UInt64, isProbe: Bool) -> IntakeError? {
        if isProbe { isProbing = false }
        switch outcome {
        case .notStored, .unknown: isStuck = true
        case .stored, .full, .misconfigured: isStuck = false
        case .inProcess: break
        }
        guard case .stored(let sequence, let isRepeated) = outcome else { return end }
        // What is new lies behind all that was acknowledged before; what its sender sent before may lie anywhere.
        if !isRepeated, sequence <= floor { wentBack(from: floor, to: sequence) }
        if let end { return end }
        highest = max(highest, sequence)
        acknowledged = max(acknowledged ?? 0, sequence)
        trouble = nil
        return nil
    }

    /// The engine told how far the stream has come.
    ///
    /// - Parameter floor: What was known before it was asked.
    mutating func told(last sequence: UInt64, floor: UInt64) {
        // A leader that does not know yet that it is none may tell old news, once.
        doubts = sequence < floor ? doubts + 1 : 0
        if doubts > 1 { wentBack(from: floor, to: sequence) }
        highest = max(highest, sequence)
    }

    /// A record was read at this place.
    mutating func read(_ sequence: UInt64) { highest = max(highest, sequence) }

    /// When the engine made the stream differs from what was known: it is another one under the same name.
    mutating func replaced(_ known: String, by made: String) {
        guard end == nil else { return }
        end = IntakeError(
            code: .stopped,
            message:
                "Nothing is accepted any more, because the engine's stream \(stream) was made anew (\(made), it was of \(known)): "
                + "what it had acknowledged is gone. See what became of it."
        )
    }

    /// Nothing that such a stream acknowledges can be trusted, and asking again proves nothing, so this is final.
    private mutating func wentBack(from high: UInt64, to low: UInt64) {
        guard end == nil else { return }
        end = IntakeError(
            code: .stopped,
            message:
                "Nothing is accepted any more, because the engine's stream \(stream) went back from \(high) to \(low): "
                + "what it had acknowledged is gone, or the stream was made anew. See what became of it, then start the "
                + "collector again."
        )
    }

    /// A record was refused; until the error's time is over that is what readiness tells.
    mutating func refused(_ error: IntakeError, at now: MonotonicTime) {
        trouble = (error, now.advanced(by: error.retryAfter))
    }

    /// Why a record would be refused now; nil when records are welcome.
    func trouble(_ standing: DurabilityState.Standing, at now: MonotonicTime) -> IntakeError? {
        if let end { return end }
        switch standing {
        case .unproven(let faults): return Self.notDurable(faults)
        case .unknown(let reason):
            return IntakeError(code: .engineUnavailable, message: "The engine takes nothing now: \(reason).")
        case .proven:
            guard let trouble, now < trouble.until else { return nil }
            return trouble.error
        }
    }

    /// Other streams take the records from now on. What is on its way may be stored nevertheless.
    mutating func left() { isLeft = true }

    private var moved: IntakeError {
        IntakeError(
            code: .engineUnavailable,
            message: "The engine's stream \(stream) is closed, and others take its records now."
        )
    }

    /// The collector shuts down.
    mutating func closing() {
        end = end ?? IntakeError(code: .closing, message: "The collector is shutting down.")
    }

    private static func notDurable(_ faults: [DurabilityFault]) -> IntakeError {
        IntakeError(code: .engineNotDurable, message: faults.map(\.description).joined(separator: " "))
    }
}

extension IntakeError {
    /// Too many batches wait already.
    static func waiting(_ records: Int) -> IntakeError {
        IntakeError(code: .busy, message: "\(records) batches wait for the engine already; come back in a moment.")
    }

    /// What a sender is told of a record that was given up.
    init(_ refusal: HeldRefusal) {
        let code: Code =
            switch refusal.kind {
            case .unavailable: .engineUnavailable
            case .full: .engineFull
            case .misconfigured: .engineMisconfigured
            }
        let known =
            refusal.isUnknown
            ? "Whether the batch is stored is not known; sent again, it is met once."
            : "The batch is not stored."
        self.init(code: code, message: "The engine did not take the batch: \(refusal.reason). \(known)")
    }
}
