// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDestinationKit

@Suite("Wire headers")
struct WireHeadersTests {
    @Test
    func `names are found in any case, and the first value is returned`() {
        var headers: WireHeaders = ["Content-Type": "application/json", "X-A": "1", "x-a": "2"]
        #expect(headers["content-type"] == "application/json")
        #expect(headers["X-a"] == "1")
        #expect(headers["x-b"] == nil)
        headers["x-A"] = "3"
        #expect(headers.map(\.value) == ["application/json", "3"])
        headers["X-A"] = nil
        #expect(headers.count == 1)
        headers["new"] = "4"
        headers.append(name: "new", value: "5")
        #expect(headers["NEW"] == "4")
        #expect(headers.count == 3)
    }

    @Test(arguments: [("@", "`"), ("[", "{"), ("ä", "Ä")])
    func `non-ASCII letters and symbols are not case-folded`(one: String, other: String) {
        let headers = WireHeaders([.init(name: one, value: "1")])
        #expect(headers[other] == nil)
    }
}
