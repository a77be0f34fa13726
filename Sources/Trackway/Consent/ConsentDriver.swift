// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
package import TrackwayWire

/// Brings recording, delivery and what waits in step with what people decided and what the collection policy says.
///
/// The settings hold the decisions. This reads them and acts; it decides nothing.
package final class ConsentDriver: Sendable {
    private let settings: SettingsFile
    private let control: ControlDriver
    /// Its lock is the innermost: inside it nothing else is locked.
    private let categories: Locked<[DestinationID: ConsentCategory]>
    private let journal: Journal
    private let queue: StorageQueue
    private let reporter: DiagnosticReporter
    /// What holds now, for the slow path of recording.
    let permission: Locked<Permission>
    let updates: ConsentUpdates
    private let delivery = Locked<DeliveryService?>(nil)
    private let listener = Locked(Listener())

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Listener: Sendable {
        var report: @Sendable () -> Void = {}
        var followEpoch: @Sendable () -> Void = {}
    }

    init(
        _ settings: SettingsFile,
        control: ControlDriver,
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
        // A refusal in an earlier run may have been killed before everything was dropped. When all is refused, the control
        // machine knows; here it may be one destination among others.
        if control.gate.state.contains(.leavesOut) { purge() }
    }

    /// What people's decisions mean now, whatever recording follows at the moment.
    var permissionNow: Permission { Permission(settings.current, categories.withLock { $0 }) }

    /// The service that carries this out from now on. It needs the rules below to be made, and they need nothing of it.
    func attach(_ delivery: DeliveryService) {
        self.delivery.withLock { $0 = delivery }
    }

    /// Has somebody told, without any lock, that it may have changed whether events may be recorded.
    func reportChanges(_ report: @escaping @Sendable () -> Void) {
        listener.withLock { $0.report = report }
    }

    /// Has the context of events follow the settings' number of withdrawals. No lock is held meanwhile.
    func followEpoch(_ follow: @escaping @Sendable () -> Void) {
        listener.withLock { $0.followEpoch = follow }
    }

    /// Brings everything in step with the settings. Reads them inside the control machine's lock: of two decisions made
    /// at the same time, both then end with the one that was written last.
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
            // In the order in which the decisions take effect.
            updates.publish(settings.consent.consent(for: .analytics))
        }
    }

    /// Carries out what a change of the decisions ordered; the settings hold it already.
    func carryOut(_ actions: [ConsentMachine.Action]) {
        if !actions.isEmpty { listener.withLock { $0 }.followEpoch() }
        follow()
        listener.withLock { $0 }.report()
        for action in actions {
            switch action {
            case .subject:
                continue  // Whoever changed the user has put the subject into the same context.
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
                        message: "The decision for the category \(category.rawValue.quoted) was ignored because there "
                            + "are decisions for \(ConsentDecisions.maxCategories) categories. The decision without a "
                            + "category applies to it.",
                        recoverySuggestion: "Use at most \(ConsentDecisions.maxCategories) categories."
                    )
                )
            case .save:
                continue  // The change was one of the settings.
            }
        }
    }

    /// Whether a request may be sent now; looks what other processes decided meanwhile.
    func isPermitted() -> Bool {
        let before = settings.current.consent
        settings.refresh()
        let after = settings.current.consent
        follow()
        if after.epoch != before.epoch { listener.withLock { $0 }.followEpoch() }
        guard after != before else { return control.machine.isAllowedToSend }
        listener.withLock { $0 }.report()
        delivery.withLock { $0 }?.admissionChanged()
        // What this request holds was judged by what counted before.
        return control.machine.isAllowedToSend && !after.permitsLess(than: before) && after.epoch == before.epoch
    }

    /// What may leave for a destination, by its category at the time of the question: it may change while the app runs.
    func rule(for destination: DestinationID) -> Admission.Rule {
        { [settings, categories] context in
            let category = categories.withLock { $0[destination] } ?? .analytics
            let (subject, epoch) = Self.subject(of: context)
            return settings.current.consent.admission(of: subject, in: epoch, for: category)
        }
    }

    /// What may leave for a destination by what counts now, whatever is decided later.
    func presentRule(for destination: DestinationID) -> Admission.Rule {
        let category = categories.withLock { $0[destination] } ?? .analytics
        let consent = settings.current.consent
        return { context in
            let (subject, epoch) = Self.subject(of: context)
            return consent.admission(of: subject, in: epoch, for: category)
        }
    }

    /// Whose events a context holds, and how many withdrawals were before. One that cannot be read is nobody's.
    private static func subject(of context: [UInt8]) -> (String?, Int64) {
        // A context that is no JSON names no user.
        let user = (try? JSONValue.parse(context))?["user"]
        return (user?["subject"]?.string, user?["consent_epoch"]?.integer ?? 0)
    }

    // MARK: Destinations that come and go

    /// Adds a destination, or changes its category when one is given.
    func add(_ destination: DestinationID, category: ConsentCategory?) {
        categories.withLock { $0[destination] = category ?? $0[destination] ?? .analytics }
        follow()
    }

    func remove(_ destination: DestinationID) {
        categories.withLock { $0[destination] = nil }
        follow()
    }

    // MARK: What waits

    private func purge() {
        queue.order { [self] in discard() }
    }

    /// On the storage queue: has what waits in front and may never leave dropped and counted. Delivery does it on its own
    /// thread, or this where nobody delivers; another process that delivers finds the refusal in the settings before its next
    /// request, and does it.
    ///
    /// - Returns: false when another process delivers: it is asked to.
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
                    message: "Pending events could not be dropped after consent was denied (\(error)). They are not "
                        + "sent, and are dropped when they are due or at the next start."
                )
            )
            return true
        }
    }
}

