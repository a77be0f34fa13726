// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
package import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayLifecycle

/// Applies consent decisions and the collection policy.
///
/// Both affect recording, delivery and pending events.
///
/// The settings contain the decisions. The controller reads and applies the decisions but makes none itself.
package final class ConsentController: Sendable {
    private let settings: SettingsFile
    private let control: PipelineController
    /// The category of each destination.
    ///
    /// This lock is the innermost: no other lock is acquired while it is held.
    private let categories: Locked<[DestinationID: ConsentCategory]>
    private let journal: Journal
    private let queue: StorageQueue
    private let reporter: DiagnosticReporter
    /// The current permission, for the slow path of recording.
    let permission: Locked<Permission>
    let updates: ConsentUpdates
    private let clock: any EventClock
    /// Whether scheduled decisions do not apply to recording yet.
    private let ignoresScheduled = Locked(false)
    private let delivery = Locked<DeliveryService?>(nil)
    private let listener = Locked(Listener())

    /// Boxed in a struct to avoid reabstraction thunks.
    private struct Listener: Sendable {
        var permissionChanged: @Sendable () -> Void = {}
        var epochChanged: @Sendable () -> Void = {}
    }

    init(
        _ settings: SettingsFile,
        control: PipelineController,
        categories: [DestinationID: ConsentCategory],
        journal: Journal,
        queue: StorageQueue,
        clock: any EventClock,
        reporter: DiagnosticReporter
    ) {
        self.settings = settings
        self.clock = clock
        self.control = control
        self.categories = Locked(categories)
        self.journal = journal
        self.queue = queue
        self.reporter = reporter
        permission = Locked(Permission(settings.current, categories))
        updates = ConsentUpdates(settings.current.consentForRecording.consent(for: .analytics))
        applySettings()
        // An earlier run may have been killed before it dropped all events that lack consent. The pipeline state
        // machine handles a denial for all destinations; this handles a denial for only some of them.
        if control.gate.state.contains(.excludesDestinations) { purge() }
    }

    /// The permission according to the settings, possibly not yet applied to recording.
    var currentPermission: Permission { Permission(settings.current, categories.withLock { $0 }) }

    /// Runs `body`, during which decisions that it schedules do not apply to recording yet.
    ///
    /// Only one caller at a time.
    func whileIgnoringScheduledDecisions<Result>(_ body: () -> Result) -> Result {
        ignoresScheduled.withLock { $0 = true }
        defer { ignoresScheduled.withLock { $0 = false } }
        return body()
    }

    /// Sets the delivery service.
    ///
    /// Creating the service requires the rules below, so the service is set afterward.
    func attach(_ delivery: DeliveryService) {
        self.delivery.withLock { $0 = delivery }
    }

    /// Sets the handler for possible changes of the permission to record.
    ///
    /// The handler is called with no lock held.
    func onPermissionChange(_ handler: @escaping @Sendable () -> Void) {
        listener.withLock { $0.permissionChanged = handler }
    }

    /// Sets the handler for possible changes of the number of withdrawals.
    ///
    /// The handler is called with no lock held. It reads the number from the settings and updates the context of
    /// events.
    func onEpochChange(_ handler: @escaping @Sendable () -> Void) {
        listener.withLock { $0.epochChanged = handler }
    }

    /// Applies the settings.
    ///
    /// The settings are read under the pipeline state machine's lock, so that after two concurrent decisions the one
    /// written last is in effect.
    package func applySettings() {
        control.change { machine, bits in
            var settings = settings.current
            if ignoresScheduled.withLock({ $0 }) { settings.scheduledConsents = [] }
            let now = Permission(settings, categories.withLock { $0 })
            permission.withLock { $0 = now }
            bits.subtract([.excludesDestinations, .blocksEvents])
            bits.formUnion(now.bits)
            if now.consent != machine.consent || now.maySend != machine.hasConsentToSend {
                machine.consentChanged(to: now.consent, maySend: now.maySend)
            }
            if let isEnabled = settings.isEnabled, isEnabled != machine.isEnabled {
                machine.setEnabled(isEnabled)
            }
            // Publish in the order in which the decisions take effect.
            updates.publish(settings.consentForRecording.consent(for: .analytics))
        }
    }

    /// Performs the actions of a change that is already in the settings.
    func carryOut(_ actions: [ConsentMachine.Action]) {
        if !actions.isEmpty { listener.withLock { $0 }.epochChanged() }
        applySettings()
        listener.withLock { $0 }.permissionChanged()
        for action in actions {
            switch action {
            case .subject:
                continue  // The caller that changed the user has already set the subject.
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
                            + "maximum of \(ConsentDecisions.maxCategories) categories has been reached. The "
                            + "decision without a category applies to it.",
                        recoverySuggestion: "Use at most \(ConsentDecisions.maxCategories) categories."
                    )
                )
            case .save:
                continue  // The settings have already saved the change.
            }
        }
    }

    /// Whether a request may currently be sent.
    ///
    /// Reads the decisions of other processes first.
    func isPermitted() -> Bool {
        let before = settings.current.consent
        settings.refresh()
        applyOverdueDecisions()
        let after = settings.current.consent
        applySettings()
        if after.epoch != before.epoch { listener.withLock { $0 }.epochChanged() }
        guard after != before else { return control.machine.isAllowedToSend }
        listener.withLock { $0 }.permissionChanged()
        delivery.withLock { $0 }?.admissionChanged()
        // The events of this request were selected under the previous decisions.
        return control.machine.isAllowedToSend && !after.isStricter(than: before) && after.epoch == before.epoch
    }

    /// Applies overdue scheduled decisions.
    private func applyOverdueDecisions() {
        let now = clock.now().wall
        guard settings.current.scheduledConsents.contains(where: { $0.isOverdue(at: now) }) else { return }
        carryOut(settings.change { $0.applyScheduledConsents { $0.isOverdue(at: now) } }.actions)
    }

    /// Applies the scheduled decisions of a settings file that has just become readable.
    func applyAllScheduledDecisions() {
        guard !settings.current.scheduledConsents.isEmpty else { return }
        carryOut(settings.change { $0.applyScheduledConsents { _ in true } }.actions)
    }

    /// The destinations that await consent, because none was chosen or decided.
    ///
    /// - Parameter candidates: The destinations that send events.
    func destinationsWithoutDecision(among candidates: [DestinationID]) -> [DestinationID] {
        let consent = settings.current.consent
        let categories = categories.withLock { $0 }
        return candidates.filter { !consent.hasDecision(for: categories[$0] ?? .analytics) }
    }

    /// Returns the rule that admits events for a destination.
    ///
    /// The rule uses the destination's category at the time of evaluation, because the category may change while the
    /// app runs.
    func rule(for destination: DestinationID) -> Admission.Rule {
        { [settings, categories, journal] context in
            let category = categories.withLock { $0[destination] } ?? .analytics
            let (subject, epoch) = Self.subject(of: context)
            return settings.current.consent.applying(to: destination, of: journal)
                .admission(of: subject, in: epoch, for: category)
        }
    }

    /// Returns a destination's admission rule under the current decisions.
    ///
    /// Later decisions do not change the rule.
    func currentRule(for destination: DestinationID) -> Admission.Rule {
        let category = categories.withLock { $0[destination] } ?? .analytics
        let consent = settings.current.consent.applying(to: destination, of: journal)
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
        applySettings()
    }

    func remove(_ destination: DestinationID) {
        categories.withLock { $0[destination] = nil }
        applySettings()
    }

    // MARK: Pending events

    private func purge() {
        queue.enqueue { [self] in discard() }
    }

    /// Drops and counts the next pending events that must never be sent.
    ///
    /// Runs on the storage queue. A running delivery drops such events on its own thread; this call drops them if no
    /// process delivers. Another process that delivers finds the denial in the settings before its next request, and
    /// drops the events then.
    ///
    /// - Returns: False if another process delivers; that process has been notified.
    @discardableResult
    func discard() -> Bool {
        if delivery.withLock({ $0 })?.discardDenied() == true { return true }
        do throws(JournalError) {
            let isDone: Void? = try journal.withElection { (consumer) throws(JournalError) in
                for destination in journal.destinations {
                    try consumer.discardDropped(for: destination, admitting: rule(for: destination))
                }
            }
            if isDone == nil { delivery.withLock { $0 }?.requestDelivery() }
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
/// The permissions apply to this installation's destinations.
struct Permission: Sendable, Equatable {
    /// The current user's most permissive consent among the destinations.
    ///
    /// If this consent is denied, nothing is recorded.
    let consent: Consent
    /// Whether events of any user may be sent to any destination.
    ///
    /// This includes former users.
    let maySend: Bool
    /// The destinations that events may be recorded for; nil for all.
    let destinations: [DestinationID]?
    /// The collection policy, which applies in addition.
    let policy: CollectionPolicy

    init(_ settings: Settings, _ categories: [DestinationID: ConsentCategory]) {
        let recording = settings.consentForRecording
        let decided = categories.values.map { recording.consent(for: $0) }
        consent = decided.contains(.granted) ? .granted : decided.contains(.pending) ? .pending : .denied
        maySend = Set(categories.values).contains { settings.consent.maySend($0) }
        let permitted = categories.filter { recording.mayRecord($0.value) }
        destinations = permitted.count == categories.count ? nil : permitted.keys.ordered()
        policy = settings.policy
    }

    /// The bits of the recording state that make recording check this permission.
    var bits: RecordingState.State {
        var bits: RecordingState.State = []
        if destinations != nil { bits.insert(.excludesDestinations) }
        if policy.blocksAnything { bits.insert(.blocksEvents) }
        return bits
    }

    /// Returns the destinations that an event may be recorded for.
    ///
    /// nil if no destination remains.
    ///
    /// - Parameter route: The requested destinations; empty for all.
    func permittedSubset(of route: [DestinationID]) -> [DestinationID]? {
        guard let destinations else { return route }
        let permitted = route.isEmpty ? destinations : route.filter { destinations.contains($0) }
        return permitted.isEmpty ? nil : permitted
    }
}

/// A transport that checks for permission before every request from an extension.
///
/// A request that is not permitted fails instead of being sent.
///
/// Delivery checks its own requests. Sending also stops when permission ends; this check covers the time until then,
/// and detects a denial that another process of the installation has stored.
package struct PermittedTransport: Transport {
    private let base: any Transport
    private let isPermitted: @Sendable () -> Bool

    /// Wraps a transport.
    package init(_ base: any Transport, isPermitted: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isPermitted = isPermitted
    }

    /// Sends the request if sending is permitted.
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

extension ConsentMachine {
    /// Returns the machine that applies to a destination.
    fileprivate func applying(to destination: DestinationID, of journal: Journal) -> ConsentMachine {
        rules.initial == rules.initialForLocal || !journal.isAppManaged(destination) ? self : forLocalDestinations
    }
}

extension ConsentRules {
    /// Creates the app's consent rules.
    init(_ configuration: Configuration) {
        self.init(
            initial: configuration.privacy.consent,
            // If the app has not chosen, local destinations work: their events stay on the device.
            initialForLocal: configuration.privacy.chosenConsent ?? .granted,
            denial: configuration.privacy.denialPolicy == .purge ? .purge : .keep,
            anonymous: configuration.privacy.anonymousEventPolicy == .mergeIntoUser ? .mergeIntoUser : .keepSeparate
        )
    }
}
