// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
package import TrackwayWire

/// Applies consent decisions and the collection policy to recording, delivery and pending events.
///
/// The settings contain the decisions. The controller reads and applies them; it decides nothing.
package final class ConsentController: Sendable {
    private let settings: SettingsFile
    private let control: PipelineController
    /// Its lock is the innermost: no other lock is acquired while it is held.
    private let categories: Locked<[DestinationID: ConsentCategory]>
    private let journal: Journal
    private let queue: StorageQueue
    private let reporter: DiagnosticReporter
    /// The current permission, for the slow path of recording.
    let permission: Locked<Permission>
    let updates: ConsentUpdates
    private let delivery = Locked<DeliveryService?>(nil)
    private let listener = Locked(Listener())

    /// Boxed in a struct to avoid reabstraction thunks.
    private struct Listener: Sendable {
        var report: @Sendable () -> Void = {}
        var followEpoch: @Sendable () -> Void = {}
    }

    init(
        _ settings: SettingsFile,
        control: PipelineController,
        categories: [DestinationID: ConsentCategory],
        journal: Journal,
        queue: StorageQueue,
        reporter: DiagnosticReporter
    ) {
        self.settings = settings
        self.control = control
        self.categories = Locked(categories)
        self.journal = journal
        self.queue = queue
        self.reporter = reporter
        permission = Locked(Permission(settings.current, categories))
        updates = ConsentUpdates(settings.current.consent.consent(for: .analytics))
        follow()
        // An earlier run may have been killed before it dropped all refused events. The control machine handles a
        // refusal for all destinations; this handles a refusal for only some of them.
        if control.gate.state.contains(.leavesOut) { purge() }
    }

    /// The permission according to the settings, which recording may not use yet.
    var permissionNow: Permission { Permission(settings.current, categories.withLock { $0 }) }

    /// Sets the delivery service.
    ///
    /// The service needs the rules below when it is created, so it is set afterwards.
    func attach(_ delivery: DeliveryService) {
        self.delivery.withLock { $0 = delivery }
    }

    /// Calls `report`, with no lock held, when permission to record may have changed.
    func reportChanges(_ report: @escaping @Sendable () -> Void) {
        listener.withLock { $0.report = report }
    }

    /// Calls `follow` when the number of withdrawals may have changed.
    ///
    /// The number is in the settings. No lock is held. `follow` updates the context of events.
    func followEpoch(_ follow: @escaping @Sendable () -> Void) {
        listener.withLock { $0.followEpoch = follow }
    }

    /// Applies the settings.
    ///
    /// They are read under the control machine's lock, so that two concurrent decisions both end with the one written
    /// last.
    package func follow() {
        control.change { machine, bits in
            let settings = settings.current
            let now = Permission(settings, categories.withLock { $0 })
            permission.withLock { $0 = now }
            bits.subtract([.leavesOut, .blocksEvents])
            bits.formUnion(now.bits)
            if now.consent != machine.consent || now.maySend != machine.hasConsentToSend {
                machine.consentChanged(to: now.consent, maySend: now.maySend)
            }
            if let isEnabled = settings.isEnabled, isEnabled != machine.isEnabled {
                machine.enabledChanged(to: isEnabled)
            }
            // Publish in the order in which the decisions take effect.
            updates.publish(settings.consent.consent(for: .analytics))
        }
    }

    /// Carries out the actions of a change that is already in the settings.
    func carryOut(_ actions: [ConsentMachine.Action]) {
        if !actions.isEmpty { listener.withLock { $0 }.followEpoch() }
        follow()
        listener.withLock { $0 }.report()
        for action in actions {
            switch action {
            case .subject:
                continue  // The caller that changed the user has set the subject in the same context.
            case .reconsider:
                delivery.withLock { $0 }?.admissionChanged()
            case .purge:
                purge()
            case .reportTooManyCategories(let category):
                reporter.report(
                    Diagnostic(
                        code: .consentNotTaken,
                        field: "category",
                        value: category.rawValue,
                        message: "The decision for the category \(category.rawValue.quoted) was ignored because the "
                            + "maximum of \(ConsentDecisions.maxCategories) categories already have decisions. The "
                            + "decision without a category applies to it.",
                        recoverySuggestion: "Use at most \(ConsentDecisions.maxCategories) categories."
                    )
                )
            case .save:
                continue  // The settings have already saved the change.
            }
        }
    }

    /// Whether a request may be sent now.
    ///
    /// Reads other processes' decisions first.
    func isPermitted() -> Bool {
        let before = settings.current.consent
        settings.refresh()
        let after = settings.current.consent
        follow()
        if after.epoch != before.epoch { listener.withLock { $0 }.followEpoch() }
        guard after != before else { return control.machine.isAllowedToSend }
        listener.withLock { $0 }.report()
        delivery.withLock { $0 }?.admissionChanged()
        // The events of this request were selected under the previous decisions.
        return control.machine.isAllowedToSend && !after.permitsLess(than: before) && after.epoch == before.epoch
    }

    /// Returns the rule that admits events for a destination.
    ///
    /// It uses the destination's category at the time of evaluation, because the category may change while the app
    /// runs.
    func rule(for destination: DestinationID) -> Admission.Rule {
        { [settings, categories] context in
            let category = categories.withLock { $0[destination] } ?? .analytics
            let (subject, epoch) = Self.subject(of: context)
            return settings.current.consent.admission(of: subject, in: epoch, for: category)
        }
    }

    /// Returns the rule that admits events for a destination by the current decisions.
    ///
    /// Later decisions do not change it.
    func presentRule(for destination: DestinationID) -> Admission.Rule {
        let category = categories.withLock { $0[destination] } ?? .analytics
        let consent = settings.current.consent
        return { context in
            let (subject, epoch) = Self.subject(of: context)
            return consent.admission(of: subject, in: epoch, for: category)
        }
    }

    /// Returns a context's subject and number of earlier withdrawals.
    ///
    /// A context that cannot be parsed has no subject.
    private static func subject(of context: [UInt8]) -> (String?, Int64) {
        // A context that is not JSON has no user.
        let user = (try? JSONValue.parse(context))?["user"]
        return (user?["subject"]?.string, user?["consent_epoch"]?.integer ?? 0)
    }

    // MARK: Destination changes

    /// Adds a destination, or changes its category if one is given.
    func add(_ destination: DestinationID, category: ConsentCategory?) {
        categories.withLock { $0[destination] = category ?? $0[destination] ?? .analytics }
        follow()
    }

    func remove(_ destination: DestinationID) {
        categories.withLock { $0[destination] = nil }
        follow()
    }

    // MARK: Pending events

    private func purge() {
        queue.order { [self] in discard() }
    }

    /// Drops and counts events that are next in line and may never be sent.
    ///
    /// Runs on the storage queue. Delivery does this on its own thread; this call does it if no process delivers.
    /// Another process that delivers finds the refusal in the settings before its next request, and then drops the
    /// events.
    ///
    /// - Returns: False if another process delivers; that process was notified.
    @discardableResult
    func discard() -> Bool {
        if delivery.withLock({ $0 })?.discardRefused() == true { return true }
        do throws(JournalError) {
            let isDone: Void? = try journal.withElection { (consumer) throws(JournalError) in
                for destination in journal.destinations {
                    try consumer.discardDropped(for: destination, admitting: rule(for: destination))
                }
            }
            if isDone == nil { delivery.withLock { $0 }?.askDeliverer() }
            return isDone != nil
        } catch {
            reporter.report(
                Diagnostic(
                    code: .notDiscarded,
                    field: "consent",
                    value: "\(error)",
                    message: "Pending events could not be dropped after consent was denied (\(error)). They will "
                        + "not be sent. They are dropped when they are due or at the next start."
                )
            )
            return true
        }
    }
}

