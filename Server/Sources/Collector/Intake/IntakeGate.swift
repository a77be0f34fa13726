// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides whether another batch may wait for the disk. A value: the driver holds a lock around it, tells it what
/// happened, and does what it says.
struct IntakeGate: Sendable {
    /// Why nothing more is accepted, ever: a failed flush or a shutdown.
    private(set) var end: IntakeError?
    /// Why the disk refused last time; cleared by the next success.
    private(set) var trouble: IntakeError?
    private(set) var waitingBatches = 0
    private(set) var waitingBytes = 0
    private let options: IntakeOptions

    init(options: IntakeOptions) {
        self.options = options
    }

    /// A batch was offered.
    ///
    /// - Returns: Why it cannot wait; nil when it may, and counts as waiting from now on.
    mutating func offered(bytes: Int) -> IntakeError? {
        if let end { return end }
        // A batch larger than the whole bound still passes alone: admission has its own limits.
        guard waitingBatches < options.waitingBatches,
            waitingBytes == 0 || waitingBytes + bytes <= options.waitingBytes
        else {
            return IntakeError(
                code: .busy,
                message: "\(waitingBatches) batches wait for the disk already; come back in a moment."
            )
        }
        waitingBatches += 1
        waitingBytes += bytes
        return nil
    }

    /// The writer took what was waiting.
    mutating func taken(batches: Int, bytes: Int) {
        waitingBatches -= batches
        waitingBytes -= bytes
    }

    /// A group of batches reached stable storage.
    mutating func committed() {
        trouble = nil
    }

    /// The disk refused a batch; later ones may succeed.
    mutating func refused(_ error: IntakeError) {
        trouble = error
    }

    /// A flush failed. What it covered cannot be trusted and asking again proves nothing, so this is final.
    mutating func flushFailed(_ reason: String) {
        end = IntakeError(
            code: .stopped,
            message: "Nothing is accepted any more, because flushing to disk failed (\(reason)); "
                + "check the disk and start the collector again."
        )
    }

    /// The collector shuts down.
    mutating func closing() {
        end = end ?? IntakeError(code: .closing, message: "The collector is shutting down.")
    }
}

/// How the intake log is laid out and how much may wait for it.
public struct IntakeOptions: Sendable, Hashable {
    /// Bytes reserved for each segment, at most 128 MiB (what an event's position can express).
    public var segmentBytes = 16 << 20
    /// The most batches that may wait for a flush; the next one is refused with `busy`.
    public var waitingBatches = 1_024
    /// The most bytes that may wait for a flush.
    public var waitingBytes = 64 << 20
    /// Free bytes on the disk below which nothing is accepted, beside those that the index needs for what it does not have yet, so that it
    /// and the system can still work.
    public var reserveBytes = 64 << 20
    /// How long a look at the free space counts.
    public var spaceCheckInterval: Duration = .seconds(1)

    /// The default options.
    public init() {}
}

/// Why a batch could not be committed. Nothing of it counts as stored; the sender keeps it and comes back.
public struct IntakeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stands in the way.
    public enum Code: String, Sendable, Hashable {
        /// Too much is waiting for the disk already.
        case busy
        /// The disk is full; it recovers by itself when there is space again.
        case diskFull = "disk_full"
        /// The free space is below the reserve; it recovers by itself.
        case diskLow = "disk_low"
        /// The storage refused for another reason; the next batch may succeed.
        case storage
        /// A flush to stable storage failed: nothing is accepted until the collector is started again.
        case stopped
        /// The collector is shutting down.
        case closing
        /// The engine has no majority, or is not reached; it recovers by itself.
        case engineUnavailable = "engine_unavailable"
        /// The engine's stream is full.
        case engineFull = "engine_full"
        /// What the engine acknowledges is not proven to survive power loss.
        case engineNotDurable = "engine_not_durable"
        /// The engine's stream is set up in a way that takes no such record.
        case engineMisconfigured = "engine_misconfigured"
    }

    /// What stands in the way.
    public var code: Code
    /// One sentence for a person, with the remedy.
    public var message: String

    /// An error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// When a sender should come back.
    public var retryAfter: Duration {
        switch code {
        case .busy, .closing: .seconds(1)
        case .storage, .engineUnavailable: .seconds(5)
        case .diskFull, .diskLow, .engineNotDurable: .seconds(30)
        case .stopped, .engineFull, .engineMisconfigured: .seconds(60)
        }
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
