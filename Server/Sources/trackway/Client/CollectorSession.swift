// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A session as the command reads it.
struct CollectorSession: Sendable, Hashable {
    /// A screen that was shown in it.
    struct Screen: Sendable, Hashable {
        /// Its name.
        var name: String
        /// How long it was used, in milliseconds; 0 when nothing was told.
        var engagement: Int64
    }

    /// Its id.
    var id: String
    /// The how manieth of its installation it is.
    var number: Int64?
    /// The installation; nil for clients that tell none.
    var installation: String?
    /// When it began.
    var start: Timestamp
    /// The time of its latest event.
    var last: Timestamp
    /// How many events it has.
    var events: UInt64
    /// How long screens were used, in milliseconds.
    var engagement: Int64
    /// Who took part, signed in.
    var users: [String]
    /// The screens in order.
    var screens: [Screen]
    /// Starts, ends and crashes in order, by their kinds.
    var launches: [String]

    /// Reads the collector's JSON of a session; what is absent counts as nothing.
    init(_ json: JSONValue) {
        func number(_ key: String) -> Int64 { json[key]?.integer ?? 0 }
        id = json["id"]?.string ?? ""
        self.number = json["number"]?.integer
        installation = json["installation"]?.string
        start = Timestamp(milliseconds: number("start"))
        last = Timestamp(milliseconds: number("last"))
        events = UInt64(clamping: number("events"))
        engagement = number("engagement")
        users = (json["users"]?.array ?? []).compactMap(\.string)
        screens = (json["screens"]?.array ?? []).map { screen in
            Screen(name: screen["name"]?.string ?? "", engagement: screen["engagement"]?.integer ?? 0)
        }
        launches = (json["launches"]?.array ?? []).compactMap { $0["kind"]?.string }
    }
}
