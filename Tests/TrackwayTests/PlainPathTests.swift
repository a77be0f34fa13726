// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing

@testable import Trackway

@Suite("Fast path for file URLs")
struct PlainPathTests {
    @Test(arguments: [
        "/", "/a", "/a/b", "/a/b/", "/a//b//", "/a/b///", "/a/./b/../c", "/a b/c", "/a;b", "/a?b", "/a#b", "/a%b",
        "/straße/東京", "relative/path",
    ])
    func `plainPath equals the path of the URL or is nil`(_ path: String) {
        let url = URL(fileURLWithPath: path)
        #expect(url.plainPath == nil || url.plainPath == url.path)
    }

    @Test
    func `plainPath exists for ordinary file URLs only`() throws {
        #expect(URL(fileURLWithPath: "/var/lib/shop/").plainPath == "/var/lib/shop")
        for text in ["https://shop.example/a", "file://host/a", "file:///a%20b", "file:///a?b"] {
            #expect(try #require(URL(string: text)).plainPath == nil)
        }
    }
}
