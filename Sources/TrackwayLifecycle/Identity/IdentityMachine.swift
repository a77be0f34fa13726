// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The state machine that decides which user the events belong to.
///
/// A unique id identifies a person. The first person has the installation's id; each visitor after a sign-out gets a
/// new one. A user who signs in for the first time keeps the id of the preceding visitor. A known user gets their
/// earlier id and first touch back. The person's attributes are kept while the unique id stays the same, are dropped
/// when it changes, and never outlive a sign-out.
///
/// Ids that were never set are not stored here. They are derived from the installation's id (``IdentityOrigin``), so an
/// empty state is valid.
package struct IdentityMachine: Sendable, Equatable {
    /// An action for the caller; actions are performed in order.
    package enum Action: Sendable, Equatable {
        /// From now on, events belong to this user.
        ///
        /// nil ids stand for the installation's own (``IdentityOrigin/completing(_:)``).
        case context(RecordedContext.User)
        /// Record this event at the input's time under the latest context.
        case record(name: String, attributes: Attributes)
        /// Report that an id of this type exceeded the limit.
        case reportTooManyIdentities(kind: String)
        /// Report that a group of this type was not joined.
        ///
        /// The user already belongs to the maximum number of groups.
        case reportTooManyGroups(type: String)
        /// Report that this user was forgotten.
        ///
        /// Too many other users have signed in since, so this user gets a different unique id when they return.
        case reportUserForgotten(String)
        /// Persist the state.
        case save
    }

    /// The maximum number of users recognized when they return.
    ///
    /// Beyond this limit, the user who has been away longest is forgotten, and this is reported. A device with more
    /// users than this is a public device.
    package static let maxKnownUsers = 1_000
    /// The maximum number of types of additional ids.
    package static let maxIdentities = 50
    /// The maximum number of groups, one for each type.
    package static let maxGroups = 20

    /// The signed-in user; nil if none.
    package private(set) var user: String?
    private var signedInAt: Timestamp?
    /// All users who signed in, most recent last.
    package private(set) var known: [KnownUser]
    private var uniqueID: String?
    private var firstTouch: Timestamp?
    private var anonymousID: String?
    private var identities: Attributes
    /// The group ids by type.
    package private(set) var groups: Attributes
    private var userAttributes: [RecordedContext.User.Attribute]

    /// Creates a machine without any users.
    package init() {
        known = []
        identities = [:]
        groups = [:]
        userAttributes = []
    }

    /// The user of new events; nil ids stand for the installation's.
    package var context: RecordedContext.User {
        RecordedContext.User(
            id: user,
            signedInAt: signedInAt,
            uniqueID: uniqueID,
            firstTouch: firstTouch,
            anonymousID: anonymousID,
            identities: identities,
            groups: groups,
            attributes: userAttributes
        )
    }

    /// The attributes that the app has set for the person.
    package var attributes: Attributes { Attributes(userAttributes.map { (key: $0.name, value: $0.value) }) }

    // MARK: Inputs

    /// Handles a user's sign-in.
    ///
    /// Nothing changes if that user is already signed in.
    ///
    /// - Parameter newUniqueID: The unique id for a person who needs a new one.
    package mutating func signIn(_ user: String, newUniqueID: String, at now: Timestamp) -> [Action] {
        guard user != self.user else { return [] }
        let returning = known.firstIndex { $0.user == user }.map { known.remove(at: $0) }
        // If no known user has this id, it belongs to a visitor, who is the user now signing in.
        let isVisitors = !known.contains { $0.uniqueID == uniqueID }
        let person =
            returning
            ?? (isVisitors
                ? KnownUser(user: user, uniqueID: uniqueID, firstTouch: firstTouch)
                : KnownUser(user: user, uniqueID: newUniqueID, firstTouch: now))
        if person.uniqueID != uniqueID { userAttributes = [] }
        // The previous user's ids and groups do not apply to the new user.
        if self.user != nil {
            identities = [:]
            groups = [:]
        }
        uniqueID = person.uniqueID
        firstTouch = person.firstTouch
        self.user = user
        signedInAt = now
        known.append(person)
        var actions = [
            Action.context(context), .record(name: CapturedName.profileSet, attributes: Self.signInAttributes),
        ]
        if known.count > Self.maxKnownUsers { actions.append(.reportUserForgotten(known.removeFirst().user)) }
        if !identities.isEmpty {
            // The ids bound so far help to identify the user who signed in; from this point on, the app decides to
            // whom they belong.
            identities = [:]
            actions.append(.context(context))
        }
        return actions + [.save]
    }

    /// Handles the user's sign-out.
    ///
    /// Later events contain no data about that person.
    ///
    /// - Parameter newUniqueID: The unique id for the next visitor. If nil, the visitor keeps the user's id, as the
    ///   documentation of some formats requires.
    package mutating func signOut(newUniqueID: String?, at now: Timestamp) -> [Action] {
        guard user != nil else { return [] }
        user = nil
        signedInAt = nil
        identities = [:]
        groups = [:]
        userAttributes = []
        if let newUniqueID {
            uniqueID = newUniqueID
            firstTouch = now
        }
        return [.context(context), .record(name: CapturedName.profileSet, attributes: Self.signOutAttributes), .save]
    }

    /// Sets attributes of the person.
    package mutating func attributesSet(_ new: Attributes, at now: Timestamp) -> [Action] {
        guard !new.isEmpty else { return [] }
        for (name, value) in new {
            let attribute = RecordedContext.User.Attribute(name: name, value: value, setAt: now)
            if let place = userAttributes.firstIndex(where: { $0.name == name }) {
                userAttributes[place] = attribute
            } else {
                userAttributes.append(attribute)
            }
        }
        return [.context(context), .record(name: CapturedName.profileSet, attributes: [:]), .save]
    }

    /// Removes attributes of the person, even ones set by an earlier process.
    package mutating func attributesRemoved(_ names: [String]) -> [Action] {
        guard !names.isEmpty else { return [] }
        let before = userAttributes.count
        userAttributes.removeAll { names.contains($0.name) }
        let removal = Attributes(names.map { (key: $0, value: AttributeValue.boolean(true)) })
        let record = Action.record(name: CapturedName.profileUnset, attributes: removal)
        return userAttributes.count == before ? [record] : [.context(context), record, .save]
    }

    /// Sets the anonymous visitor's id; nil restores the installation's.
    package mutating func anonymousIDSet(_ id: String?) -> [Action] {
        guard id != anonymousID else { return [] }
        anonymousID = id
        return [.context(context), .save]
    }

    /// Adds an id of the person.
    package mutating func identityBound(_ id: String, as kind: String) -> [Action] {
        guard identities[kind] != .string(id) else { return [] }
        guard identities[kind] != nil || identities.count < Self.maxIdentities else {
            return [.reportTooManyIdentities(kind: kind)]
        }
        identities[kind] = .string(id)
        return [.context(context), Self.record(CapturedName.identityBound, id, kind), .save]
    }

    /// Removes an id of the person.
    ///
    /// An id that is unknown on this device may be known elsewhere, so its removal is recorded too.
    package mutating func identityUnbound(_ id: String, as kind: String) -> [Action] {
        let record = Self.record(CapturedName.identityUnbound, id, kind)
        guard identities[kind] == .string(id) else { return [record] }
        identities[kind] = nil
        return [.context(context), record, .save]
    }

    /// Joins a group, replacing the group of the same type.
    ///
    /// Records the group's attributes. Joining the same group again without attributes changes and records nothing.
    package mutating func groupJoined(_ type: String, id: String, attributes: Attributes) -> [Action] {
        let isMember = groups[type] == .string(id)
        guard !isMember || !attributes.isEmpty else { return [] }
        guard groups[type] != nil || groups.count < Self.maxGroups else { return [.reportTooManyGroups(type: type)] }
        groups[type] = .string(id)
        let record = Action.record(
            name: CapturedName.groupSet,
            attributes: Self.group(type, id).filled(from: attributes, limit: attributes.count)
        )
        return isMember ? [record] : [.context(context), record, .save]
    }

    /// Leaves the group of a type, if the user belongs to one.
    package mutating func groupLeft(_ type: String) -> [Action] {
        guard let id = groups[type]?.string else { return [] }
        groups[type] = nil
        return [.context(context), .record(name: CapturedName.groupLeft, attributes: Self.group(type, id)), .save]
    }

    private static func group(_ type: String, _ id: String) -> Attributes {
        [CapturedKey.groupType: .string(type), CapturedKey.groupID: .string(id)]
    }

    /// Imports the identity known to an older SDK of the app.
    ///
    /// The older SDK's values fill only values that are unset. Once a user has signed in with this SDK, the older SDK's
    /// users, unique id, and attributes are ignored. Importing the same values again changes nothing.
    ///
    /// Nothing is recorded, because the older SDK has already reported the identity to the back ends.
    package mutating func migrate(from former: LegacyUser, at now: Timestamp) {
        anonymousID = anonymousID ?? former.anonymousID
        if identities.isEmpty { identities = former.identities }
        guard user == nil, known.isEmpty, uniqueID == nil else { return }
        uniqueID = former.uniqueID
        firstTouch = former.firstTouch
        known = Array(former.known.filter { $0.user != former.user }.suffix(Self.maxKnownUsers - 1))
        let others = userAttributes.map(\.name)
        userAttributes = former.attributes.filter { !others.contains($0.name) } + userAttributes
        guard let name = former.user else { return }
        user = name
        signedInAt = former.signedInAt ?? now
        known.append(KnownUser(user: name, uniqueID: uniqueID, firstTouch: firstTouch))
    }

    /// Forgets everything.
    package mutating func erase() -> [Action] {
        self = IdentityMachine()
        return [.context(context), .save]
    }

    private static let signInAttributes: Attributes = [CapturedKey.signedIn: true]
    private static let signOutAttributes: Attributes = [CapturedKey.signedIn: false]

    private static func record(_ name: String, _ id: String, _ kind: String) -> Action {
        .record(
            name: name,
            attributes: [CapturedKey.identityKey: .string(kind), CapturedKey.identityValue: .string(id)]
        )
    }
}

