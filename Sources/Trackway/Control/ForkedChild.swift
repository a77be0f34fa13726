// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

// The check that public calls make first: a forked child that does not call exec must not use the instance of its parent.
extension Analytics {
    /// Whether the caller is a forked child of the process that made this instance.
    ///
    /// The first call that finds this out writes a line to standard error. Every call that takes a lock asks first: at the fork, another
    /// thread of the parent may have held any lock, of the SDK or of Swift's runtime, and nothing releases it in the child. For the
    /// same reason, the app's diagnostics handler is not called, and no type is used for the first time.
    var isInChild: Bool {
        guard control.gate.isForked else { return false }
        ctrackway_fork_tell()
        return true
    }

    /// The receipt of an event that a forked child recorded.
    @inline(never)
    func refuseInChild(id: EventID = EventID(high: 0, low: 0)) -> Receipt {
        ctrackway_fork_tell()
        return Receipt(id: id, sequence: 0, .dropped(.forked))
    }
}

extension TrackwayError {
    /// A call that throws was made in a forked child.
    static var inChild: TrackwayError {
        TrackwayError(
            .inForkedChild,
            "A forked child cannot use the Analytics of its parent.",
            recoverySuggestion: "Call exec first, or create an Analytics in the child."
        )
    }
}
