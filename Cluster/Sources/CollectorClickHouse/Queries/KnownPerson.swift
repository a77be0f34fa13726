// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A person, with the tables' data about them.
struct KnownPerson {
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

    /// The number of the person's events.
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

    /// Returns the person as represented in a response.
    ///
    /// - Parameter page: The attributes to include; nil for none.
    func user(_ page: AttributePage?) -> StoredUser {
        var id: String?
        if case .user(let user) = key { id = user }
        var user = StoredUser(
            id: id,
            uniqueID: traits.uniqueID,
            anonymousID: traits.anonymousID,
            firstTouch: traits.firstTouch,
            first: Timestamp(milliseconds: activity.reduce(.max) { min($0, $1.first) }),
            last: Timestamp(milliseconds: last),
            events: events,
            sessions: activity.reduce(0) { $0 + $1.sessions }
        )
        user.number = cursor.number
        user.installations = devices.prefix(StoredUser.maxInstallations).compactMap(\.installation)
        guard var page else { return user }
        let after = ByteText(page.after)
        for attribute in traits.attributes where ByteText(attribute.name) > after {
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