/// The permissions that result from consent decisions and the collection policy.
///
/// They apply to this installation's destinations.
struct Permission: Sendable, Hashable {
    /// The current user's most permissive consent among the destinations.
    ///
    /// If it is denied, nothing is recorded.
    let consent: Consent
    /// Whether any user's events may be sent to any destination, former users included.
    let maySend: Bool
    /// The destinations that events may be recorded for; nil for all.
    let destinations: [DestinationID]?
    /// The collection policy, which applies in addition.
    let policy: CollectionPolicy

    init(_ settings: Settings, _ categories: [DestinationID: ConsentCategory]) {
        let decided = categories.values.map { settings.consent.consent(for: $0) }
        consent = decided.contains(.granted) ? .granted : decided.contains(.pending) ? .pending : .denied
        maySend = Set(categories.values).contains { settings.consent.maySend($0) }
        let permitted = categories.filter { settings.consent.mayRecord($0.value) }
        destinations = permitted.count == categories.count ? nil : permitted.keys.sorted()
        policy = settings.policy
    }

    /// The bits of the gate that make recording check this permission.
    var bits: RecordingState.State {
        var bits: RecordingState.State = []
        if destinations != nil { bits.insert(.leavesOut) }
        if policy.blocksAnything { bits.insert(.blocksEvents) }
        return bits
    }

    /// Returns the destinations that an event may be recorded for.
    ///
    /// nil if none remain.
    ///
    /// - Parameter route: The requested destinations; empty for all.
    func narrowed(_ route: [DestinationID]) -> [DestinationID]? {
        guard let destinations else { return route }
        let narrowed = route.isEmpty ? destinations : route.filter { destinations.contains($0) }
        return narrowed.isEmpty ? nil : narrowed
    }
}

/// Checks for permission before every request of an extension.
///
/// Nothing is sent without it.
///
/// Delivery checks its own requests. Sending is stopped anyway when permission ends; this covers the time in between,
/// and detects a refusal that another process of the installation has stored.
package struct PermittedTransport: Transport {
    private let base: any Transport
    private let isPermitted: @Sendable () -> Bool

    /// Wraps a transport.
    package init(_ base: any Transport, isPermitted: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isPermitted = isPermitted
    }

    /// Sends the request if permitted.
    package func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        guard isPermitted() else {
            throw .notPermitted
        }
        return try await base.send(request, timeout: timeout)
    }
}

extension Configuration {
    /// The consent category of each destination.
    var categories: [DestinationID: ConsentCategory] {
        // The configuration was checked: ids are unique.
        Dictionary(destinations.map { ($0.id, $0.consentCategory ?? .analytics) }) { first, _ in first }
    }
}

extension ConsentRules {
    /// Creates the app's consent rules.
    init(_ configuration: Configuration) {
        self.init(
            initial: configuration.privacy.consent,
            denial: configuration.privacy.denialPolicy == .purge ? .purge : .keep,
            anonymous: configuration.privacy.anonymousEventPolicy == .mergeIntoUser ? .mergeIntoUser : .keepSeparate
        )
    }
}
