// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How people used an app, in a few numbers.
struct UsageSummary: Sendable, Hashable {
    /// People who signed in.
    var users = 0
    /// Sessions.
    var sessions = 0
    /// Views of screens.
    var views: Int64 = 0
    /// How long screens were used, in milliseconds.
    var engagement: Int64 = 0
    private var names: Set<String> = []

    /// The views and engagement of the collector's flow of screens; what is absent counts as zero.
    init(_ screens: JSONValue) {
        for screen in screens["screens"]?.array ?? [] {
            views += screen["views"]?.integer ?? 0
            engagement += screen["engagement"]?.integer ?? 0
        }
    }

    /// Adds one page of sessions.
    mutating func add(sessions page: JSONValue) {
        let list = page["sessions"]?.array ?? []
        sessions += list.count
        for session in list {
            for user in session["users"]?.array ?? [] {
                if let id = user.string { names.insert(id) }
            }
        }
        users = names.count
    }

    /// The numbers in a sentence.
    var sentence: String {
        [
            counted(Int64(sessions), "session"), counted(Int64(users), "signed-in user"), counted(views, "screen view"),
            TimeSpan(milliseconds: engagement).text + " of engagement",
        ].joined(separator: ", ")
    }
}

/// What devices reported about themselves, in a few numbers.
struct DeviceSummary: Sendable, Hashable {
    /// Devices that sent a snapshot.
    var devices = 0
    /// Changes of device properties.
    var changes: Int64 = 0
    /// App states.
    var states: Int64 = 0

    /// The sums of the collector's list of devices; what is absent counts as zero.
    init(_ list: JSONValue) {
        for device in list["devices"]?.array ?? [] {
            devices += 1
            changes += device["property_changes"]?.integer ?? 0
            states += device["states"]?.integer ?? 0
        }
    }

    /// The numbers in a sentence.
    var sentence: String {
        [counted(Int64(devices), "device"), counted(changes, "property change"), counted(states, "app state")].joined(
            separator: ", "
        )
    }
}

/// A number with the noun it counts.
private func counted(_ number: Int64, _ noun: String) -> String {
    "\(UInt64(clamping: number).grouped) \(noun)\(number == 1 ? "" : "s")"
}
