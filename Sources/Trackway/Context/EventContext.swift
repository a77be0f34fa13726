// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What every event recorded now has in common.
struct EventContext: Sendable, Hashable {
    /// About app, device and boot.
    let facts: ContextFacts
    /// Who uses the app; nil when nobody is signed in.
    var user: String?
    /// Attributes of all events.
    var global: Attributes

    /// The context as the journal stores it and destinations read it; sections without content are left out.
    ///
    /// - Complexity: O(size of the context). Happens only when something changed.
    func json() -> [UInt8] {
        var members: [JSONValue.Object.Member] = []
        if !facts.app.isEmpty { members.append(.init(key: "app", value: .object(facts.app.json))) }
        if !facts.device.isEmpty { members.append(.init(key: "device", value: .object(facts.device.json))) }
        if !facts.boot.isEmpty { members.append(.init(key: "boot", value: .string(facts.boot))) }
        if let user {
            let id = JSONValue.Object.Member(key: "id", value: .string(user))
            members.append(.init(key: "user", value: .object(.init([id]))))
        }
        if !global.isEmpty { members.append(.init(key: "global", value: .object(global.json))) }
        return JSONValue.object(.init(members)).json()
    }
}
