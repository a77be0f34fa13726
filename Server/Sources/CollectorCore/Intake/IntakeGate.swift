// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides whether another batch may wait for the disk.
///
/// A value type: its owner guards it with a lock, reports events to it, and carries out its decisions.
struct IntakeGate: Sendable {
    /// The final reason for refusing all batches.
    ///
    /// The reason is either a failed flush or a shutdown; nil if neither has happened.
    private(set) var end: IntakeError?
    /// The last disk error; cleared by the next success.
    private(set) var failure: IntakeError?
    private(set) var waitingBatches = 0
    private(set) var waitingBytes = 0
    private let options: IntakeOptions

    init(options: IntakeOptions) {
        self.options = options
    }

    /// Requests permission for a batch to wait.
    ///
    /// - Returns: The reason why the batch cannot wait; nil if it can wait, in which case it counts as waiting.
    mutating func admit(bytes: Int) -> IntakeError? {
        if let end { return end }
        // A batch that is larger than the limit may still wait if it is alone, because admission has its own limits.
        guard waitingBatches < options.waitingBatches,
            waitingBytes == 0 || waitingBytes + bytes <= options.waitingBytes
        else {
            return IntakeError(
                code: .busy,
                message: "\(waitingBatches) batches are already waiting for the disk; try again in a moment."
            )
        }
        waitingBatches += 1
        waitingBytes += bytes
        return nil
    }

    /// Records that the writer took the waiting batches.
    mutating func dequeue(batches: Int, bytes: Int) {
        waitingBatches -= batches
        waitingBytes -= bytes
    }

    /// Records that a group of batches reached stable storage.
    mutating func commitSucceeded() {
        failure = nil
    }

    /// Records that the disk refused a batch; later ones may succeed.
    mutating func commitFailed(_ error: IntakeError) {
        failure = error
    }

    /// Records that a flush failed, which is final.
    ///
    /// The data that it covered cannot be trusted, and flushing again would prove nothing.
    mutating func flushFailed(_ reason: String) {
        end = IntakeError(
            code: .stopped,
            message: "The collector no longer accepts data, because flushing to disk failed (\(reason)); "
                + "check the disk and restart the collector."
        )
    }

    /// Records that the collector is shutting down.
    mutating func close() {
        end = end ?? IntakeError(code: .closing, message: "The collector is shutting down.")
    }
}

/// The layout of the intake log and the limits of its queue.
public struct IntakeOptions: Sendable, Hashable {
    /// The number of bytes reserved for each segment, at most 128 MiB.
    ///
    /// An event's position cannot express larger offsets.
    public var segmentBytes = 16 << 20
    /// The maximum number of batches waiting for a flush.
    ///
    /// The next one is refused with `busy`.
    public var waitingBatches = 1_024
    /// The maximum number of bytes waiting for a flush.
    public var waitingBytes = 64 << 20
    /// The minimum number of free bytes on the disk.
    ///
    /// Below this number, nothing is accepted.
    ///
    /// These bytes are reserved in addition to the space that the index needs for records that it does not contain yet,
    /// and let the index and the system keep working.
    public var reserveBytes = 64 << 20
    /// The time for which a check of the free space remains valid.
    public var spaceCheckInterval: Duration = .seconds(1)

    /// Creates the default options.
    public init() {}
}

/// The reason why a batch could not be committed.
///
/// No part of the batch counts as stored; the sender keeps it and retries.
public struct IntakeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable {
        /// Too much data is already waiting for the disk.
        case busy
        /// The disk is full.
        ///
        /// The intake recovers automatically when there is space again.
        case diskFull = "disk_full"
        /// The free space is below the reserve; the intake recovers automatically.
        case diskLow = "disk_low"
        /// The storage failed for another reason; the next batch may succeed.
        case storage
        /// A flush to stable storage failed.
        ///
        /// Nothing is accepted until the collector is restarted.
        case stopped
        /// The collector is shutting down.
        case closing
        /// The engine has no majority or cannot be reached.
        ///
        /// The intake recovers automatically.
        case engineUnavailable = "engine_unavailable"
        /// The engine's stream is full.
        case engineFull = "engine_full"
        /// Records that the engine acknowledges are not proven to survive power loss.
        case engineNotDurable = "engine_not_durable"
        /// The configuration of the engine's stream does not accept the record.
        case engineMisconfigured = "engine_misconfigured"
    }

    /// The kind of failure.
    public var code: Code
    /// A human-readable sentence that includes the remedy.
    public var message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The delay after which a sender should retry.
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
