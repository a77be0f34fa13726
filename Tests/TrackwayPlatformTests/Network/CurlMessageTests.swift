// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDestinationKit

@testable import TrackwayPlatform

@Suite("Requests and responses for libcurl")
struct CurlMessageTests {
    private func answer(_ lines: [String], _ pieces: [String] = [], longestBody: Int = 10) -> CurlResponse {
        var answer = CurlResponse(longestBody: longestBody)
        for line in lines { _ = answer.receiveLine(Array("\(line)\r\n".utf8)) }
        for piece in pieces { _ = answer.receiveChunk(Array(piece.utf8)) }
        return answer
    }

    @Test
    func `header fields are split at the first colon and trimmed`() {
        let answer = answer(["HTTP/1.1 200 OK", "A:  b:c \t", "nothing", "A: d", ":e", ""])
        #expect(answer.headers.map(\.name) == ["A", "A", ""])
        #expect(answer.headers.map(\.value) == ["b:c", "d", "e"])
        #expect(answer.hasHead)
    }

    @Test
    func `only the headers of the last status count`() {
        let answer = answer(["HTTP/1.1 100 Continue", "x: y", "", "HTTP/2 200 ", "a: b"])
        #expect(answer.headers["x"] == nil)
        #expect(answer.headers["a"] == "b")
        #expect(!answer.hasHead)
    }

    @Test
    func `trailers after the body are not headers`() {
        var answer = answer(["HTTP/1.1 200 OK", ""], ["{}"])
        _ = answer.receiveLine(Array("content-type: text/html\r\n".utf8))
        #expect(answer.headers.isEmpty)
    }

    @Test(arguments: [65_536, 65_537])
    func `the total size of all heads is bounded`(_ size: Int) {
        var answer = CurlResponse(longestBody: 10)
        let isTaken = answer.receiveLine([UInt8](repeating: 120, count: size))
        #expect(isTaken == (size <= CurlResponse.longestHead))
        #expect((answer.truncation == .head) == !isTaken)
    }

    @Test(arguments: [9, 10, 11, 500])
    func `a body is bounded, regardless of the size of its pieces`(_ size: Int) {
        var answer = CurlResponse(longestBody: 10)
        var isTaken = true
        for _ in 0..<size where isTaken { isTaken = answer.receiveChunk([7]) }
        #expect(answer.body.count == min(size, 10))
        #expect((answer.truncation == .body) == (size > 10))
    }

    @Test(arguments: ["a\r\nb: c", "a\nb", "a\u{0}b", "\u{7f}", "\u{1b}[2J"])
    func `characters that would break a request's head are rejected with an error`(_ text: String) {
        #expect(throws: TransportError.self) {
            try CurlRequest(WireRequest(url: "http://a/", headers: WireHeaders([.init(name: "x", value: text)])))
        }
        #expect(throws: TransportError.self) {
            try CurlRequest(WireRequest(url: "http://a/", headers: WireHeaders([.init(name: text, value: "x")])))
        }
        #expect(throws: TransportError.self) { try CurlRequest(WireRequest(method: text, url: "http://a/")) }
        #expect(throws: TransportError.self) { try CurlRequest(WireRequest(url: "http://a/\(text)")) }
    }

    @Test
    func `connection headers are left to libcurl, and headers that it adds are set or removed`() throws {
        let headers: WireHeaders = [
            "Content-Length": "99", "Expect": "100-continue", "Transfer-Encoding": "chunked", "empty": "", "A": "b",
        ]
        let request = try CurlRequest(WireRequest(url: "HTTPS://a", headers: headers))
        #expect(request.headerLines == ["empty;", "A: b", "Expect:", "Content-Type:", "User-Agent: Trackway"])
        #expect(request.isSecure)
        let own = try CurlRequest(WireRequest(url: "http://a", headers: ["content-type": "x", "user-agent": "y"]))
        #expect(own.headerLines == ["content-type: x", "user-agent: y", "Expect:"])
    }
}
