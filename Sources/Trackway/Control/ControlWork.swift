// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What carrying out the orders of ``ControlMachine`` means.
package struct ControlWork: Sendable {
    /// Makes ready to deliver; called right before `deliver`.
    package var begin: @Sendable () -> Void
    /// Delivers until cancelled.
    package var deliver: @Sendable () async -> Void
    /// Sends what waits, of a queue what is released, if anything may be sent.
    package var flush: @Sendable () async -> Void
    /// Lets the delivery begin nothing new; what is on its way comes back.
    package var hold: @Sendable () -> Void
    /// Returns when nothing is on its way any more, or the hold is over.
    package var untilHeld: @Sendable () async -> Void
    /// Ends the hold.
    package var release: @Sendable () -> Void
    /// Ends the delivery after a last flush of at most this long, and as long a wait for what is on its way; returns when
    /// nothing is sent any more.
    package var stop: @Sendable (_ lastFlush: Duration, _ timeout: Duration) async -> Void
    /// Drops and counts everything that waits.
    package var discard: @Sendable () async -> Void

    /// Makes the work from its parts.
    package init(
        begin: @escaping @Sendable () -> Void,
        deliver: @escaping @Sendable () async -> Void,
        flush: @escaping @Sendable () async -> Void,
        hold: @escaping @Sendable () -> Void,
        untilHeld: @escaping @Sendable () async -> Void,
        release: @escaping @Sendable () -> Void,
        stop: @escaping @Sendable (_ lastFlush: Duration, _ timeout: Duration) async -> Void,
        discard: @escaping @Sendable () async -> Void
    ) {
        self.begin = begin
        self.deliver = deliver
        self.flush = flush
        self.hold = hold
        self.untilHeld = untilHeld
        self.release = release
        self.stop = stop
        self.discard = discard
    }
}
