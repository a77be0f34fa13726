// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayWire

@testable import TrackwayPlatform

@Suite("Requests and answers on their way through libcurl")
struct CurlMessageTests {
    private func answer(_ lines: [String], _ pieces: [String] = [], longestBody: Int = 10) -> CurlAnswer {
        var answer = CurlAnswer(longestBody: longestBody)
        for line in lines { _ = answer.takeLine(Array("\(line)\r\n".utf8)) }
        for piece in pieces { _ = answer.takePiece(Array(piece.utf8)) }
        return answer
    }

    @Test("header fields are what stands around the first colon, without white space")
    func fields() {
        let answer = answer(["HTTP/1.1 200 OK", "A:  b:c \t", "nothing", "A: d", ":e", ""])
        #expect(answer.headers.map(\.name) == ["A", "A", ""])
        #expect(answer.headers.map(\.value) == ["b:c", "d", "e"])
        #expect(answer.hasHead)
    }

    @Test("the head of the last status counts, and none before it")
    func announced() {
        let answer = answer(["HTTP/1.1 100 Continue", "x: y", "", "HTTP/2 200 ", "a: b"])
        #expect(answer.headers["x"] == nil)
        #expect(answer.headers["a"] == "b")
        #expect(!answer.hasHead)
    }

    @Test("what comes behind the body is no header")
    func trailers() {
        var answer = answer(["HTTP/1.1 200 OK", ""], ["{}"])
        _ = answer.takeLine(Array("content-type: text/html\r\n".utf8))
        #expect(answer.headers.isEmpty)
    }

    @Test("heads together have a bound", arguments: [65_536, 65_537])
    func longHead(_ size: Int) {
        var answer = CurlAnswer(longestBody: 10)
        let isTaken = answer.takeLine([UInt8](repeating: 120, count: size))
        #expect(isTaken == (size <= CurlAnswer.longestHead))
        #expect((answer.cut == .head) == !isTaken)
    }

    @Test("a body has a bound, whatever its pieces", arguments: [9, 10, 11, 500])
    func longBody(_ size: Int) {
        var answer = CurlAnswer(longestBody: 10)
        var isTaken = true
        for _ in 0..<size where isTaken { isTaken = answer.takePiece([7]) }
        #expect(answer.body.count == min(size, 10))
        #expect((answer.cut == .body) == (size > 10))
    }

    @Test(
        "what would break a request's head is refused, and named",
        arguments: ["a\r\nb: c", "a\nb", "a\u{0}b", "\u{7f}", "\u{1b}[2J"]
    )
    func injected(_ text: String) {
        #expect(throws: TransportError.self) {
            try CurlRequest(WireRequest(url: "http://a/", headers: WireHeaders([.init(name: "x", value: text)])))
        }
        #expect(throws: TransportError.self) {
            try CurlRequest(WireRequest(url: "http://a/", headers: WireHeaders([.init(name: text, value: "x")])))
        }
        #expect(throws: TransportError.self) { try CurlRequest(WireRequest(method: text, url: "http://a/")) }
        #expect(throws: TransportError.self) { try CurlRequest(WireRequest(url: "http://a/\(text)")) }
    }

    @Test("what the connection needs is left to the library, and what it adds by itself is said or taken back")
    func lines() throws {
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
