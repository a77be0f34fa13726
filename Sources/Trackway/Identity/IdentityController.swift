// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal
internal import TrackwayLifecycle

/// Runs ``IdentityMachine``, whose state is part of the shared settings.
///
/// All processes of an installation share these settings. Changes are made one at a time. First, the settings change,
/// so that the next start agrees with the events. Then recording follows the new person's consent decisions. Finally,
/// the context changes and the resulting events are recorded, in one step. Lock order: the controller's lock first,
/// then the lock of either the settings or the context store, never both.
package final class IdentityController: Sendable {
    /// The effects of a change on events and the context.
    struct Effects: Sendable {
        var identity: [IdentityMachine.Action] = []
        var consent: [ConsentMachine.Action] = []
        var diagnostics: [Diagnostic] = []
        /// The user to whom events belong after the change.
        fileprivate var user = RecordedContext.User()
        /// The attributes that the app's closure adds to the change's events.
        fileprivate var dynamic: Attributes = [:]
        /// The removed global attributes of the previous person; nil if unchanged.
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

        /// Adds the effects of a second change.
        mutating func add(_ other: Effects) {
            identity += other.identity
            consent += other.consent
            diagnostics += other.diagnostics
        }

        var isEmpty: Bool { identity.isEmpty && consent.isEmpty && diagnostics.isEmpty }

        /// Whether the change's events contain the attributes shared by all events.
        fileprivate var takesSharedAttributes: Bool {
            identity.contains { action in
                guard case .record(let name, let attributes) = action else { return false }
                return RecordSubject(name: name, attributes: attributes).takesSharedAttributes
            }
        }
    }

    /// A closure that makes a change at a given time.
    ///
    /// Called at least twice, each time with the current settings.
    typealias Change = @Sendable (inout Settings, DualTimestamp) -> Effects

    let changeLock = Locked(())
    let settings: SettingsFile
    let contextStore: ContextStore
    let consents: ConsentController
    let lifecycle: LifecycleController
    private let timers: TimerController
    private let dynamic: DynamicAttributes
    private let limits: EventLimits
    private let reporter: DiagnosticReporter
    let clock: any EventClock
    /// Whether consent decisions are recorded as events.
    let recordsConsent: Bool
    private let installation: @Sendable () -> InstallationID

    init(
        _ settings: SettingsFile,
        contextStore: ContextStore,
        consents: ConsentController,
        lifecycle: LifecycleController,
        timers: TimerController,
        dynamic: DynamicAttributes,
        limits: EventLimits,
        reporter: DiagnosticReporter,
        clock: any EventClock,
        recordsConsent: Bool,
        installation: @escaping @Sendable () -> InstallationID
    ) {
        self.settings = settings
        self.contextStore = contextStore
        self.consents = consents
        self.lifecycle = lifecycle
        self.timers = timers
        self.dynamic = dynamic
        self.limits = limits
        self.reporter = reporter
        self.clock = clock
        self.recordsConsent = recordsConsent
        self.installation = installation
    }

    /// Makes a change and records its events.
    ///
    /// A change that has no effects writes no file.
    func perform(_ change: @escaping Change) {
        lifecycle.begin()
        var known = settings.current
        let expected = change(&known, clock.now())
        guard !expected.isEmpty else { return }
        lifecycle.handleUserActivity()
        // Call the app's closure before acquiring any lock, because the closure may itself change the signed-in user.
        let shared = expected.takesSharedAttributes ? dynamic.current() : [:]
        let (before, personal) = (contextStore.current.user.uniqueID, settings.current.personal)
        let (effects, sideEffects, failure) = changeLock.withLock { _ in
            // Read the time under the lock, so that no event contains a value that was set after its time.
            let moment = clock.now()
            let (changed, failure) = settings.changeWithoutReporting { settings in
                let former = settings.identity
                var effects = change(&settings, moment)
                effects.forgotten = settings.forgetPersonal(of: former)
                effects.user = settings.user
                effects.dynamic = shared
                return effects
            }
            var effects = changed
            // Another process may already have removed the personal attributes from the file.
            if let forgotten = effects.forgotten { effects.forgotten = forgotten.union(personal) }
            consents.applySettings()
            let (_, sideEffects) = contextStore.performUnreported { transaction in
                carryOut(effects, &transaction, at: moment)
            }
            return (effects, sideEffects, failure)
        }
        // No lock is held from here on, because the app's code may run.
        if let failure { settings.report(failure) }
        contextStore.report(sideEffects)
        lifecycle.eventsRecorded()
        reporter.report(effects.diagnostics)
        consents.carryOut(effects.consent)
        if effects.forgotten != nil {
            timers.handle { machine, _ in machine.removeAll() }
            lifecycle.personChanged()
        }
        let after = contextStore.current.user.uniqueID
        if let after, after != before { lifecycle.uniqueIDChanged(to: after) }
    }

    /// Updates the ids that are derived from the installation's id, which has changed.
    func installationChanged() {
        let user = settings.current.user
        contextStore.perform { transaction in transaction.context.user = complete(user) }
        if let uniqueID = contextStore.current.user.uniqueID { lifecycle.uniqueIDChanged(to: uniqueID) }
    }

    private func carryOut(_ effects: Effects, _ transaction: inout ContextTransaction, at moment: DualTimestamp) {
        for name in effects.forgotten ?? [] { transaction.context.global[name] = nil }
        for action in effects.identity {
            switch action {
            case .context(var user):
                user.subject = effects.user.subject
                user.consentEpoch = effects.user.consentEpoch
                user.isSeparate = effects.user.isSeparate
                transaction.context.user = complete(user)
            case .record(let name, let attributes):
                transaction.record(
                    name,
                    attributes.adding(shared: effects.dynamic, toRecord: name, limit: limits.attributeCountLimit + 1),
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
                            "The user belongs to \(IdentityMachine.maxGroups) groups, the maximum, and was not added "
                            + "to a group of the type \"\(type)\".",
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
                            + "this user will get a new unique id at the next sign-in."
                    )
                )
            case .save:
                continue  // The settings have already saved the change.
            }
        }
        // Also needed if another process had already made the same change.
        transaction.context.user = complete(effects.user)
    }

    private func complete(_ user: RecordedContext.User) -> RecordedContext.User {
        IdentityOrigin(installation()).completing(user)
    }
}

extension Settings {
    /// The user as recorded in events; a nil id means the installation's own id.
    var user: RecordedContext.User {
        var user = identity.context
        user.subject = consent.subject
        user.consentEpoch = consent.epoch
        user.isSeparate = user.id == nil && consent.rules.anonymous == .keepSeparate
        return user
    }
}
