// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
public import TrackwayEvents

extension Analytics {
    /// Says who uses the app from now on. Every event recorded after this call carries the id, on every thread, and the
    /// id survives restarts until ``signOut()``.
    ///
    /// Records `_profile_set` under the new user. A user who signs in for the first time keeps the unique id of the visitor
    /// before, and what was said about the person; one who takes the place of another user gets an id of its own. A known
    /// user gets the former id back. Identifying the signed-in user again changes nothing and costs next to nothing.
    ///
    /// When another user was signed in, everything of that one ends, as with ``signOut()``.
    ///
    /// An empty id, or one longer than the limit of a text value, is a mistake: a `Diagnostic` tells, and the user
    /// stays who it was.
    public func identify(_ user: String) {
        signIn(user) { $0 }
    }

    /// The same, with a say in what is recorded.
    private func signIn(
        _ user: String,
        _ describe: @escaping @Sendable (IdentityMachine.Action) -> IdentityMachine.Action
    ) {
        guard !isInChild else { return }
        guard isValid(user: user) else { return }
        let fresh = ids.next(at: clock.now().wall)
        identity.perform { settings, moment in
            guard settings.identity.user != user else { return .init() }
            let actions = settings.identity.signedIn(user, fresh: fresh.description.uppercased(), at: moment.wall)
            return .init(identity: actions.map(describe), consent: settings.consent.signedIn(user))
        }
    }

    /// Signs the user out. Events recorded after this call carry nothing of the person.
    ///
    /// User attributes, bound ids, global attributes of the scope ``GlobalAttributeScope/person`` and running timers end, and
    /// the visitor who comes next has a unique id of its own. Records `_profile_set`. Nothing happens while nobody is signed in.
    public func signOut() {
        signOut(fresh: freshID()) { $0 }
    }

    private func signOut(
        fresh: String?,
        _ records: @escaping @Sendable ([IdentityMachine.Action]) -> [IdentityMachine.Action]
    ) {
        guard !isInChild else { return }
        identity.perform { settings, moment in
            let actions = settings.identity.signedOut(fresh: fresh, at: moment.wall)
            return .init(identity: records(actions), consent: settings.consent.signedOut())
        }
    }

    /// Who is signed in; nil when nobody is.
    public var user: String? { contextStore.current.user.id }

    /// What names the person in every event: the same again when a known user comes back.
    public var uniqueID: String { contextStore.current.user.uniqueID ?? IdentityOrigin(installation).id }

    /// What names the installation's anonymous visitor in every event, also while somebody is signed in.
    public var anonymousID: String { contextStore.current.user.anonymousID ?? IdentityOrigin(installation).id }

    /// Names the anonymous visitor in a way of the app's own. Survives restarts.
    ///
    /// An empty id, or one longer than the limit of a text value, is a mistake: a `Diagnostic` tells, and the visitor
    /// keeps its name.
    public func setAnonymousID(_ id: String) {
        guard !isInChild else { return }
        guard isTaken(id, "id", ifEmpty: "Call resetAnonymousID to go back to the installation's own.") else { return }
        let origin = IdentityOrigin(installation)
        identity.perform { settings, _ in
            // The installation's own id is not written down: it follows from the installation.
            .init(identity: settings.identity.anonymousIDSet(id == origin.id ? nil : id))
        }
    }

    /// Gives the anonymous visitor the installation's own name again.
    public func resetAnonymousID() {
        guard !isInChild else { return }
        identity.perform { settings, _ in .init(identity: settings.identity.anonymousIDSet(nil)) }
    }

    /// Says that the person has one more id, of a kind such as "mobile". Every event carries it, until somebody signs in
    /// or out or it is unbound; records `_identity_bound`.
    ///
    /// - Parameters:
    ///   - id: the id.
    ///   - kind: what kind of id it is; one of the same kind is replaced.
    public func bind(identity id: String, as kind: String) {
        guard !isInChild else { return }
        guard isTaken(id, kind) else { return }
        identity.perform { settings, _ in .init(identity: settings.identity.identityBound(id, as: kind)) }
    }

    /// Says that an id is not the person's any more; records `_identity_unbound`.
    public func unbind(identity id: String, as kind: String) {
        guard !isInChild else { return }
        guard isTaken(id, kind) else { return }
        identity.perform { settings, _ in .init(identity: settings.identity.identityUnbound(id, as: kind)) }
    }

    // MARK: Mistakes

    /// Whether it can be a user's id; a mistake is told.
    private func isValid(user: String) -> Bool {
        isTaken(user, "user", ifEmpty: "Call signOut to say that nobody is signed in.")
    }

    private func isTaken(_ id: String, _ field: String, ifEmpty remedy: String) -> Bool {
        if !id.isEmpty, id.utf8.count <= limits.stringBytes { return true }
        reporter.report(
            Diagnostic(
                code: .userInvalid,
                field: field,
                value: id,
                remedy: id.isEmpty
                    ? remedy : "Use an id of at most \(limits.stringBytes) bytes; a cut one would be somebody else's."
            )
        )
        return false
    }

