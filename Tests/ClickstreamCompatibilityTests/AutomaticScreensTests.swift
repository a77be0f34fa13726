// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayUIKit

@testable import ClickstreamCompatibility

@Suite("Screens that are found by themselves")
struct AutomaticScreensTests {
    private var usual: ClickstreamConfiguration {
        ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect")
    }

    @Test("From the start on, by default; clicks are none of the document's")
    func byDefault() throws {
        let core = ClickstreamApp().core()
        #expect(!core.automatic.screens)
        try core.start(usual)
        #expect(core.automatic.screens)
        #expect(!core.automatic.clicks)
    }

    @Test("Not when the app said so before, and from then on when it says so later")
    func chosen() throws {
        let core = ClickstreamApp().core()
        try core.start(usual.withTrackScreenViewEvents(false))
        #expect(!core.automatic.screens)
        let configuration = try core.liveConfiguration()
        configuration.withTrackScreenViewEvents(true)
        #expect(core.automatic.screens)
        configuration.withTrackScreenViewEvents(false)
        #expect(!core.automatic.screens)
    }
}
