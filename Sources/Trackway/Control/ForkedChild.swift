// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

// The check that public calls make first: a forked child that does not call exec must not use its parent's instance.
extension Analytics {
    /// Whether the caller is a forked child of the process that created this instance.
    ///
    /// The first call that detects this writes a line to standard error. Every call that acquires a lock checks this
    /// property first: at the fork, another thread of the parent may have held any lock of the SDK or of Swift's
    /// runtime, and such a lock is never released in the child. For the same reason, the app's diagnostics handler is
    /// not called, and no type is used for the first time.
    var isInChild: Bool {
        guard delivery.control.gate.isForked else { return false }
        ctrackway_fork_warn()
        return true
    }

    /// The receipt of an event that a forked child recorded.
    @inline(never)
    func rejectInChild(id: EventID = EventID(high: 0, low: 0)) -> Receipt {
        ctrackway_fork_warn()
        return Receipt(id: id, sequence: 0, .dropped(.forked))
    }
}

extension TrackwayError {
    /// The error for a throwing call in a forked child.
    static var inChild: TrackwayError {
        TrackwayError(
            .inForkedChild,
            "A forked child cannot use the Analytics of its parent.",
            recoverySuggestion: "Call exec first, or create an Analytics in the child."
        )
    }
}

/// The return values of calls in a forked child.
///
/// They are created before any fork: in the child, creating them for the first time could wait for a lock of Swift's
/// runtime.
struct ForkedChildValues: Sendable {
    let ledger = Ledger(uncounted: [Ledger.Uncounted(path: "", reason: TrackwayError.inChild.sentences)])
    let options: RuntimeOptions
    /// The thrown error.
    ///
    /// Storing it loads its type's conformance to `Error` before a fork.
    private let error: any Error = TrackwayError.inChild

    init(_ options: RuntimeOptions) {
        self.options = options
    }
}
