// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal

/// Drives ``IdentityMachine``, whose state lies in the settings that all processes of an installation share.
///
/// One change after the other: the settings first, so that the next start ends with what the events say; then recording
/// follows what the new person decided about consent; then the context changes and the events that tell of it are
/// recorded, in one step. Locks are taken in the order driver, settings or context store, never both.
package final class IdentityDriver: Sendable {
    /// What a change ordered.
    struct Orders: Sendable {
        var identity: [IdentityMachine.Action] = []
        var consent: [ConsentMachine.Action] = []
        var diagnostics: [Diagnostic] = []
        /// Who events belong to after the change.
        fileprivate var user = RecordedContext.User()
        /// What the app's closure adds to events that tell of the change.
        fileprivate var dynamic: Attributes = [:]
        /// The global attributes of a person who left; nil when the person is the same.
        fileprivate var forgotten: Set<String>?

        init(
            identity: [IdentityMachine.Action] = [],
            consent: [ConsentMachine.Action] = [],
            diagnostics: [Diagnostic] = []
        ) {
            self.identity = identity
            self.consent = consent
            self.diagnostics = diagnostics
        }

        /// Adds what a second change ordered.
        mutating func add(_ other: Orders) {
            identity += other.identity
            consent += other.consent
            diagnostics += other.diagnostics
        }

        var isEmpty: Bool { identity.isEmpty && consent.isEmpty && diagnostics.isEmpty }

        /// Whether an event tells of the change that takes attributes which the app adds to every event.
        fileprivate var takesSharedAttributes: Bool {
            identity.contains { action in
                guard case .record(let name, let attributes) = action else { return false }
                return RecordSubject(name: name, attributes: attributes).takesSharedAttributes
            }
        }
    }

    /// A change, made at a moment; called twice or more, each time on the settings as they are then.
    typealias Change = @Sendable (inout Settings, Moment) -> Orders

    private let order = Locked(())
    private let settings: SettingsFile
    private let contextStore: ContextStore
    private let consents: ConsentDriver
    private let behavior: BehaviorDriver
    private let timers: TimerDriver
    private let dynamic: DynamicAttributes
    private let limits: EventLimits
    private let reporter: DiagnosticReporter
    private let clock: any EventClock
    private let installation: @Sendable () -> InstallationID

    init(
        _ settings: SettingsFile,
        contextStore: ContextStore,
        consents: ConsentDriver,
        behavior: BehaviorDriver,
        timers: TimerDriver,
        dynamic: DynamicAttributes,
        limits: EventLimits,
        reporter: DiagnosticReporter,
        clock: any EventClock,
        installation: @escaping @Sendable () -> InstallationID
    ) {
        self.settings = settings
        self.contextStore = contextStore
        self.consents = consents
        self.behavior = behavior
        self.timers = timers
        self.dynamic = dynamic
        self.limits = limits
        self.reporter = reporter
        self.clock = clock
        self.installation = installation
    }

    /// Makes a change, and records what tells of it. A change that orders nothing costs no file.
    func perform(_ change: @escaping Change) {
        behavior.begin()
        var known = settings.current
        let expected = change(&known, clock.now())
        guard !expected.isEmpty else { return }
        behavior.userActs()
        // The app's closure is called before any lock is taken; it may well change who is signed in itself.
        let shared = expected.takesSharedAttributes ? dynamic.current() : [:]
        let (before, personal) = (contextStore.current.user.uniqueID, settings.current.personal)
        let (orders, sideEffects, failure) = order.withLock { _ in
            // Read in here: no event tells of something that was set after it.
            let moment = clock.now()
            let (changed, failure) = settings.changeUntold { settings in
                let former = settings.identity
                var orders = change(&settings, moment)
                orders.forgotten = settings.forgetPersonal(of: former)
                orders.user = settings.user
                orders.dynamic = shared
                return orders
            }
            var orders = changed
            // Another process may have removed them from the file before.
            if let forgotten = orders.forgotten { orders.forgotten = forgotten.union(personal) }
            consents.follow()
            let (_, sideEffects) = contextStore.performUnreported { transaction in
                carryOut(orders, &transaction, at: moment)
            }
            return (orders, sideEffects, failure)
        }
        // No lock is held any more: the app may call back.
        if let failure { settings.report(failure) }
        contextStore.report(sideEffects)
        behavior.eventsRecorded()
        reporter.report(orders.diagnostics)
        consents.carryOut(orders.consent)
        if orders.forgotten != nil {
            timers.report { machine, _ in machine.cleared() }
            behavior.personChanged()
        }
        let after = contextStore.current.user.uniqueID
        if let after, after != before { behavior.uniqueIDChanged(to: after) }
    }

    /// The installation has another id now, from which what nobody set follows.
    func installationChanged() {
        let user = settings.current.user
        contextStore.perform { transaction in transaction.context.user = complete(user) }
        if let uniqueID = contextStore.current.user.uniqueID { behavior.uniqueIDChanged(to: uniqueID) }
    }

    private func carryOut(_ orders: Orders, _ transaction: inout ContextTransaction, at moment: Moment) {
        for name in orders.forgotten ?? [] { transaction.context.global[name] = nil }
        for action in orders.identity {
            switch action {
            case .context(var user):
                user.subject = orders.user.subject
                user.consentEpoch = orders.user.consentEpoch
                user.isSeparate = orders.user.isSeparate
                transaction.context.user = complete(user)
            case .record(let name, let attributes):
                transaction.record(
                    name,
                    attributes.adding(shared: orders.dynamic, toRecord: name, most: limits.oneAttributeTooMany),
                    at: moment
                )
            case .reportTooManyIdentities(let kind):
                transaction.report(
                    Diagnostic(
                        code: .tooManyIdentities,
                        field: "as",
                        value: kind,
                        message: "The identifier of the type \(kind.quoted) was ignored because the user has "
                            + "identifiers of \(IdentityMachine.maxIdentities) types, which is the limit.",
                        recoverySuggestion: "Call removeIdentifier for identifiers that are not needed."
                    )
                )
            case .reportTooManyGroups(let type):
                transaction.report(
                    Diagnostic(
                        code: .tooManyGroups,
                        field: "group",
                        value: type,
                        message:
                            "The user belongs to \(IdentityMachine.maxGroups) groups, the maximum, and did not join one of the type "
                            + "\"\(type)\".",
                        recoverySuggestion: "Call leaveGroup for a group that is not needed."
                    )
                )
            case .reportUserForgotten(let user):
                transaction.report(
                    Diagnostic(
                        code: .userForgotten,
                        field: "user",
                        value: user,
                        message: "The user \(user.quoted) was forgotten because at most "
                            + "\(IdentityMachine.maxKnownUsers) users are recognized on one device. Nothing is lost; "
                            + "this user gets another unique id at the next sign-in."
                    )
                )
            case .save:
                continue  // The change was one of the settings.
            }
        }
        // Also when another process had made the same change already.
        transaction.context.user = complete(orders.user)
    }

    private func complete(_ user: RecordedContext.User) -> RecordedContext.User {
        IdentityOrigin(installation()).completing(user)
    }
}

extension Settings {
    /// Who events belong to; ids that are nil are the installation's own.
    var user: RecordedContext.User {
        var user = identity.context
        user.subject = consent.subject
        user.consentEpoch = consent.epoch
        user.isSeparate = user.id == nil && consent.rules.anonymous == .keepSeparate
        return user
    }
}