/// What people's decisions and the collection policy mean now, for this installation's destinations.
struct Permission: Sendable, Hashable {
    /// What counts for the person here, at the destination where it agreed to most. Denied: nothing is recorded at all.
    let consent: Consent
    /// Whether anybody's events may leave for any destination, those of people who left before included.
    let maySend: Bool
    /// The destinations that events may be recorded for; nil when those are all.
    let destinations: [DestinationID]?
    /// What may be collected apart from that.
    let policy: CollectionPolicy

    init(_ settings: Settings, _ categories: [DestinationID: ConsentCategory]) {
        let decided = categories.values.map { settings.consent.consent(for: $0) }
        consent = decided.contains(.granted) ? .granted : decided.contains(.pending) ? .pending : .denied
        maySend = Set(categories.values).contains { settings.consent.maySend($0) }
        let permitted = categories.filter { settings.consent.mayRecord($0.value) }
        destinations = permitted.count == categories.count ? nil : permitted.keys.sorted()
        policy = settings.policy
    }

    /// The bits of the gate that make recording ask.
    var bits: RecordingGate.State {
        var bits: RecordingGate.State = []
        if destinations != nil { bits.insert(.leavesOut) }
        if policy.blocksAnything { bits.insert(.blocksEvents) }
        return bits
    }

    /// Whom an event may be recorded for; nil when there is nobody left.
    ///
    /// - Parameter route: whom it is meant for; everybody when empty.
    func narrowed(_ route: [DestinationID]) -> [DestinationID]? {
        guard let destinations else { return route }
        let narrowed = route.isEmpty ? destinations : route.filter { destinations.contains($0) }
        return narrowed.isEmpty ? nil : narrowed
    }
}

/// Asks for permission before every single request of an extension, so that nothing leaves the device that may not; delivery asks
/// before its own.
///
/// Whoever sends is stopped anyway when permission ends; this closes the moment in between, and notices a refusal that
/// another process of the same installation has written down.
package struct PermittedTransport: Transport {
    private let base: any Transport
    private let isPermitted: @Sendable () -> Bool

    /// Wraps a transport.
    package init(_ base: any Transport, isPermitted: @escaping @Sendable () -> Bool) {
        self.base = base
        self.isPermitted = isPermitted
    }

    /// Sends when permitted.
    package func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        guard isPermitted() else {
            throw .notPermitted
        }
        return try await base.send(request, timeout: timeout)
    }
}

extension Configuration {
    /// The category of each destination.
    var categories: [DestinationID: ConsentCategory] {
        // The configuration was checked: ids are unique.
        Dictionary(destinations.map { ($0.id, $0.consentCategory ?? .analytics) }) { first, _ in first }
    }
}

extension ConsentRules {
    /// How the app wants consent handled.
    init(_ configuration: Configuration) {
        self.init(
            initial: configuration.privacy.consent,
            denial: configuration.privacy.denialPolicy == .purge ? .purge : .keep,
            anonymous: configuration.privacy.anonymousEventPolicy == .mergeIntoUser ? .mergeIntoUser : .keepSeparate
        )
    }
}
