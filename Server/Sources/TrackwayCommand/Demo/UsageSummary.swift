// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A summary of app usage.
struct UsageSummary: Sendable, Hashable {
    /// The number of users who signed in.
    var users = 0
    /// The number of sessions.
    var sessions = 0
    /// The number of screen views.
    var views: Int64 = 0
    /// The total engagement time in milliseconds.
    var engagement: Int64 = 0
    private var names: Set<String> = []

    /// Creates a summary of screen views; absent members count as zero.
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

    /// The summary as text.
    var sentence: String {
        [
            countText(Int64(sessions), "session"), countText(Int64(users), "signed-in user"),
            countText(views, "screen view"),
            TimeSpan(milliseconds: engagement).text + " of engagement",
        ].joined(separator: ", ")
    }
}

/// A summary of device reports.
struct DeviceSummary: Sendable, Hashable {
    /// The number of devices that sent a snapshot.
    var devices = 0
    /// The number of changes to device properties.
    var changes: Int64 = 0
    /// The number of app states.
    var states: Int64 = 0

    /// Creates a summary of a device list; absent members count as zero.
    init(_ list: JSONValue) {
        for device in list["devices"]?.array ?? [] {
            devices += 1
            changes += device["property_changes"]?.integer ?? 0
            states += device["states"]?.integer ?? 0
        }
    }

    /// The summary as text.
    var sentence: String {
        [countText(Int64(devices), "device"), countText(changes, "property change"), countText(states, "app state")]
            .joined(
                separator: ", "
            )
    }
}

/// Returns a number with its noun in the singular or plural.
private func countText(_ number: Int64, _ noun: String) -> String {
    "\(UInt64(clamping: number).grouped) \(noun)\(number == 1 ? "" : "s")"
}
