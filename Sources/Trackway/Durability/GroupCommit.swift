// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Lets many callers share one flush to stable storage.
///
/// A flush covers only what was appended before it began. A caller who asks while one is running therefore waits for
/// the next one, together with everybody else who asked meanwhile. There is no bound on the tickets: each stands for a
/// caller that is suspended anyway and holds far more memory than its ticket.
package struct GroupCommit<Failure: Sendable>: Sendable {
    /// Names one waiting caller.
    package typealias Ticket = UInt64

    /// An order to the driver.
    package enum Action: Sendable {
        /// Flush everything appended so far, then report through ``GroupCommit/flushFinished(_:)``.
        case flush
        /// Tell these callers how the flush that covers them ended; nil means it is on stable storage.
        case finish([Ticket], Failure?)
    }

    private enum State: Sendable {
        case idle
        case flushing(covered: [Ticket], next: [Ticket])
    }

    private var state = State.idle

    /// Makes a machine with nobody waiting.
    package init() {}

    /// A caller wants everything appended so far on stable storage.
    ///
    /// - Complexity: amortised O(1).
    package mutating func asked(by ticket: Ticket) -> [Action] {
        switch state {
        case .idle:
            state = .flushing(covered: [ticket], next: [])
            return [.flush]
        case .flushing(let covered, var next):
            // The running flush may have begun before this caller's append; only the next one proves anything for it.
            state = .idle  // gives up the reference, so that the append below does not copy
            next.append(ticket)
            state = .flushing(covered: covered, next: next)
            return []
        }
    }

    /// The flush ended; nil means it succeeded.
    ///
    /// - Complexity: O(callers covered).
    package mutating func flushFinished(_ failure: Failure?) -> [Action] {
        switch state {
        case .idle:
            assertionFailure("a flush ended that was never ordered")
            return []
        case .flushing(let covered, let next) where next.isEmpty:
            state = .idle
            return [.finish(covered, failure)]
        case .flushing(let covered, let next):
            state = .flushing(covered: next, next: [])
            // The next flush is ordered first: callers who wake up find it under way.
            return [.flush, .finish(covered, failure)]
        }
    }
}
