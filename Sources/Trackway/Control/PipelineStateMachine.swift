// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery

/// Decides whether events may be recorded and sent, and the next step.
///
/// The machine compares the desired state (consent, enabled, shut down, erasing) with the actual state of delivery.
/// ``nextCommand()`` returns the one step that brings the actual state closer to the desired state. The controller
/// carries out the command and reports the outcome. Until it does, further calls return nil, so the controller may call
/// it any number of times.
package struct PipelineStateMachine: Sendable {
    /// A command to the controller.
    package enum Command: Sendable, Equatable {
        /// Start delivery.
        ///
        /// Report its start with ``PipelineStateMachine/deliveryBegan()`` and its end with
        /// ``PipelineStateMachine/deliveryStopped()``.
        case startDelivery
        /// Start no new requests, but complete those in flight.
        ///
        /// Once none are in flight, report this number with ``PipelineStateMachine/deliveryHeld(_:)``.
        case holdDelivery(number: Int)
        /// Allow new requests again.
        case releaseDelivery
        /// End delivery after a last flush of at most `lastFlush`.
        ///
        /// Zero means no flush. Without a last flush, a request in flight has `timeout` to complete.
        case stopDelivery(lastFlush: Duration, timeout: Duration = .zero)
        /// Drop and count all pending events; report with ``PipelineStateMachine/discardEnded()``.
        case discardPending
        /// End the run; no further commands follow.
        case end
    }

    private enum Delivery: Sendable, Equatable {
        case stopped
        case starting
        case running
        /// No new requests are started; `isDone` once no request is in flight.
        case holding(isDone: Bool)
        case stopping
    }

    private enum Discard: Sendable {
        case notNeeded
        case needed
        case running
        /// A discard is running, and another one is needed.
        ///
        /// Consent was granted and denied again during the discard; events recorded in between must be discarded, too.
        case runningAndNeeded
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
    /// Unlike ``isEnabled``, a pause is not a stored decision and ends with the process.
    package private(set) var isPaused = false
    /// Whether the app has shut the SDK down.
    package private(set) var isShutDown = false
    private var isAbandoned = false
    /// Whether the process is about to be suspended or terminated.
    package private(set) var isSuspended = false
    /// Whether the granted time has expired, which forbids waiting for work.
    package private(set) var hasGracePeriodExpired = false
    private var activeErasures = 0
    private var lastFlush = Duration.zero
    /// Whether a shutdown before delivery started still requires one last flush.
    private var isFinalFlushPending = false
    private var delivery = Delivery.stopped
    /// The number of holds.
    ///
    /// Distinguishes a report about an earlier hold from one about the current hold.
    private var holdCount = 0
    private var discard: Discard

    /// Creates the machine with the decisions of earlier runs.
    package init(consent: Consent, maySend: Bool? = nil, isEnabled: Bool) {
        self.consent = consent
        hasConsentToSend = maySend ?? (consent == .granted)
        self.isEnabled = isEnabled
        // An earlier run may have been killed before it dropped all events that lack consent.
        discard = consent == .denied && !hasConsentToSend ? .needed : .notNeeded
    }

    /// Whether `record` currently keeps events.
    ///
    /// Events are kept even during a pause and after a shutdown; the latter are sent after the next start.
    package var mayRecord: Bool { isEnabled && consent != .denied }
    /// Whether anything may currently be sent.
    package var maySend: Bool { isAllowedToSend && !isShutDown && !isSuspended && !isAbandoned }
    /// Whether the user and the app allow sending.
    ///
    /// A last flush requires this.
    package var isAllowedToSend: Bool { !isPaused && isPermittedToSend }
    /// Whether the user and the app allow sending, ignoring a pause.
    private var isPermittedToSend: Bool { isEnabled && hasConsentToSend && activeErasures == 0 }
    /// The reason why nothing may currently be sent, as a sentence.
    ///
    /// nil if sending is allowed.
    package var sendingBlockedReason: String? {
        if maySend { return nil }
        if isShutDown || isAbandoned { return "The SDK was shut down; events are sent after the next start." }
        if !isEnabled { return "The SDK is disabled; events are sent after it is enabled." }
        if activeErasures > 0 { return "The installation is being erased." }
        if !hasConsentToSend {
            return consent == .denied
                ? "Consent is denied; nothing is sent until it is granted." : DeliveryService.consentPendingReason
        }
        return isPaused ? "Delivery is paused." : "Delivery is suspended until the app is used again."
    }

    /// Whether only a pause prevents sending.
    private var isOnlyPaused: Bool {
        isPaused && isPermittedToSend && !isShutDown && !isSuspended && !isAbandoned
    }
    /// Whether nothing uses the journal's delivery side.
    ///
    /// False if earlier changes are about to cause such use.
    package var isIdle: Bool {
        let isDiscardDue = discard == .needed && activeErasures == 0
        return delivery == .stopped && !isDiscarding && !isDiscardDue && !isLastFlushDue
    }

    /// Whether delivery is in its intended state.
    ///
    /// Delivery should run if anything may be sent, and be idle otherwise.
    package var isSettled: Bool {
        if maySend { return delivery == .running }
        // Requests in flight are completed, and nothing more is sent.
        if isOnlyPaused, case .holding = delivery { return true }
        return isIdle
    }

    // MARK: Inputs

    /// Handles a change of the user's consent.
    ///
    /// The cause is a decision or a change of user.
    ///
    /// - Parameter maySend: Whether any user's events may be sent; nil if only those of the user who gave consent.
    ///   While they may be sent, delivery continues and skips events that lack consent, so nothing has to be discarded
    ///   first.
    package mutating func consentChanged(to consent: Consent, maySend: Bool? = nil) {
        self.consent = consent
        hasConsentToSend = maySend ?? (consent == .granted)
        switch (hasConsentToSend ? .granted : consent, discard) {
        case (.denied, .notNeeded), (.denied, .needed): discard = .needed
        case (.denied, .running), (.denied, .runningAndNeeded): discard = .runningAndNeeded
        case (.granted, .notNeeded), (.granted, .needed), (.pending, .notNeeded), (.pending, .needed):
            discard = .notNeeded
        // A running discard is not interrupted.
        case (.granted, .running), (.granted, .runningAndNeeded), (.pending, .running),
            (.pending, .runningAndNeeded):
            discard = .running
        }
    }

    /// Enables or disables the SDK.
    package mutating func setEnabled(_ isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Pauses or resumes sending.
    ///
    /// A request in flight is not canceled.
    package mutating func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
    }

    /// Shuts the SDK down permanently.
    ///
    /// Pending events may be sent for up to `lastFlush`.
    package mutating func shutDown(within lastFlush: Duration) {
        guard !isShutDown else { return }
        isShutDown = true
        self.lastFlush = max(.zero, lastFlush)
        isFinalFlushPending = self.lastFlush > .zero && isAllowedToSend
    }

    /// Suspends delivery before the system suspends or terminates the process.
    ///
    /// The process must release the folder's delivery lock.
    ///
    /// Pending events may be sent for up to `lastFlush`.
    package mutating func suspend(within lastFlush: Duration) {
        isSuspended = true
        hasGracePeriodExpired = false
        if !isShutDown { self.lastFlush = max(.zero, lastFlush) }
    }

    /// Stops sending and cancels requests in flight when the granted time expires.
    package mutating func expireGracePeriod() {
        guard isSuspended else { return }
        hasGracePeriodExpired = true
        lastFlush = .zero
    }

    /// Resumes after a suspension.
    package mutating func resume() {
        isSuspended = false
        hasGracePeriodExpired = false
    }

    /// Begins an erasure, for which delivery must release the folder.
    ///
    /// Several erasures may be in progress.
    package mutating func eraseBegan() {
        activeErasures += 1
    }

    /// Ends an erasure, successful or not.
    package mutating func eraseEnded() {
        assert(activeErasures > 0, "an erasure ended without having begun")
        activeErasures = max(0, activeErasures - 1)
    }

    /// Stops delivery, because the ``Analytics`` is being released.
    package mutating func abandon() {
        isAbandoned = true
    }

    /// Notes that delivery is ready for calls.
    package mutating func deliveryBegan() {
        assert(delivery == .starting, "delivery began without a command")
        delivery = .running
    }

    /// Notes that no request is in flight after the hold with this number.
    package mutating func deliveryHeld(_ number: Int) {
        if number == holdCount, case .holding = delivery { delivery = .holding(isDone: true) }
    }

    /// Notes that delivery has ended and released the folder.
    package mutating func deliveryStopped() {
        delivery = .stopped
    }

    /// Notes that the requested discard has ended.
    ///
    /// Either the discard dropped everything, or another process holds the folder. That process finds the denial in the
    /// settings and discards the events instead.
    package mutating func discardEnded() {
        switch discard {
        case .running: discard = .notNeeded
        case .runningAndNeeded: discard = .needed
        case .notNeeded, .needed: assertionFailure("a discard ended without a command")
        }
    }

    // MARK: Commands

    /// Returns the next step, if one is due.
    package mutating func nextCommand() -> Command? {
        switch delivery {
        case .running where isOnlyPaused:
            holdCount += 1
            delivery = .holding(isDone: false)
            return .holdDelivery(number: holdCount)
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
            return nextCommandWhenIdle()
        }
    }

    private mutating func stop() -> Command {
        delivery = .stopping
        isFinalFlushPending = false
        // When the app leaves the foreground or shuts down, pending events are sent; after a denial of consent or an
        // erasure, they are not. During a pause nothing more is sent, but requests in flight should complete.
        let time = isPermittedToSend && !isAbandoned ? lastFlush : .zero
        return isPaused ? .stopDelivery(lastFlush: .zero, timeout: time) : .stopDelivery(lastFlush: time)
    }

    private var isLastFlushDue: Bool { isFinalFlushPending && isAllowedToSend && !isSuspended && !isAbandoned }

    private var isDiscarding: Bool {
        switch discard {
        case .running, .runningAndNeeded: true
        case .notNeeded, .needed: false
        }
    }

    private mutating func nextCommandWhenIdle() -> Command? {
        switch discard {
        case .running, .runningAndNeeded:
            // Drop all events that lack consent before anything is sent.
            return nil
        case .needed where activeErasures == 0:
            discard = .running
            return .discardPending
        case .needed, .notNeeded:
            if isAbandoned { return .end }
            guard maySend || isLastFlushDue else { return nil }
            delivery = .starting
            return .startDelivery
        }
    }
}