extension IdentityMachine: StoredJSON {
    package init(json: JSONValue) throws(JSONError) {
        guard json.object != nil else { throw .stateInvalid }
        self.init()
        user = json["user"]?.string
        signedInAt = json["signed_in"]?.integer.map { Timestamp(milliseconds: $0) }
        uniqueID = json["unique_id"]?.string
        firstTouch = json["first_touch"]?.integer.map { Timestamp(milliseconds: $0) }
        anonymousID = json["anonymous_id"]?.string
        if let stored = json["identities"]?.object { identities = Attributes(strings: stored) }
        if let stored = json["groups"]?.object { groups = Attributes(strings: stored) }
        for member in json["attributes"]?.object?.members ?? [] {
            guard let value = member.value["value"].flatMap({ AttributeValue($0) }),
                let set = member.value["set"]?.integer
            else { throw .stateInvalid }
            userAttributes.append(.init(name: member.key, value: value, setAt: Timestamp(milliseconds: set)))
        }
        if let pointers = json["texts"]?.array {
            var values = attributes
            values.restoreStrings(at: pointers.compactMap(\.string))
            for index in userAttributes.indices {
                userAttributes[index].value = values[userAttributes[index].name] ?? userAttributes[index].value
            }
        }
        for person in json["known"]?.array ?? [] { known.append(try KnownUser(json: person)) }
        // The state was written by a version that did not keep a list of users.
        if let user, known.isEmpty { known = [KnownUser(user: user, uniqueID: uniqueID, firstTouch: firstTouch)] }
    }

