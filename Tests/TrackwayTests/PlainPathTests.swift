// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing

@testable import Trackway

@Suite("The short way to a file URL's path")
struct PlainPathTests {
    @Test(
        "leads where the long one does",
        arguments: [
            "/", "/a", "/a/b", "/a/b/", "/a//b//", "/a/b///", "/a/./b/../c", "/a b/c", "/a;b", "/a?b", "/a#b", "/a%b",
            "/straße/東京", "relative/path",
        ]
    )
    func same(_ path: String) {
        let url = URL(fileURLWithPath: path)
        #expect(url.plainPath == nil || url.plainPath == url.path)
    }

    @Test("is there for what an app usually names, and for nothing that is not a plain file's URL")
    func applies() throws {
        #expect(URL(fileURLWithPath: "/var/lib/shop/").plainPath == "/var/lib/shop")
        for text in ["https://shop.example/a", "file://host/a", "file:///a%20b", "file:///a?b"] {
            #expect(try #require(URL(string: text)).plainPath == nil)
        }
    }
}
