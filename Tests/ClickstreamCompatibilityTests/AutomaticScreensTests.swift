// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayUIKit

@testable import ClickstreamCompatibility

@Suite("Automatic screens")
struct AutomaticScreensTests {
    private var usual: ClickstreamConfiguration {
        ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect")
    }

    @Test("screens are captured from the start by default, and clicks, which the document lacks, are not")
    func byDefault() throws {
        let core = ClickstreamApp().core()
        #expect(!core.automatic.screens)
        try core.start(usual)
        #expect(core.automatic.screens)
        #expect(!core.automatic.clicks)
    }

    @Test("the app can disable automatic screens before the start and change the setting later")
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
