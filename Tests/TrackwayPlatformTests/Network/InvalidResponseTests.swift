// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import TrackwayPlatform

/// An invalid or unusual response, and its expected outcome.
struct InvalidResponse: Sendable, CustomTestStringConvertible {
    enum Expected: Sendable {
        case error([TransportError.Code])
        case answer(status: Int, body: String)
    }

    var testDescription: String
    var pieces: [[UInt8]]
    var end: LoopbackServer.End
    var expected: Expected

    init(_ description: String, _ pieces: [String], _ end: LoopbackServer.End, _ expected: Expected) {
        testDescription = description
        self.pieces = pieces.map { Array($0.utf8) }
        self.end = end
        self.expected = expected
    }

    static let broken = Expected.error([.refused, .other])
    private static let head = "HTTP/1.1 200 OK\r\n"

    static let all: [InvalidResponse] = [
        InvalidResponse("cut before the status line", [], .close, broken),
        InvalidResponse("reset before the status line", [], .reset, broken),
        InvalidResponse("cut in the status line", ["HTTP/1.1 2"], .close, broken),
        InvalidResponse("cut after the status line", [head], .close, broken),
        InvalidResponse("reset after the status line", [head], .reset, broken),
        InvalidResponse("cut in a header's name", [head, "content-le"], .close, broken),
        InvalidResponse("cut in a header's value", [head, "content-length: 1"], .close, broken),
        InvalidResponse("cut before the blank line", [head, "content-length: 2\r\n"], .close, broken),
        InvalidResponse("cut in the body", [head, "content-length: 10\r\n\r\n", "abc"], .close, broken),
        InvalidResponse("reset in the body", [head, "content-length: 10\r\n\r\n", "abc"], .reset, broken),
        InvalidResponse("100 Continue, then nothing", ["HTTP/1.1 100 Continue\r\n\r\n"], .close, broken),
        InvalidResponse("100 Continue, then a cut response", ["HTTP/1.1 100 Continue\r\n\r\n", head], .close, broken),
        InvalidResponse(
            "100 Continue, then the response",
            ["HTTP/1.1 100 Continue\r\nx: y\r\n\r\n", "\(head)content-length: 2\r\n\r\n{}"],
            .close,
            .answer(status: 200, body: "{}")
        ),
        InvalidResponse(
            "informational heads without an end",
            [String](repeating: "HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n", count: 4_000),
            .close,
            broken
        ),
        InvalidResponse(
            "a megabyte of header fields",
            [head] + (0..<10_000).map { "x-\($0): \(String(repeating: "y", count: 90))\r\n" },
            .close,
            broken
        ),
        InvalidResponse(
            "a header field of a megabyte",
            [head, "x: " + String(repeating: "y", count: 1_000_000)],
            .close,
            broken
        ),
        InvalidResponse(
            "a negative length",
            [head, "content-length: -5\r\n\r\n{}"],
            .close,
            .error([.other, .refused])
        ),
        InvalidResponse(
            "a length that is not a number",
            [head, "content-length: many\r\n\r\n{}"],
            .close,
            .error([.other, .refused])
        ),
        InvalidResponse(
            "a length beyond 64 bits",
            [head, "content-length: 99999999999999999999999\r\n\r\n{}"],
            .close,
            .answer(status: 200, body: "{}")
        ),
        InvalidResponse("a length that is too long", [head, "content-length: 9000\r\n\r\n{}"], .close, broken),
        InvalidResponse(
            "a length that is too short",
            [head, "content-length: 2\r\n\r\n{}[]"],
            .close,
            .answer(status: 200, body: "{}")
        ),
        InvalidResponse(
            "no length, ended only by closing the connection",
            [head, "\r\n{}"],
            .close,
            .answer(status: 200, body: "{}")
        ),
        InvalidResponse(
            "chunks without a size",
            [head, "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"],
            .close,
            broken
        ),
        InvalidResponse(
            "chunks beyond 64 bits",
            [head, "transfer-encoding: chunked\r\n\r\nffffffffffffffffffffffff\r\n{}"],
            .close,
            broken
        ),
        InvalidResponse("chunks that end early", [head, "transfer-encoding: chunked\r\n\r\n5\r\nab"], .close, broken),
        InvalidResponse(
            "chunks without the last one",
            [head, "transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n"],
            .close,
            broken
        ),
        InvalidResponse(
            "invalid gzip",
            [head, "content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}"],
            .close,
            broken
        ),
        InvalidResponse(
            "gzip that ends early",
            [head, "content-encoding: gzip\r\ncontent-length: 3\r\n\r\n\u{1f}"],
            .close,
            broken
        ),
        InvalidResponse(
            "an unknown encoding",
            [head, "content-encoding: rot13\r\ncontent-length: 2\r\n\r\n{}"],
            .close,
            .error([.other])
        ),
        InvalidResponse(
            "an unrequested second response",
            // It is sent in one piece with the first: a later one would be indistinguishable from the response to
            // the next request.
            [head + "content-length: 2\r\n\r\n{}HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\n[]"],
            .keep,
            .answer(status: 200, body: "{}")
        ),
        InvalidResponse("no HTTP at all", ["<html>welcome</html>"], .close, broken),
        InvalidResponse("a protocol switch", ["HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n"], .close, broken),
        InvalidResponse("zeroes", [String(repeating: "\0", count: 5_000)], .close, broken),
    ]
}

