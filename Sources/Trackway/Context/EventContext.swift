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

    /// The context as the journal stores it and destinations read it.
    ///
    /// - Complexity: O(size of the context). Happens only when something changed.
    func json() -> [UInt8] {
        RecordedContext(
            app: facts.app,
            device: facts.device,
            boot: facts.boot,
            user: RecordedContext.User(id: user),
            global: global
        ).json()
    }
}
