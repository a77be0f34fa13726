// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDestinationKit

@Suite("HTTP addresses")
struct HTTPAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:8787", "http://127.0.0.1:8787"),
        ("HTTPS://Events.Example.com/", "https://events.example.com"),
        ("https://e.example/a/B//?q=1#f", "https://e.example/a/B?q=1"),
        ("https://e.example?q=/a/", "https://e.example?q=/a/"),
        ("https://e.example#f?q", "https://e.example"),
        ("https://[::1]:80/x", "https://[::1]:80/x"),
    ])
    func `an address is parsed and normalized`(text: String, description: String) {
        #expect(HTTPAddress(text)?.description == description)
    }

    @Test
    func `a path is inserted before the query`() {
        #expect(
            HTTPAddress("https://e.example/in/?tenant=7&k=a/b#f")?.appending("/v1/events")
                == "https://e.example/in/v1/events?tenant=7&k=a/b"
        )
        #expect(HTTPAddress("https://e.example/in/?tenant=7")?.withoutQuery == "https://e.example/in")
    }

    @Test(arguments: ["", "http", "http://", "://x", "https://:80", "https://a\u{7f}b"])
    func `an invalid address is rejected`(text: String) {
        #expect(HTTPAddress(text) == nil)
    }
}
