// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import ClickstreamCompatibility

/// Uses Clickstream's calls.
@main
struct LinkedClickstream {
    static func main() throws {
        let configuration = ClickstreamConfiguration().withAppId("linked").withEndpoint("https://example.com/collect")
        try ClickstreamAnalytics.initSDK(configuration)
        ClickstreamAnalytics.recordEvent("started", ["value": 1])
        ClickstreamAnalytics.flushEvents()
    }
}