    package var json: JSONValue {
        let attributes = userAttributes.map { attribute in
            JSONValue.Object.Member(
                key: attribute.name,
                value: .object(
                    .init(present: ["value": attribute.value.json, "set": .integer(attribute.setAt.milliseconds)])
                )
            )
        }
        let texts = self.attributes.dateLikeStringPointers
        return .object(
            .init(present: [
                "user": user.map { .string($0) },
                "signed_in": signedInAt.map { .integer($0.milliseconds) },
                "unique_id": uniqueID.map { .string($0) },
                "first_touch": firstTouch.map { .integer($0.milliseconds) },
                "anonymous_id": anonymousID.map { .string($0) },
                "identities": identities.isEmpty ? nil : .object(identities.json),
                "groups": groups.isEmpty ? nil : .object(groups.json),
                "attributes": attributes.isEmpty ? nil : .object(.init(attributes)),
                "texts": texts.isEmpty ? nil : .array(texts.map { .string($0) }),
                "known": known.isEmpty ? nil : .array(known.map(\.json)),
            ])
        )
    }
}

/// A user who has signed in on this device.
package struct KnownUser: Sendable, Hashable {
    /// The user's id, as set by the app.
    package var user: String
    /// The unique id; nil for the installation's own.
    package var uniqueID: String?
    /// The time of the person's first opening; nil if ``uniqueID`` is nil.
    package var firstTouch: Timestamp?

    /// Creates a known user.
    package init(user: String, uniqueID: String?, firstTouch: Timestamp?) {
        self.user = user
        self.uniqueID = uniqueID
        self.firstTouch = firstTouch
    }

    fileprivate init(json: JSONValue) throws(JSONError) {
        guard let user = json["user"]?.string else { throw .stateInvalid }
        self.init(
            user: user,
            uniqueID: json["unique_id"]?.string,
            firstTouch: json["first_touch"]?.integer.map { Timestamp(milliseconds: $0) }
        )
    }

    fileprivate var json: JSONValue {
        .object(
            .init(present: [
                "user": .string(user),
                "unique_id": uniqueID.map { .string($0) },
                "first_touch": firstTouch.map { .integer($0.milliseconds) },
            ])
        )
    }
}
