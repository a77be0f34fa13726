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

    @Test
    func `screens are captured from the start by default, but clicks, which the document lacks, are not`() throws {
        let core = ClickstreamApp().core()
        #expect(!core.automaticCapture.screens)
        try core.start(usual)
        #expect(core.automaticCapture.screens)
        #expect(!core.automaticCapture.clicks)
    }

    @Test
    func `the app can disable automatic screens before the start and change the setting later`() throws {
        let core = ClickstreamApp().core()
        try core.start(usual.withTrackScreenViewEvents(false))
        #expect(!core.automaticCapture.screens)
        let configuration = try core.liveConfiguration()
        configuration.withTrackScreenViewEvents(true)
        #expect(core.automaticCapture.screens)
        configuration.withTrackScreenViewEvents(false)
        #expect(!core.automaticCapture.screens)
    }
}
