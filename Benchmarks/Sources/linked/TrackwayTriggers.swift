// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway
import TrackwayTriggers

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An element of an app's own UI with one event.
final class Button: TriggerElement {
    let triggerEvents: [TriggerEvent]?

    init(_ events: [TriggerEvent]) {
        triggerEvents = events
    }
}

/// Uses triggers with the public API.
@main
struct LinkedTriggers {
    @MainActor
    static func main() async throws {
        let analytics = try Analytics(
            Configuration(
                appID: "linked",
                destinations: [.collector(URL(fileURLWithPath: "/"), writeKey: "dev")],
                consent: .granted
            )
        )
        let button = Button([.record("seen", on: .didAppear, with: analytics)])
        print(Detector().trackDisplay(for: [button]))
        print(await analytics.flush(timeout: .seconds(1)))
    }
}
