// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides who the events belong to.
///
/// A unique id names a person. The first person has the installation's own; each visitor after a sign-out has a new one. A
/// user who signs in for the first time keeps the id of the visitor before, and a known user gets the former id and first
/// touch back. What the app said about a person stays as long as the unique id stays, is forgotten with a change of it, and
/// never outlives a sign-out.
///
/// Ids that nobody set are not kept here but follow from the installation's (``IdentityOrigin``), so that an empty state
/// is a correct one.
package struct IdentityMachine: Sendable, Hashable {
    /// An order to the driver; they are carried out in their order.
    package enum Action: Sendable, Hashable {
        /// From now on events belong to this user. Ids that are nil are the installation's own
        /// (``IdentityOrigin/completing(_:)``).
        case context(RecordedContext.User)
        /// Record this event, at the moment of the input, under the latest context.
        case record(name: String, attributes: Attributes)
        /// Say that there are too many kinds of ids, and that this one was not taken.
        case reportTooManyIdentities(kind: String)
        /// Report that the user belongs to the maximum number of groups and did not join the one of this type.
        case reportTooManyGroups(type: String)
        /// Say that this user gets another unique id when they come back, because too many others signed in since.
        case reportUserForgotten(String)
        /// Write the state down.
        case save
    }

    /// The most users that are recognised when they come back; beyond it the one that was away longest is forgotten, and
    /// that is told. A device that more people share than this is a public one.
    package static let maxKnownUsers = 1_000
    /// The most kinds of further ids.
    package static let maxIdentities = 50
    /// The maximum number of groups, one for each type.
    package static let maxGroups = 20

    /// Who is signed in; nil when nobody is.
    package private(set) var user: String?
    private var signedInAt: Timestamp?
    /// Everybody who signed in, the latest last.
    package private(set) var known: [KnownUser]
    private var uniqueID: String?
    private var firstTouch: Timestamp?
    private var anonymousID: String?
    private var identities: Attributes
    /// Group ids by type.
    package private(set) var groups: Attributes
    private var described: [RecordedContext.User.Attribute]

    /// Nobody signed in yet.
    package init() {
        known = []
        identities = [:]
        groups = [:]
        described = []
    }

    /// The user of events recorded now; ids that are nil are the installation's own.
    package var context: RecordedContext.User {
        RecordedContext.User(
            id: user,
            signedInAt: signedInAt,
            uniqueID: uniqueID,
            firstTouch: firstTouch,
            anonymousID: anonymousID,
            identities: identities,
            groups: groups,
            attributes: described
        )
    }

    /// What the app said about the person.
    package var attributes: Attributes { Attributes(described.map { (key: $0.name, value: $0.value) }) }

    // MARK: What the app said

    /// Somebody signed in. Saying it of the one who is signed in changes nothing.
    ///
    /// - Parameter fresh: A unique id for a person who needs a new one.
    package mutating func signedIn(_ user: String, fresh: String, at now: Timestamp) -> [Action] {
        guard user != self.user else { return [] }
        let returning = known.firstIndex { $0.user == user }.map { known.remove(at: $0) }
        // Nobody else has the id so far: it is a visitor's, who turns out to be this user.
        let isVisitors = !known.contains { $0.uniqueID == uniqueID }
        let person =
            returning
            ?? (isVisitors
                ? KnownUser(user: user, uniqueID: uniqueID, firstTouch: firstTouch)
                : KnownUser(user: user, uniqueID: fresh, firstTouch: now))
        if person.uniqueID != uniqueID { described = [] }
        // Those of another user say nothing of this one.
        if self.user != nil {
            identities = [:]
            groups = [:]
        }
        uniqueID = person.uniqueID
        firstTouch = person.firstTouch
        self.user = user
        signedInAt = now
        known.append(person)
        var actions = [Action.context(context), .record(name: CapturedName.profileSet, attributes: Self.signIn)]
        if known.count > Self.maxKnownUsers { actions.append(.reportUserForgotten(known.removeFirst().user)) }
        if !identities.isEmpty {
            // The ids bound so far help to recognise who signed in; to whom they belong from here on is for the app to say.
            identities = [:]
            actions.append(.context(context))
        }
        return actions + [.save]
    }

    /// The user signed out. Nothing of the person is left for the events that follow.
    ///
    /// - Parameter fresh: A unique id for the visitor who comes next; nil lets the visitor keep the user's, for formats whose
    ///   document says so.
    package mutating func signedOut(fresh: String?, at now: Timestamp) -> [Action] {
        guard user != nil else { return [] }
        user = nil
        signedInAt = nil
        identities = [:]
        groups = [:]
        described = []
        if let fresh {
            uniqueID = fresh
            firstTouch = now
        }
        return [.context(context), .record(name: CapturedName.profileSet, attributes: Self.signOut), .save]
    }

    /// The app said something about the person.
    package mutating func attributesSet(_ new: Attributes, at now: Timestamp) -> [Action] {
        guard !new.isEmpty else { return [] }
        for (name, value) in new {
            let attribute = RecordedContext.User.Attribute(name: name, value: value, setAt: now)
            if let place = described.firstIndex(where: { $0.name == name }) {
                described[place] = attribute
            } else {
                described.append(attribute)
            }
        }
        return [.context(context), .record(name: CapturedName.profileSet, attributes: [:]), .save]
    }

    /// The app took something back that it had said about the person, perhaps in an earlier life.
    package mutating func attributesRemoved(_ names: [String]) -> [Action] {
        guard !names.isEmpty else { return [] }
        let before = described.count
        described.removeAll { names.contains($0.name) }
        let removal = Attributes(names.map { (key: $0, value: AttributeValue.boolean(true)) })
        let record = Action.record(name: CapturedName.profileUnset, attributes: removal)
        return described.count == before ? [record] : [.context(context), record, .save]
    }

    /// The app named the anonymous visitor in its own way; nil for the installation's.
    package mutating func anonymousIDSet(_ id: String?) -> [Action] {
        guard id != anonymousID else { return [] }
        anonymousID = id
        return [.context(context), .save]
    }

    /// The app knows one more id of the person.
    package mutating func identityBound(_ id: String, as kind: String) -> [Action] {
        guard identities[kind] != .string(id) else { return [] }
        guard identities[kind] != nil || identities.count < Self.maxIdentities else {
            return [.reportTooManyIdentities(kind: kind)]
        }
        identities[kind] = .string(id)
        return [.context(context), Self.record(CapturedName.identityBound, id, kind), .save]
    }

    /// An id is no longer the person's. One that is not known here may be elsewhere, so it is recorded too.
    package mutating func identityUnbound(_ id: String, as kind: String) -> [Action] {
        let record = Self.record(CapturedName.identityUnbound, id, kind)
        guard identities[kind] == .string(id) else { return [record] }
        identities[kind] = nil
        return [.context(context), record, .save]
    }

    /// Joins a group, in place of the one of the same type, and records attributes of it.
    ///
    /// Joining the same group again without attributes changes nothing and records nothing.
    package mutating func groupJoined(_ type: String, id: String, attributes: Attributes) -> [Action] {
        let isMember = groups[type] == .string(id)
        guard !isMember || !attributes.isEmpty else { return [] }
        guard groups[type] != nil || groups.count < Self.maxGroups else { return [.reportTooManyGroups(type: type)] }
        groups[type] = .string(id)
        let record = Action.record(
            name: CapturedName.groupSet,
            attributes: Self.group(type, id).filled(from: attributes, most: attributes.count)
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

    /// An older SDK of the app knew people. It counts for what nobody said here; once somebody signed in here, who they are is ours to
    /// say. The same a second time changes nothing.
    ///
    /// Nothing is recorded: the back-ends heard of it from that SDK.
    package mutating func takenOver(_ former: FormerPerson, at now: Timestamp) {
        anonymousID = anonymousID ?? former.anonymousID
        if identities.isEmpty { identities = former.identities }
        guard user == nil, known.isEmpty, uniqueID == nil else { return }
        uniqueID = former.uniqueID
        firstTouch = former.firstTouch
        known = Array(former.known.filter { $0.user != former.user }.suffix(Self.maxKnownUsers - 1))
        let others = described.map(\.name)
        described = former.attributes.filter { !others.contains($0.name) } + described
        guard let name = former.user else { return }
        user = name
        signedInAt = former.signedInAt ?? now
        known.append(KnownUser(user: name, uniqueID: uniqueID, firstTouch: firstTouch))
    }

    /// Everything is to be forgotten.
    package mutating func erased() -> [Action] {
        self = IdentityMachine()
        return [.context(context), .save]
    }

    private static let signIn: Attributes = [CapturedKey.signedIn: true]
    private static let signOut: Attributes = [CapturedKey.signedIn: false]

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
        if let stored = json["identities"]?.object { identities = Attributes(texts: stored) }
        if let stored = json["groups"]?.object { groups = Attributes(texts: stored) }
        for member in json["attributes"]?.object?.members ?? [] {
            guard let value = member.value["value"].flatMap({ AttributeValue($0) }),
                let set = member.value["set"]?.integer
            else { throw .stateInvalid }
            described.append(.init(name: member.key, value: value, setAt: Timestamp(milliseconds: set)))
        }
        if let pointers = json["texts"]?.array {
            var values = attributes
            values.restoreTexts(at: pointers.compactMap(\.string))
            for index in described.indices {
                described[index].value = values[described[index].name] ?? described[index].value
            }
        }
        for person in json["known"]?.array ?? [] { known.append(try KnownUser(json: person)) }
        // Written before people were told apart.
        if let user, known.isEmpty { known = [KnownUser(user: user, uniqueID: uniqueID, firstTouch: firstTouch)] }
    }

    package var json: JSONValue {
        let attributes = described.map { attribute in
            JSONValue.Object.Member(
                key: attribute.name,
                value: .object(
                    .init(present: ["value": attribute.value.json, "set": .integer(attribute.setAt.milliseconds)])
                )
            )
        }
        let texts = self.attributes.textsInFormOfDates
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

/// Somebody who signed in on this installation, and what names the person when it comes back.
package struct KnownUser: Sendable, Hashable {
    /// The id the app gave.
    package var user: String
    /// The unique id; nil for the installation's own.
    package var uniqueID: String?
    /// When the person first opened the app; nil together with ``uniqueID``.
    package var firstTouch: Timestamp?

    /// A person of these parts.
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
