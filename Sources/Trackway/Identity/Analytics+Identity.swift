// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayLifecycle

extension Analytics {
    /// Signs a user in.
    ///
    /// Every event recorded after this call contains the user's id, on every thread and after restarts, until
    /// ``signOut()``. Records `_profile_set` for the new user.
    /// - A user who signs in for the first time keeps the person id and the attributes of the previous anonymous
    ///   visitor.
    /// - A user who signed in earlier gets their former person id back.
    /// - A user who replaces another one gets their own person id; all data of the other user is removed, as with
    ///   ``signOut()``.
    ///
    /// Identifying the signed-in user again without traits changes nothing. An empty id, or one longer than the limit
    /// for text values, is ignored with a `Diagnostic`.
    ///
    /// - Parameters:
    ///   - userID: The user's id in the app's own system.
    ///   - traits: The user's attributes, set in the same step as the sign-in; see ``setUserAttributes(_:)``.
    public func identify(_ userID: String, traits: Attributes = [:]) {
        signIn(userID, traits: traits) { $0 }
    }

    /// - Parameter describe: A closure that changes the action that records the sign-in.
    private func signIn(
        _ userID: String,
        traits: Attributes = [:],
        _ describe: @escaping @Sendable (IdentityMachine.Action) -> IdentityMachine.Action
    ) {
        guard !isInChild else { return }
        guard validate(userID, orReport: { Diagnostic(invalidUser: userID, $0) }) else { return }
        let newUniqueID = recording.ids.next(at: recording.clock.now().wall)
        let traits = permitted(traits)
        let (valid, diagnostics) = traits.isEmpty ? ([:], []) : traits.converted.valid(recording.limits)
        reporter.report(diagnostics)
        lifecycle.identity.perform { [limits = recording.limits] settings, moment in
            var changes = IdentityController.Effects()
            if settings.identity.user != userID {
                let actions = settings.identity.signIn(
                    userID,
                    newUniqueID: newUniqueID.description.uppercased(),
                    at: moment.wall
                )
                changes = .init(identity: actions.map(describe), consent: settings.consent.signIn(userID))
            }
            if !valid.isEmpty { changes.add(settings.identity.setAttributes(valid, limits, at: moment.wall)) }
            return changes
        }
    }

    /// Signs the user out.
    ///
    /// Events recorded after this call contain nothing about the person. User attributes, additional identifiers,
    /// groups, global attributes with the scope ``GlobalAttributeScope/person`` and running timers are removed, and the
    /// next visitor gets their own person id. Records `_profile_set`. Does nothing if no user is signed in.
    public func signOut() {
        signOut(newUniqueID: makeUniqueID()) { $0 }
    }

    private func signOut(
        newUniqueID: String?,
        _ records: @escaping @Sendable ([IdentityMachine.Action]) -> [IdentityMachine.Action]
    ) {
        guard !isInChild else { return }
        lifecycle.identity.perform { settings, moment in
            let actions = settings.identity.signOut(newUniqueID: newUniqueID, at: moment.wall)
            return .init(identity: records(actions), consent: settings.consent.signOut())
        }
    }

    /// Counts a user as another user.
    ///
    /// ```swift
    /// analytics.alias("anna@example.com", to: "user-42")
    /// ```
    /// The collector counts all events of the first user, earlier and later ones, as events of the second one. Use this
    /// if your system gives a user another id. A sign-in needs no alias: visitors become the user who signs in.
    ///
    /// The signed-in user does not change. Records `_alias`. An empty id, one longer than the limit for text values, and
    /// equal ids are ignored with a `Diagnostic`.
    ///
    /// - Parameters:
    ///   - userID: The id of the user who is counted as another one.
    ///   - otherID: The id of the user who remains.
    public func alias(_ userID: String, to otherID: String) {
        guard !isInChild else { return }
        for id in [userID, otherID] {
            guard validate(id, orReport: { Diagnostic(invalidUser: id, $0) }) else { return }
        }
        guard !userID.utf8.elementsEqual(otherID.utf8) else {
            return reporter.report(
                Diagnostic(
                    code: .userInvalid,
                    field: "user",
                    value: userID,
                    message: "The alias of \(userID.quoted) is the same id, so the users were not merged.",
                    recoverySuggestion: "Pass the ids of two different users."
                )
            )
        }
        lifecycle.identity.perform { _, _ in
            let attributes: Attributes = [
                CapturedKey.aliasFrom: .string(userID), CapturedKey.aliasTo: .string(otherID),
            ]
            return .init(identity: [.record(name: CapturedName.alias, attributes: attributes)])
        }
    }

