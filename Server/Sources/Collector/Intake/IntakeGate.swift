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
