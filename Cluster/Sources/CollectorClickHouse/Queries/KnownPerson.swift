// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A person, with the tables' data about them.
struct KnownPerson {
    /// The part of a visitor's activity that belongs to the user who signed in.
    struct Visit {
        let activity: DeviceActivity
        /// The visitor's traits; nil if the visitor's events belong to several people.
        let traits: PersonTraits?
    }

    /// A user who is counted as another one.
    struct MergedUser {
        let id: String
        let traits: PersonTraits
    }

    /// A person's activity on one installation.
    struct DeviceActivity {
        /// The installation; nil for clients that report none.
        let installation: InstallationID?
        let first: Int64
        let last: Int64
        let events: UInt64
        let sessions: UInt64
    }

    let key: PersonKey
    var activity: [DeviceActivity] = []
    var traits = PersonTraits()
    /// The events before sign-ins, those on the most recently used installation first.
    var visits: [Visit] = []
    /// The users who are merged into this one.
    var merged: [MergedUser] = []

    /// The number of the person's events, without those before sign-ins.
    var events: UInt64 { activity.reduce(0) { $0 + $1.events } }
    /// The time of the latest event, in milliseconds since 1970.
    var last: Int64 { activity.reduce(.min) { max($0, $1.last) } }
    /// The person's place in the order of last activity.
    var cursor: TimeCursor { TimeCursor(time: Timestamp(milliseconds: last), number: TimeCursor.number(of: key)) }

    /// The activity on known installations, the most recently used first.
    var devices: [DeviceActivity] {
        activity.filter { $0.installation != nil }.sorted { left, right in
            guard left.last == right.last, let first = left.installation, let second = right.installation else {
                return left.last > right.last
            }
            return first < second
        }
    }

    /// The activity on known installations, including that before sign-ins.
    var usedDevices: [DeviceActivity] {
        devices.map { device in
            visits.filter { $0.activity.installation == device.installation }.reduce(device) { sum, visit in
                DeviceActivity(
                    installation: sum.installation,
                    first: min(sum.first, visit.activity.first),
                    last: max(sum.last, visit.activity.last),
                    events: sum.events + visit.activity.events,
                    sessions: sum.sessions + visit.activity.sessions
                )
            }
        }
    }

    /// The attributes, ordered by name.
    ///
    /// If the user and an earlier visitor both have an attribute, the value that was set later is used.
    var attributes: [StoredUser.Attribute] {
        let others = otherTraits
        guard !others.isEmpty else { return traits.attributes }
        let names = Set(([traits] + others).flatMap { $0.attributes.map { ByteText($0.name) } })
        return names.sorted().compactMap { attribute($0.text) }
    }

    /// The traits of merged users and of visitors who signed in.
    private var otherTraits: [PersonTraits] { merged.map(\.traits) + visits.compactMap(\.traits) }

    /// Returns an attribute by its name.
    func attribute(_ name: String) -> StoredUser.Attribute? {
        // Of values set at the same time, the user's own is used, then that from the lowest installation.
        otherTraits.compactMap { $0[name] }.reduce(traits[name]) { best, other in
            guard let best else { return other }
            if best.set != other.set { return best.set > other.set ? best : other }
            guard traits[name]?.set != best.set, let first = best.installation, let second = other.installation else {
                return best
            }
            return first < second ? best : other
        }
    }

    /// Returns the person as represented in a response.
    ///
    /// - Parameter page: The attributes to include; nil for none.
    func user(_ page: AttributePage?) -> StoredUser {
        var id: String?
        if case .user(let user) = key { id = user }
        let all = [traits] + otherTraits
        let used = activity + visits.map(\.activity)
        var user = StoredUser(
            id: id,
            uniqueID: all.lazy.compactMap(\.uniqueID).first,
            anonymousID: all.lazy.compactMap(\.anonymousID).first,
            firstTouch: all.compactMap(\.firstTouch).min(),
            first: Timestamp(milliseconds: used.reduce(.max) { min($0, $1.first) }),
            last: Timestamp(milliseconds: last),
            events: used.reduce(0) { $0 + $1.events },
            sessions: used.reduce(0) { $0 + $1.sessions }
        )
        user.mergedIDs = merged.map(\.id)
        user.number = cursor.number
        user.installations = devices.prefix(StoredUser.maxInstallations).compactMap(\.installation)
        guard var page else { return user }
        let after = ByteText(page.after)
        for attribute in attributes where ByteText(attribute.name) > after {
            guard page.add(attribute, to: &user) else { break }
        }
        return user
    }
}

extension PersonKey {
    /// The key, with its text compared byte by byte.
    struct Bytes: Hashable {
        let user: ByteText?
        let visitor: InstallationID?
    }

    /// The key for looking up the person.
    var bytes: Bytes {
        switch self {
        case .user(let id): Bytes(user: ByteText(id), visitor: nil)
        case .visitor(let id): Bytes(user: nil, visitor: id)
        }
    }
}