    /// The id of the signed-in user, or nil.
    public var userID: String? { recording.contextStore.current.user.id }

    /// The person's id, which every event contains.
    ///
    /// The id is the same before and after a user's first sign-in, and is restored when a known user signs in.
    public var personID: String { recording.contextStore.current.user.uniqueID ?? IdentityOrigin(installationID).id }

    /// The id of the installation's anonymous visitor.
    ///
    /// Every event contains the id, even while a user is signed in.
    public var anonymousID: String {
        recording.contextStore.current.user.anonymousID ?? IdentityOrigin(installationID).id
    }

    /// Replaces the anonymous visitor's id.
    ///
    /// The id survives restarts. An empty id, or one longer than the limit for text values, is ignored with a
    /// `Diagnostic`.
    public func setAnonymousID(_ id: String) {
        guard !isInChild else { return }
        guard validate(id, orReport: { Diagnostic(invalidAnonymousID: id, $0) }) else { return }
        let origin = IdentityOrigin(installationID)
        lifecycle.identity.perform { settings, _ in
            // The installation's own id is not stored, because it is derived from the installation.
            .init(identity: settings.identity.anonymousIDSet(id == origin.id ? nil : id))
        }
    }

    /// Restores the anonymous id that is derived from the installation.
    public func resetAnonymousID() {
        guard !isInChild else { return }
        lifecycle.identity.perform { settings, _ in .init(identity: settings.identity.anonymousIDSet(nil)) }
    }

    /// Adds an identifier of the person, such as a phone number.
    ///
    /// Every event contains the identifier until ``signOut()``, a sign-in, or ``removeIdentifier(_:type:)``. Records
    /// `_identity_bound`.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - type: The identifier's type, such as `mobile`. An earlier identifier of the same type is replaced. There can
    ///     be at most 50 types.
    public func addIdentifier(_ id: String, type: String) {
        guard !isInChild else { return }
        guard validate(id, type: type, orReport: { Diagnostic(invalidIdentifier: id, type, $0) }) else { return }
        lifecycle.identity.perform { settings, _ in .init(identity: settings.identity.identityBound(id, as: type)) }
    }

    /// Removes an identifier of the person.
    ///
    /// Records `_identity_unbound`.
    public func removeIdentifier(_ id: String, type: String) {
        guard !isInChild else { return }
        guard validate(id, type: type, orReport: { Diagnostic(invalidIdentifier: id, type, $0) }) else { return }
        lifecycle.identity.perform { settings, _ in .init(identity: settings.identity.identityUnbound(id, as: type)) }
    }

    // MARK: Groups

    /// Adds the user to a group, such as a company.
    ///
    /// The call also sets attributes of the group.
    ///
    /// ```swift
    /// analytics.group("company", id: "acme", traits: ["seats": 12])
    /// ```
    /// Every event recorded after this call contains the group, even after restarts, until ``leaveGroup(_:)``,
    /// ``signOut()`` or the sign-in of another user. Records `_group_set` with `_group_type`, `_group_id` and the
    /// traits. Adding the user to the same group again without traits changes nothing. An empty type or id, or one that
    /// is too long, is ignored with a `Diagnostic`.
    ///
    /// - Parameters:
    ///   - type: The group's type. A user belongs to one group of each type, and to at most 20 groups.
    ///   - id: The group's id in the app's own system.
    ///   - traits: The group's attributes.
    public func group(_ type: String, id: String, traits: Attributes = [:]) {
        guard !isInChild else { return }
        guard validate(id, type: type, orReport: { Diagnostic(invalidGroup: type, id, $0) }) else { return }
        let (traits, diagnostics) = traits.isEmpty ? ([:], []) : traits.converted.valid(recording.limits)
        reporter.report(diagnostics)
        lifecycle.identity.perform { settings, _ in
            .init(identity: settings.identity.groupJoined(type, id: id, attributes: traits))
        }
    }

