// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides whether events may be recorded and sent, and what has to be done about it.
///
/// Two kinds of facts meet here: what the app wants (consent, enabled, shut down, erasing) and what the delivery is
/// doing. ``nextOrder()`` names the one step that brings the second closer to the first; the driver carries it out and
/// reports. Asking twice without a report gives nothing new, so a driver may ask as often as it likes.
package struct ControlMachine: Sendable {
    /// An order to the driver.
    package enum Order: Sendable, Hashable {
        /// Start delivering; report with ``ControlMachine/deliveryBegan()``, and with
        /// ``ControlMachine/deliveryStopped()`` once it has ended.
        case startDelivery
        /// Begin nothing new, but let what is on its way come back; report with ``ControlMachine/deliveryHeld(_:)``, with
        /// this number, when it has.
        case holdDelivery(number: Int)
        /// The hold is over.
        case releaseDelivery
        /// Let the delivery end after a last flush of at most this long; none when it is zero. Without one, a request on its
        /// way has so long to come back.
        case stopDelivery(lastFlush: Duration, timeout: Duration = .zero)
        /// Drop and count everything that waits; report with ``ControlMachine/discardEnded()``.
        case discardPending
        /// Nothing will ever be ordered again.
        case end
    }

    private enum Delivery: Sendable, Equatable {
        case stopped
        case starting
        case running
        /// Nothing new is begun; true once nothing is on its way any more.
        case holding(isDone: Bool)
        case stopping
    }

    private enum Discard: Sendable {
        case notNeeded
        case needed
        case underWay
        /// Consent was denied again meanwhile: what came between needs another one.
        case underWayAndNeeded
    }

    /// What the person using the app has agreed to.
    package private(set) var consent: Consent
    /// Whether anybody's events may be sent: the person's, or those of somebody who used the app before.
    package private(set) var hasConsentToSend: Bool
    /// Whether the app has the SDK switched on.
    package private(set) var isEnabled: Bool
    /// Whether nothing is sent for a while. Unlike the switch it is nobody's decision: it ends with the process.
    package private(set) var isPaused = false
    /// Whether the app said that it is done.
    package private(set) var isShutDown = false
    private var isAbandoned = false
    /// Whether the process is about to be stopped or ended.
    package private(set) var isSuspended = false
    /// Whether the system wants the process now, so that nothing more may be waited for.
    package private(set) var isHurried = false
    private var erasures = 0
    private var lastFlush = Duration.zero
    /// The app shut down before delivery had begun: what waits is sent once all the same.
    private var owesLastFlush = false
    private var delivery = Delivery.stopped
    /// How often delivery was held; tells a report of an earlier hold from one of this.
    private var holds = 0
    private var discard: Discard

    /// Makes the machine with what was decided in earlier runs.
    package init(consent: Consent, maySend: Bool? = nil, isEnabled: Bool) {
        self.consent = consent
        hasConsentToSend = maySend ?? (consent == .granted)
        self.isEnabled = isEnabled
        // A refusal in an earlier run may have been killed before everything was dropped.
        discard = consent == .denied && !hasConsentToSend ? .needed : .notNeeded
    }

    /// Whether `record` keeps events now. After a shutdown it still does: what is kept goes out on the next start.
    /// In a pause, too.
    package var mayRecord: Bool { isEnabled && consent != .denied }
    /// Whether anything may leave the device now.
    package var maySend: Bool { isAllowedToSend && !isShutDown && !isSuspended && !isAbandoned }
    /// Whether the person and the app allow sending; a last flush happens only while they do.
    package var isAllowedToSend: Bool { !isPaused && isPermittedToSend }
    /// The same, were it not for a pause.
    private var isPermittedToSend: Bool { isEnabled && hasConsentToSend && erasures == 0 }
    /// Why nothing may be sent now, in a sentence; nil when sending is allowed.
    package var obstacle: String? {
        if maySend { return nil }
        if isShutDown || isAbandoned { return "The SDK was shut down; events are sent after the next start." }
        if !isEnabled { return "The SDK is disabled; events wait for enable." }
        if erasures > 0 { return "The installation is being erased." }
        if !hasConsentToSend {
            return consent == .denied
                ? "Consent is denied; nothing is sent until it is granted." : "Events wait for consent."
        }
        return isPaused ? "Delivery is paused." : "Delivery is suspended until the app is used again."
    }

    /// Whether nothing but a pause keeps events from being sent.
    private var isOnlyPaused: Bool {
        isPaused && isPermittedToSend && !isShutDown && !isSuspended && !isAbandoned
    }
    /// Whether nothing here uses the journal's delivery side, nor is about to because of what was said so far.
    package var isAtRest: Bool {
        let isDiscardDue = discard == .needed && erasures == 0
        return delivery == .stopped && !isDiscarding && !isDiscardDue && !isLastFlushDue
    }

    /// Whether delivery does what it should: it runs if anything may be sent, and is at rest if not.
    package var isSettled: Bool {
        if maySend { return delivery == .running }
        // What is on its way comes back, and nothing more is sent.
        if isOnlyPaused, case .holding = delivery { return true }
        return isAtRest
    }

    // MARK: Inputs

    /// The person using the app decided, or another person uses it.
    ///
    /// - Parameter maySend: whether anybody's events may be sent; those of the one who agreed, when nil. While they may,
    ///   delivery goes on and passes over what was refused; nothing has to be discarded first.
    package mutating func consentChanged(to consent: Consent, maySend: Bool? = nil) {
        self.consent = consent
        hasConsentToSend = maySend ?? (consent == .granted)
        switch (hasConsentToSend ? .granted : consent, discard) {
        case (.denied, .notNeeded), (.denied, .needed): discard = .needed
        case (.denied, .underWay), (.denied, .underWayAndNeeded): discard = .underWayAndNeeded
        case (.granted, .notNeeded), (.granted, .needed), (.pending, .notNeeded), (.pending, .needed):
            discard = .notNeeded
        // One that is under way ends in its own time.
        case (.granted, .underWay), (.granted, .underWayAndNeeded), (.pending, .underWay),
            (.pending, .underWayAndNeeded):
            discard = .underWay
        }
    }

    /// The app switched the SDK on or off.
    package mutating func enabledChanged(to isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Nothing is to be sent for a while, or sending goes on. A request that is on its way is not broken off.
    package mutating func pausedChanged(to isPaused: Bool) {
        self.isPaused = isPaused
    }

    /// The app said that it is done; there is no way back. What waits may be sent for so long.
    package mutating func shutDown(within lastFlush: Duration) {
        guard !isShutDown else { return }
        isShutDown = true
        self.lastFlush = max(.zero, lastFlush)
        owesLastFlush = self.lastFlush > .zero && isAllowedToSend
    }

    /// The system is about to stop or end the process, which must not take the folder's delivery lock with it. What waits
    /// may be sent for so long.
    package mutating func suspended(within lastFlush: Duration) {
        isSuspended = true
        isHurried = false
        if !isShutDown { self.lastFlush = max(.zero, lastFlush) }
    }

    /// The time that the system gave is over: nothing more is sent, and what is on its way is broken off.
    package mutating func hurried() {
        guard isSuspended else { return }
        isHurried = true
        lastFlush = .zero
    }

    /// The process goes on.
    package mutating func resumed() {
        isSuspended = false
        isHurried = false
    }

    /// Erasing begins: delivery must let go of the folder. Several may be under way.
    package mutating func eraseBegan() {
        erasures += 1
    }

    /// One erasing ended, however it went.
    package mutating func eraseEnded() {
        assert(erasures > 0, "an erasing ended that never began")
        erasures = max(0, erasures - 1)
    }

    /// The front door is going away.
    package mutating func abandoned() {
        isAbandoned = true
    }

    /// Delivery is ready to be asked.
    package mutating func deliveryBegan() {
        assert(delivery == .starting, "a delivery began that was never ordered")
        delivery = .running
    }

    /// Nothing is on its way any more since the hold of this number.
    package mutating func deliveryHeld(_ number: Int) {
        if number == holds, case .holding = delivery { delivery = .holding(isDone: true) }
    }

    /// Delivery has ended and let go of the folder.
    package mutating func deliveryStopped() {
        delivery = .stopped
    }

    /// The ordered discard ended, whether it dropped everything or another process holds the folder: that one finds the
    /// refusal in the settings and discards in our place.
    package mutating func discardEnded() {
        switch discard {
        case .underWay: discard = .notNeeded
        case .underWayAndNeeded: discard = .needed
        case .notNeeded, .needed: assertionFailure("a discard ended that was never ordered")
        }
    }

    // MARK: Orders

    /// The next step, if one is due.
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
        // Who leaves wants to send what is there; who refuses or erases wants the opposite. Who leaves in a pause sends
        // nothing more, but what was sent before it should come back.
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
            // Nothing may be sent before everything refused is gone.
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
