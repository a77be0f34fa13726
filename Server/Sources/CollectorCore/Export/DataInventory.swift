// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// What a store holds about people: counts, period, and personal data.
public struct DataInventory: Sendable, Hashable {
    /// An attribute that the app set for people.
    public struct UserAttribute: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The number of people with a value.
        public var people: UInt64

        /// Creates an attribute with its count.
        public init(name: String, people: UInt64) {
            self.name = name
            self.people = people
        }
    }

    /// A member of contexts that identifies people or devices.
    public enum ContextMember: String, Sendable, Hashable, CaseIterable {
        /// The user's id.
        case userID = "user.id"
        /// Further ids of the user.
        case identities = "user.identities"
        /// The user's attributes.
        case attributes = "user.attributes"
        /// The device's id.
        case deviceID = "device.id"
        /// The identifier for advertisers.
        case advertisingID = "device.advertising_id"
        /// The sender's address, from the collector or the app.
        case address = "ip"
    }

    /// The number of signed-in users.
    public var users: UInt64
    /// The number of visitors who did not sign in.
    public var visitors: UInt64
    /// The number of installations.
    public var installations: UInt64
    /// The number of events.
    public var events: UInt64
    /// The number of rejected events and batches.
    public var rejected: UInt64
    /// The time of the first event; nil without events.
    public var first: Timestamp?
    /// The time of the latest event; nil without events.
    public var last: Timestamp?
    /// The people's attributes, by name; at most ``maximumAttributes``.
    public var attributes: [UserAttribute]
    /// The number of contexts that were searched: the latest ones.
    public var contexts: UInt64
    /// The number of these contexts with each member.
    public var members: [ContextMember: UInt64]

    /// The maximum number of attributes.
    public static let maximumAttributes = 1_000
    /// The maximum number of contexts to search.
    public static let maximumContexts = 20_000

    /// Creates an inventory.
    public init(
        users: UInt64,
        visitors: UInt64,
        installations: UInt64,
        events: UInt64,
        rejected: UInt64,
        first: Timestamp?,
        last: Timestamp?,
        attributes: [UserAttribute],
        contexts: UInt64,
        members: [ContextMember: UInt64]
    ) {
        self.users = users
        self.visitors = visitors
        self.installations = installations
        self.events = events
        self.rejected = rejected
        self.first = first
        self.last = last
        self.attributes = attributes
        self.contexts = contexts
        self.members = members
    }

    /// Writes the inventory as members of an open object.
    public func writeMembers(to writer: inout JSONWriter) {
        for (name, count) in [
            ("users", users), ("visitors", visitors), ("installations", installations), ("events", events),
            ("rejected", rejected),
        ] {
            writer.member(name, count)
        }
        if let first { writer.member("first", first) }
        if let last { writer.member("last", last) }
        writer.list("user_attributes", attributes) { attribute, writer in
            writer.beginObject()
            writer.member("name", attribute.name)
            writer.member("people", attribute.people)
            writer.endObject()
        }
        writer.object("contexts") { writer in
            writer.member("searched", contexts)
            for member in ContextMember.allCases { writer.member(member.rawValue, members[member] ?? 0) }
        }
    }
}