    /// Removes the user from the group of a type.
    ///
    /// Records `_group_left`. Does nothing if the user belongs to no group of this type.
    public func leaveGroup(_ type: String) {
        guard !isInChild else { return }
        lifecycle.identity.perform { settings, _ in .init(identity: settings.identity.groupLeft(type)) }
    }

    /// The ids of the user's groups, by type.
    public var groups: [String: String] {
        let members = recording.contextStore.current.user.groups.compactMap { type, id in id.string.map { (type, $0) } }
        return Dictionary(members) { _, last in last }
    }

    // MARK: Validation

    /// Returns whether an id, and its type if it has one, are within the limits.
    ///
    /// Otherwise reports the diagnostic.
    private func validate(
        _ id: String,
        type: String? = nil,
        orReport makeDiagnostic: (EventLimits) -> Diagnostic
    ) -> Bool {
        let limits = recording.limits
        let isValid =
            (1...max(1, limits.stringBytes)).contains(id.utf8.count)
            && type.map { (1...max(1, limits.keyBytes)).contains($0.utf8.count) } ?? true
        if !isValid { reporter.report(makeDiagnostic(limits)) }
        return isValid
    }

    // MARK: Attributes of the user

    /// Sets attributes of the user, in addition to those set before.
    ///
    /// Every event recorded after this call contains the attributes and the time at which they were set. An attribute
    /// with an existing name is replaced. Attributes survive restarts, and last as long as the ``personID``.
    ///
    /// ```swift
    /// analytics.setUserAttributes(["_user_age": 21, "name": "carl"])
    /// ```
    /// Records `_profile_set`. An attribute that exceeds a limit is left out with a `Diagnostic`. The limits for one
    /// event's attributes apply to all attributes of the user together.
    public func setUserAttributes(_ attributes: Attributes) {
        guard !isInChild else { return }
        let (valid, diagnostics) = permitted(attributes).converted.valid(recording.limits)
        reporter.report(diagnostics)
        guard !valid.isEmpty else { return }
        lifecycle.identity.perform { [limits = recording.limits] settings, moment in
            settings.identity.setAttributes(valid, limits, at: moment.wall)
        }
    }

    /// Returns the attributes that may be set for a user: none in an app for children, with a diagnostic.
    private func permitted(_ attributes: Attributes) -> Attributes {
        guard recording.recorder.isChildDirected, !attributes.isEmpty else { return attributes }
        reporter.report(
            Diagnostic(
                code: .childAttributesIgnored,
                field: "attributes",
                value: attributes.keys.sorted().prefix(8).joined(separator: ", "),
                message: "The attributes of the user were ignored, because the app is for children.",
                recoverySuggestion: "Do not set attributes, or set privacy.isChildDirected to false."
            )
        )
        return [:]
    }

    /// Removes attributes of the user.
    ///
    /// Records `_profile_unset`, even for names unknown to this installation, because a back end may have stored them
    /// earlier.
    public func removeUserAttributes(_ names: [String]) {
        guard !isInChild else { return }
        // Take one more than the limit, so that the excess is reported.
        let marked = Attributes(
            names.prefix(recording.limits.attributeCountLimit + 1).map {
                (key: $0, value: AttributeValue.boolean(true))
            }
        )
        let (valid, diagnostics) = marked.valid(recording.limits)
        reporter.report(diagnostics)
        lifecycle.identity.perform { settings, _ in .init(identity: settings.identity.attributesRemoved(valid.keys)) }
    }
}

extension Analytics {
    /// Signs a user in and adds attributes to the recorded event.
    ///
    /// See ``identify(_:traits:)``.
    package func identify(_ user: String, eventAttributes attributes: Attributes) {
        signIn(user) { $0.adding(attributes) }
    }

    /// Signs the user out without recording an event.
    ///
    /// For a compatibility module whose format has no such event; see ``signOut()``.
    package func signOutSilently() {
        signOut(newUniqueID: makeUniqueID()) { $0.withoutEvents }
    }