@Suite("Invalid responses")
struct InvalidResponseTests {
    private func outcome(_ transport: CurlTransport, _ request: WireRequest) async -> Result<
        WireResponse, TransportError
    > {
        do {
            return .success(try await transport.send(request, timeout: .seconds(30)))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: InvalidResponse.all)
    func `an invalid response ends in an error or a valid result, and the next request succeeds`(
        _ invalid: InvalidResponse
    ) async throws {
        let sendsInvalid = Locked(true)
        let server = try LoopbackServer { _ in
            sendsInvalid.withLock { $0 }
                ? .bytes(invalid.pieces, then: invalid.end) : .answer(200, body: Array("fine".utf8))
        }
        let transport = CurlTransport(settings: NetworkSettings())
        let request = WireRequest(url: server.url, body: [1, 2, 3])
        switch (await outcome(transport, request), invalid.expected) {
        case (.success(let response), .answer(let status, let body)):
            #expect(response.status == status)
            #expect(String(decoding: response.body, as: UTF8.self) == body)
        case (.failure(let error), .error(let codes)):
            #expect(codes.contains(error.code), "\(error)")
            #expect(!error.message.isEmpty)
        case (let outcome, _):
            Issue.record("\(outcome)")
        }
        sendsInvalid.withLock { $0 = false }
        let next = try await transport.send(request, timeout: .seconds(30))
        #expect(next.body == Array("fine".utf8))
    }

    @Test
    func `an informational head without a final response times out`() async throws {
        let server = try LoopbackServer { _ in .stall(sent: "HTTP/1.1 100 Continue\r\n\r\n") }
        let transport = CurlTransport(settings: NetworkSettings())
        await #expect(throws: TransportError.self) {
            try await transport.send(WireRequest(url: server.url, body: [1]), timeout: .milliseconds(200))
        }
    }

    @Test(
        arguments: [LoopbackServer.End.close, .reset],
        [0, 3, 700_000]
    )
    func `a connection closed after its response does not affect the next request`(
        _ end: LoopbackServer.End,
        _ size: Int
    ) async throws {
        let server = try LoopbackServer { _ in
            .bytes([Array("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".utf8)], then: end)
        }
        let transport = CurlTransport(settings: NetworkSettings())
        let body = [UInt8](repeating: 7, count: size)
        for _ in 0..<20 {
            let response = try await transport.send(WireRequest(url: server.url, body: body), timeout: .seconds(30))
            #expect(response.body == Array("{}".utf8))
        }
        #expect(server.requests.count >= 20)
        #expect(server.requests.allSatisfy { $0.body == body })
    }

    @Test
    func `a request on a kept connection that closes without a response succeeds on a new one`() async throws {
        // Each connection answers once and closes on its second request.
        let served = Locked<Set<Int>>([])
        let server = try LoopbackServer { received in
            served.withLock { $0.insert(received.connection).inserted } ? .answer(200, body: [1]) : .hangUp
        }
        let transport = CurlTransport(settings: NetworkSettings())
        for _ in 0..<10 {
            let response = try await transport.send(WireRequest(url: server.url, body: [1, 2]), timeout: .seconds(30))
            #expect(response.body == [1])
        }
    }
}
