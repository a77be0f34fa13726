// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What a line about a stored event shows.
struct StoredEventSummary: Sendable, Hashable {
    /// The event's name.
    var name: String
    /// The device's wall time.
    var time: Timestamp
    /// Its user; nil when nobody was signed in.
    var user: String?
    /// The installation that recorded it; nil for a client that does not say.
    var installation: String?
    /// Its attributes in order, values as JSON but strings bare.
    var attributes: [(key: String, value: String)]
    /// How many items it has.
    var items: Int

    /// Reads the collector's JSON of a stored event; nil when it is not one.
    init?(_ json: [UInt8]) {
        // What is not JSON is not a stored event; the caller shows the line as it is.
        guard let value = try? JSONValue.parse(json) else { return nil }
        self.init(value)
    }

    /// Reads the collector's JSON of a stored event; nil when it is not one.
    init?(_ json: JSONValue) {
        guard let event = json["event"], let name = event["name"]?.string else { return nil }
        self.name = name
        time = Timestamp(milliseconds: event["time"]?.integer ?? json["received"]?.integer ?? 0)
        user = json["user"]?.string
        installation = json["installation"]?.string
        attributes = (event["attributes"]?.object?.members ?? []).map { member in
            (member.key, member.value.string ?? String(decoding: member.value.json(), as: UTF8.self))
        }
        items = event["items"]?.array?.count ?? 0
    }

    static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.time == right.time && left.user == right.user
            && left.installation == right.installation && left.items == right.items
            && left.attributes.elementsEqual(right.attributes) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(time)
        hasher.combine(user)
    }
}
