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
        case sending(Hand)
        /// The journal was asked to settle the front part.
        case settling(Hand, Settlement)
        /// After a failure: nothing is in hand, nothing may be sent before a time.
        case waiting(until: MonotonicTime, cause: Wait)
        /// The settings are wrong: everything is kept, and the back-end is asked now and then.
        case parked(probeAt: MonotonicTime)
        /// Asked to end. Nothing is in hand, and nothing will be ordered any more.
        case stopped
    }

    /// Why the machine waits.
    enum Wait: Sendable, Hashable {
        /// A request failed; a flush may try once more at once.
        case backOff
        /// The back-end named the time, or is taken for down: nothing shortens the wait.
        case strict
        /// The journal failed.
        case journal
    }

    /// A batch on loan from the journal.
    struct Hand: Sendable, Hashable {
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