    private func isTaken(_ id: String, _ kind: String) -> Bool {
        let isValid =
            (1...max(1, limits.stringBytes)).contains(id.utf8.count)
            && (1...max(1, limits.keyBytes)).contains(kind.utf8.count)
        if !isValid {
            reporter.report(
                Diagnostic(
                    code: .identityInvalid,
                    field: "identity",
                    value: "\(kind.cut(toBytes: 64)): \(id.cut(toBytes: 64))",
                    remedy: "Use a kind of 1 to \(limits.keyBytes) bytes and an id of 1 to \(limits.stringBytes) bytes."
                )
            )
        }
        return isValid
    }

    // MARK: What is known about the person

    /// Says something about the person who uses the app. Every event recorded after this call carries it, with the time
    /// it was said; attributes with a known name replace it. They survive restarts, and stay as long as the unique id.
    ///
    /// ```swift
    /// analytics.setUserAttributes(["_user_age": 21, "name": "carl"])
    /// ```
    /// Records `_profile_set`. What breaks a limit of an event's attributes is left out with a `Diagnostic`; all of the
    /// person's attributes together keep the limits of one event's.
    public func setUserAttributes(_ attributes: Attributes) {
        guard !isInChild else { return }
        let (valid, diagnostics) = attributes.valid(limits)
        reporter.report(diagnostics)
        guard !valid.isEmpty else { return }
        identity.perform { [limits] settings, moment in
            // The whole is judged too: many small additions must not outgrow the limits either.
            let (whole, diagnostics) = settings.identity.attributes.merging(valid).valid(limits)
            let fitting = Attributes(valid.filter { whole[$0.key] != nil })
            return .init(
                identity: settings.identity.attributesSet(fitting, at: moment.wall),
                diagnostics: diagnostics
            )
        }
    }

    /// Takes back what was said about the person; records `_profile_unset`, also for names that are not known here,
    /// because a back-end may know them from an earlier time.
    public func removeUserAttributes(_ names: [String]) {
        guard !isInChild else { return }
        // One more than may be, so that the excess is told.
        let marked = Attributes(
            names.prefix(limits.oneAttributeTooMany).map { (key: $0, value: AttributeValue.boolean(true)) }
        )
        let (valid, diagnostics) = marked.valid(limits)
        reporter.report(diagnostics)
        identity.perform { settings, _ in .init(identity: settings.identity.attributesRemoved(valid.keys)) }
    }
}

extension Analytics {
    /// Says who uses the app, with attributes for the event that tells of it; see ``identify(_:)``.
    package func identify(_ user: String, saying attributes: Attributes) {
        signIn(user) { $0.adding(attributes) }
    }

    /// Says that nobody is signed in, for a compatibility module whose format has no event that tells of it; see ``signOut()``.
    package func signOutSilently() {
        signOut(fresh: freshID()) { $0.unrecorded }
    }

    /// Signs the user out for a format whose document keeps the unique id until another user signs in; see ``signOut()``.
    package func signOutKeepingUniqueID() {
        signOut(fresh: nil) { $0 }
    }

    /// Says who uses the app, for a compatibility module whose format has no event that tells of it; see ``identify(_:)``.
    package func identifySilently(_ user: String) {
        guard !isInChild else { return }
        guard isValid(user: user) else { return }
        let fresh = freshID()
        identity.perform { settings, moment in
            guard settings.identity.user != user else { return .init() }
            let actions = settings.identity.signedIn(user, fresh: fresh, at: moment.wall)
            return .init(identity: actions.unrecorded, consent: settings.consent.signedIn(user))
        }
    }

    /// An id that nobody had.
    package func freshID() -> String {
        ids.next(at: clock.now().wall).description.uppercased()
    }
}

extension IdentityMachine.Action {
    fileprivate func adding(_ attributes: Attributes) -> Self {
        guard case .record(let name, let own) = self else { return self }
        return .record(name: name, attributes: attributes.merging(own))
    }
}

extension [IdentityMachine.Action] {
    /// The same without the events that tell of it.
    fileprivate var unrecorded: Self {
        filter { action in
            if case .record = action { false } else { true }
        }
    }
}

extension Diagnostic.Code {
    /// A further id of a user, or its kind, is empty or too long; it was not taken.
    public static let identityInvalid = Diagnostic.Code(rawValue: "identity_invalid")
    /// More people signed in than the SDK recognises; the one that was away longest gets another unique id.
    public static let userForgotten = Diagnostic.Code(rawValue: "user_forgotten")
    /// There are more kinds of further ids than the SDK keeps; the new one was not taken.
    public static let tooManyIdentities = Diagnostic.Code(rawValue: "too_many_identities")
}
