// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides whether events may be recorded and sent, and which step follows from that.
///
/// It combines two kinds of facts: what the app wants (consent, enabled, shut down, erasing) and what delivery is
/// doing. ``nextOrder()`` returns the one step that brings the second closer to the first. The controller carries it
/// out and reports the outcome. Without a report, a further call returns nothing new, so the controller may call it any
/// number of times.
package struct PipelineStateMachine: Sendable {
    /// An order to the controller.
    package enum Order: Sendable, Hashable {
        /// Start delivery.
        ///
        /// Report its start with ``PipelineStateMachine/deliveryBegan()`` and its end with
        /// ``PipelineStateMachine/deliveryStopped()``.
        case startDelivery
        /// Start no new requests, but complete those in flight.
        ///
        /// Then report with ``PipelineStateMachine/deliveryHeld(_:)`` and this number.
        case holdDelivery(number: Int)
        /// End the hold.
        case releaseDelivery
        /// End delivery after a last flush of at most `lastFlush`.
        ///
        /// Zero means none. Without a last flush, a request in flight has `timeout` to complete.
        case stopDelivery(lastFlush: Duration, timeout: Duration = .zero)
        /// Drop and count all pending events; report with ``PipelineStateMachine/discardEnded()``.
        case discardPending
        /// No further orders follow.
        case end
    }

    private enum Delivery: Sendable, Equatable {
        case stopped
        case starting
        case running
        /// No new requests are started; true once no request is in flight.
        case holding(isDone: Bool)
        case stopping
    }

    private enum Discard: Sendable {
        case notNeeded
        case needed
        case underWay
        /// Consent was denied again in the meantime.
        ///
        /// Events recorded in between need another discard.
        case underWayAndNeeded
    }

    /// The current user's consent.
    package private(set) var consent: Consent
    /// Whether any user's events may be sent.
    ///
    /// This includes the current user and former users.
    package private(set) var hasConsentToSend: Bool
    /// Whether the app has enabled the SDK.
    package private(set) var isEnabled: Bool
    /// Whether sending is paused.
    ///
    /// Unlike ``isEnabled``, this is not a decision and ends with the process.
    package private(set) var isPaused = false
    /// Whether the app has shut the SDK down.
    package private(set) var isShutDown = false
    private var isAbandoned = false
    /// Whether the process is about to be stopped or ended.
    package private(set) var isSuspended = false
    /// Whether the system needs the process now, so that no work may be awaited.
    package private(set) var isHurried = false
    private var erasures = 0
    private var lastFlush = Duration.zero
    /// Whether pending events are still sent once after a shutdown before delivery started.
    private var owesLastFlush = false
    private var delivery = Delivery.stopped
    /// The number of holds.
    ///
    /// Distinguishes a report of an earlier hold from one of the current hold.
    private var holds = 0
    private var discard: Discard

    /// Creates the machine with decisions of earlier runs.
    package init(consent: Consent, maySend: Bool? = nil, isEnabled: Bool) {
        self.consent = consent
        hasConsentToSend = maySend ?? (consent == .granted)
        self.isEnabled = isEnabled
        // An earlier run may have been killed before it dropped all refused events.
        discard = consent == .denied && !hasConsentToSend ? .needed : .notNeeded
    }

    /// Whether `record` keeps events now.
    ///
    /// It does so even during a pause, and after a shutdown: those events are sent after the next start.
    package var mayRecord: Bool { isEnabled && consent != .denied }
    /// Whether anything may be sent now.
    package var maySend: Bool { isAllowedToSend && !isShutDown && !isSuspended && !isAbandoned }
    /// Whether the user and the app allow sending, which a last flush requires.
    package var isAllowedToSend: Bool { !isPaused && isPermittedToSend }
    /// Whether the user and the app allow sending, ignoring a pause.
    private var isPermittedToSend: Bool { isEnabled && hasConsentToSend && erasures == 0 }
    /// The reason why nothing may be sent now, as a sentence.
    ///
    /// nil if sending is allowed.
    package var obstacle: String? {
        if maySend { return nil }
        if isShutDown || isAbandoned { return "The SDK was shut down; events are sent after the next start." }
        if !isEnabled { return "The SDK is disabled; events are sent after it is enabled." }
        if erasures > 0 { return "The installation is being erased." }
        if !hasConsentToSend {
            return consent == .denied
                ? "Consent is denied; nothing is sent until it is granted." : "Events are waiting for consent."
        }
        return isPaused ? "Delivery is paused." : "Delivery is suspended until the app is used again."
    }

    /// Whether only a pause prevents sending.
    private var isOnlyPaused: Bool {
        isPaused && isPermittedToSend && !isShutDown && !isSuspended && !isAbandoned
    }
    /// Whether nothing uses the journal's delivery side.
    ///
    /// False if changes so far are about to cause such use.
    package var isAtRest: Bool {
        let isDiscardDue = discard == .needed && erasures == 0
        return delivery == .stopped && !isDiscarding && !isDiscardDue && !isLastFlushDue
    }

    /// Whether delivery is in its intended state.
    ///
    /// It runs if anything may be sent, and is at rest otherwise.
    package var isSettled: Bool {
        if maySend { return delivery == .running }
        // Requests in flight are completed, and nothing more is sent.
        if isOnlyPaused, case .holding = delivery { return true }
        return isAtRest
    }

    // MARK: Inputs

    /// Changes the user's consent, because of a decision or another user.
    ///
    /// - Parameter maySend: Whether any user's events may be sent; nil if only those of the user who gave consent.
    ///   While they may, delivery continues and skips refused events, so nothing has to be discarded first.
    package mutating func consentChanged(to consent: Consent, maySend: Bool? = nil) {
        self.consent = consent
        hasConsentToSend = maySend ?? (consent == .granted)
        switch (hasConsentToSend ? .granted : consent, discard) {
        case (.denied, .notNeeded), (.denied, .needed): discard = .needed
        case (.denied, .underWay), (.denied, .underWayAndNeeded): discard = .underWayAndNeeded
        case (.granted, .notNeeded), (.granted, .needed), (.pending, .notNeeded), (.pending, .needed):
            discard = .notNeeded
        // A running discard is not interrupted.
        case (.granted, .underWay), (.granted, .underWayAndNeeded), (.pending, .underWay),
            (.pending, .underWayAndNeeded):
            discard = .underWay
        }
    }

    /// Enables or disables the SDK.
    package mutating func enabledChanged(to isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Pauses or resumes sending.
    ///
    /// A request in flight is not canceled.
    package mutating func pausedChanged(to isPaused: Bool) {
        self.isPaused = isPaused
    }

    /// Shuts the SDK down, which is final.
    ///
    /// Pending events may be sent for up to `lastFlush`.
    package mutating func shutDown(within lastFlush: Duration) {
        guard !isShutDown else { return }
        isShutDown = true
        self.lastFlush = max(.zero, lastFlush)
        owesLastFlush = self.lastFlush > .zero && isAllowedToSend
    }

    /// Suspends delivery before the system stops or ends the process.
    ///
    /// The process must release the folder's delivery lock.
    ///
    /// Pending events may be sent for up to `lastFlush`.
    package mutating func suspended(within lastFlush: Duration) {
        isSuspended = true
        isHurried = false
        if !isShutDown { self.lastFlush = max(.zero, lastFlush) }
    }

    /// Stops sending and cancels requests in flight, because the granted time is over.
    package mutating func hurried() {
        guard isSuspended else { return }
        isHurried = true
        lastFlush = .zero
    }

    /// Resumes after a suspension.
    package mutating func resumed() {
        isSuspended = false
        isHurried = false
    }

    /// Begins an erasure, for which delivery must release the folder.
    ///
    /// Several may be in progress.
    package mutating func eraseBegan() {
        erasures += 1
    }

    /// Ends an erasure, successful or not.
    package mutating func eraseEnded() {
        assert(erasures > 0, "an erasure ended without beginning")
        erasures = max(0, erasures - 1)
    }

    /// Stops delivery, because the ``Analytics`` is being released.
    package mutating func abandoned() {
        isAbandoned = true
    }

    /// Notes that delivery is ready for calls.
    package mutating func deliveryBegan() {
        assert(delivery == .starting, "a delivery began without an order")
        delivery = .running
    }

    /// Notes that no request has been in flight since the hold with this number.
    package mutating func deliveryHeld(_ number: Int) {
        if number == holds, case .holding = delivery { delivery = .holding(isDone: true) }
    }

    /// Notes that delivery has ended and released the folder.
    package mutating func deliveryStopped() {
        delivery = .stopped
    }

    /// Notes that the ordered discard has ended.
    ///
    /// Either it dropped everything, or another process holds the folder; that process finds the refusal in the
    /// settings and discards the events instead.
    package mutating func discardEnded() {
        switch discard {
        case .underWay: discard = .notNeeded
        case .underWayAndNeeded: discard = .needed
        case .notNeeded, .needed: assertionFailure("a discard ended without an order")
        }
    }

    // MARK: Orders

    /// Returns the next step, if one is due.
    package mutating func nextOrder() -> Order? {
        switch delivery {
        case .running where isOnlyPaused:
            holds += 1
            delivery = .holding(isDone: false)
            return .holdDelivery(number: holds)
        case .running where !maySend:
            return stop()
        case .holding where maySend:
            delivery = .running
            return .releaseDelivery
        case .holding(let isDone) where isDone || !isOnlyPaused:
            return stop()
        case .starting, .running, .holding, .stopping:
            return nil
        case .stopped:
            return nextOrderAtRest()
        }
    }

    private mutating func stop() -> Order {
        delivery = .stopping
        owesLastFlush = false
        // When the app leaves or shuts down, pending events are to be sent; after a refusal or an erasure, they are
        // not. During a pause nothing more is sent, but requests in flight should complete.
        let time = isPermittedToSend && !isAbandoned ? lastFlush : .zero
        return isPaused ? .stopDelivery(lastFlush: .zero, timeout: time) : .stopDelivery(lastFlush: time)
    }

    private var isLastFlushDue: Bool { owesLastFlush && isAllowedToSend && !isSuspended && !isAbandoned }

    private var isDiscarding: Bool {
        switch discard {
        case .underWay, .underWayAndNeeded: true
        case .notNeeded, .needed: false
        }
    }

    private mutating func nextOrderAtRest() -> Order? {
        switch discard {
        case .underWay, .underWayAndNeeded:
            // Drop all refused events before anything is sent.
            return nil
        case .needed where erasures == 0:
            discard = .underWay
            return .discardPending
        case .needed, .notNeeded:
            if isAbandoned { return .end }
            guard maySend || isLastFlushDue else { return nil }
            delivery = .starting
            return .startDelivery
        }
    }
}
