// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

extension UploadMachine {
    /// Where the machine is; every state that owns a batch carries it.
    enum State: Sendable, Hashable {
        /// Nothing waits, as far as we know.
        case idle
        /// Events wait for company, since one time and until another.
        case gathering(since: MonotonicTime, until: MonotonicTime)
        /// The journal was asked for a batch.
        case reading(isProbe: Bool)
        /// The front part of the batch is on its way.
        case sending(InFlight)
        /// The journal was asked to settle the front part.
        case settling(InFlight, Settlement)
        /// After a failure: nothing is in hand, nothing may be sent before a time.
        case waiting(until: MonotonicTime, cause: Wait)
        /// The settings are wrong: everything is kept, and the back-end is asked now and then.
        case parked(probeAt: MonotonicTime)
        /// Asked to end. Nothing is in hand, and nothing will be ordered any more.
        case stopped
    }

    /// Follows a clock that went back within the boot, as that of a restored virtual machine does: what was to happen in a
    /// while still happens in that while, instead of when the clock has caught up.
    ///
    /// - Returns: True when times were moved.
    mutating func follow(_ now: MonotonicTime) -> Bool {
        defer { lastTold = now }
        guard let lastTold, now < lastTold else { return false }
        let back = lastTold.duration(to: now)
        switch state {
        case .gathering(let since, let until):
            state = .gathering(since: since.advanced(by: back), until: until.advanced(by: back))
        case .waiting(let until, let cause):
            state = .waiting(until: until.advanced(by: back), cause: cause)
        case .parked(let probeAt):
            state = .parked(probeAt: probeAt.advanced(by: back))
        case .idle, .reading, .sending, .settling, .stopped:
            break  // Nothing is waited for.
        }
        notBefore = notBefore?.advanced(by: back)
        return true
    }

    /// Why the machine waits.
    enum Wait: Sendable, Hashable {
        /// A request failed; a flush may try once more at once.
        case backOff
        /// The back-end named the time, or is taken for down: nothing shortens the wait.
        case strict
        /// The settings were found wrong before the machine was stopped.
        case parking
        /// The journal failed.
        case journal
    }

    /// A batch on loan from the journal.
    struct InFlight: Sendable, Hashable {
        var parts: BatchSplitter
        var isProbe: Bool
        /// True once a part was called too large though it held several events.
        var wasTooLarge = false
        /// True once a single event was called too large: it explains the refusal of the whole.
        var foundTooLarge = false
        /// The most events that passed in one request.
        var largestPassed = 0
        /// What follows once the part that is given up is settled; nil when the next part does.
        var then: Aftermath?
    }

    /// What follows after a part was given up.
    enum Aftermath: Sendable, Hashable {
        case wait(until: MonotonicTime, cause: Wait)
        case park(probeAt: MonotonicTime)
    }
}