    /// Signs the user out but keeps the unique id.
    ///
    /// The id is kept until another user signs in.
    ///
    /// For a compatibility module whose format requires it; see ``signOut()``.
    package func signOutKeepingUniqueID() {
        signOut(newUniqueID: nil) { $0 }
    }

    /// Signs a user in without recording an event.
    ///
    /// For a compatibility module whose format has no such event; see ``identify(_:traits:)``.
    package func identifySilently(_ user: String) {
        guard !isInChild else { return }
        guard validate(user, orReport: { Diagnostic(invalidUser: user, $0) }) else { return }
        let newUniqueID = makeUniqueID()
        lifecycle.identity.perform { settings, moment in
            guard settings.identity.user != user else { return .init() }
            let actions = settings.identity.signIn(user, newUniqueID: newUniqueID, at: moment.wall)
            return .init(identity: actions.withoutEvents, consent: settings.consent.signIn(user))
        }
    }

    /// Returns a new unique id.
    package func makeUniqueID() -> String {
        recording.ids.next(at: recording.clock.now().wall).description.uppercased()
    }
}

extension IdentityMachine {
    /// Sets the attributes that fit within the limits.
    ///
    /// All attributes of the user together must stay within the limits of one event's attributes.
    fileprivate mutating func setAttributes(
        _ new: Attributes,
        _ limits: EventLimits,
        at now: Timestamp
    ) -> IdentityController.Effects {
        let (whole, diagnostics) = attributes.merging(new).valid(limits)
        let fitting = Attributes(new.filter { whole[$0.key] != nil })
        return .init(identity: attributesSet(fitting, at: now), diagnostics: diagnostics)
    }
}

extension IdentityMachine.Action {
    fileprivate func adding(_ attributes: Attributes) -> Self {
        guard case .record(let name, let own) = self else { return self }
        return .record(name: name, attributes: attributes.merging(own))
    }
}

extension [IdentityMachine.Action] {
    /// A copy of these actions, excluding the ones that record events.
    fileprivate var withoutEvents: Self {
        filter { action in
            if case .record = action { false } else { true }
        }
    }
}

extension Diagnostic {
    fileprivate init(invalidUser id: String, _ limits: EventLimits) {
        self.init(invalid: id, "user", ifEmpty: "Call signOut to sign the user out.", limits)
    }

    fileprivate init(invalidAnonymousID id: String, _ limits: EventLimits) {
        self.init(invalid: id, "id", ifEmpty: "Call resetAnonymousID to restore the original id.", limits)
    }

    private init(invalid id: String, _ field: String, ifEmpty suggestion: String, _ limits: EventLimits) {
        self.init(
            code: .userInvalid,
            field: field,
            value: id,
            message: id.isEmpty
                ? "The id is empty, so the user was not changed."
                : "The id \(id.quoted) has \(id.utf8.count) bytes and the limit is \(limits.stringBytes), so the "
                    + "user was not changed. It is not truncated because it could then match another user.",
            recoverySuggestion: id.isEmpty ? suggestion : "Use an id of at most \(limits.stringBytes) bytes."
        )
    }

    fileprivate init(invalidIdentifier id: String, _ type: String, _ limits: EventLimits) {
        let (type, id) = (type.truncated(toUTF8Count: 64), id.truncated(toUTF8Count: 64))
        self.init(
            code: .identityInvalid,
            field: "identity",
            value: "\(type): \(id)",
            message: "The identifier \(id.quoted) of the type \(type.quoted) was ignored because one of the two is "
                + "empty or too long.",
            recoverySuggestion: Self.bounds(limits)
        )
    }

    fileprivate init(invalidGroup type: String, _ id: String, _ limits: EventLimits) {
        self.init(
            code: .groupInvalid,
            field: "group",
            value: "\(type.truncated(toUTF8Count: 64)): \(id.truncated(toUTF8Count: 64))",
            message: "The group's type or id is empty or too long; the user was not added to the group.",
            recoverySuggestion: Self.bounds(limits)
        )
    }

    private static func bounds(_ limits: EventLimits) -> String {
        "Use a type of 1 to \(limits.keyBytes) bytes and an id of 1 to \(limits.stringBytes) bytes."
    }
}
