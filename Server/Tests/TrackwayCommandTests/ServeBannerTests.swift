// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable internal import TrackwayCommand

@Suite("The banner of a ready collector")
struct ServeBannerTests {
    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:80"), ("0.0.0.0", "http://127.0.0.1:80"), ("::", "http://[::1]:80"),
        ("::1", "http://[::1]:80"), ("example.com", "http://example.com:80"),
    ])
    func `the address is one that a browser can open`(host: String, url: String) {
        let folder = CollectorFolder(option: "/data", environment: [:])
        let banner = ServeBanner(folder: folder, host: host, developmentKey: "dev")
        #expect(banner.url(port: 80) == url)
        let text = banner.lines(port: 80, style: Style(isColored: false)).joined(separator: "\n")
        #expect(text.contains(url + "/"))
        #expect(text.contains("/data"))
        for path in ["/collect", "/sa", "/v3/accounts/ID/mobile_events"] { #expect(text.contains(path)) }
        #expect(text.contains("dev"))
    }
}
