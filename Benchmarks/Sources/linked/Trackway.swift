// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Uses the public API as in the README's first sample.
@main
struct LinkedTrackway {
    static func main() async throws {
        let analytics = try Analytics(
            Configuration(
                appID: "linked",
                destinations: [.collector(URL(fileURLWithPath: "/"), writeKey: "dev")],
                consent: .granted
            )
        )
        analytics.record("started", ["value": 1])
        print(await analytics.flush(timeout: .seconds(1)))
    }
}
