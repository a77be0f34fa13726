// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport

/// Invalid responses that broken servers, proxies and networks send.
struct InvalidResponse: Sendable {
    var name: String
    var reply: FlakyServer.Reply
    /// Whether a valid response is part of it, so that events are delivered.
    var containsValidResponse = false

    /// A response that would be valid if it were complete and this server had stored events.
    private static let acceptance = #"{"accepted":10,"rejected":[],"position":"1.1","durability":"disk"}"#
    private static let type = "content-type: application/json\r\n"

    private static func bytes(_ text: String) -> FlakyServer.Reply { .bytes(Array(text.utf8)) }

    static let all = [
        InvalidResponse(name: "cut before the status line", reply: .hangUp),
        InvalidResponse(name: "cut in the status line", reply: bytes("HTTP/1.1 2")),
        InvalidResponse(name: "cut after the status line", reply: bytes("HTTP/1.1 200 OK\r\n")),
        InvalidResponse(name: "cut in a header", reply: bytes("HTTP/1.1 200 OK\r\ncontent-ty")),
        InvalidResponse(name: "cut between headers and body", reply: bytes("HTTP/1.1 200 OK\r\n\(type)")),
        InvalidResponse(
            name: "cut in the body",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: \(acceptance.count)\r\n\r\n{\"accepted\":10,\"rej")
        ),
        InvalidResponse(name: "100 Continue, then a closed connection", reply: bytes("HTTP/1.1 100 Continue\r\n\r\n")),
        InvalidResponse(
            name: "100 Continue, then nothing",
            reply: .bytesThenStall(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        ),
        InvalidResponse(
            name: "one megabyte of headers",
            reply: bytes(
                "HTTP/1.1 200 OK\r\n\(type)"
                    + String(repeating: "x-filler: \(String(repeating: "a", count: 1_000))\r\n", count: 1_024)
                    + "content-length: 2\r\n\r\n{}"
            )
        ),
        InvalidResponse(
            name: "an endless header of one megabyte",
            reply: bytes(
                "HTTP/1.1 200 OK\r\nx-filler: \(String(repeating: "a", count: 1 << 20))"
            )
        ),
        InvalidResponse(
            name: "a content length longer than the body",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: 5000\r\n\r\n\(acceptance)")
        ),
        InvalidResponse(
            name: "a content length shorter than the body",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: 9\r\n\r\n\(acceptance)")
        ),
        InvalidResponse(
            name: "two lengths",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: 2\r\ncontent-length: 30\r\n\r\n{}")
        ),
        InvalidResponse(
            name: "an invalid content length",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: -1\r\n\r\n{}")
        ),
        InvalidResponse(
            name: "invalid chunks",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)transfer-encoding: chunked\r\n\r\nZZ\r\nno chunk\r\n")
        ),
        InvalidResponse(
            name: "truncated chunks",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)transfer-encoding: chunked\r\n\r\nff\r\n{\"accepted\"")
        ),
        InvalidResponse(
            name: "a body that is declared as gzip but is not",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-encoding: gzip\r\ncontent-length: 8\r\n\r\nnot gzip")
        ),
        InvalidResponse(
            name: "truncated gzip",
            reply: .bytes(
                Array("HTTP/1.1 200 OK\r\n\(type)content-encoding: gzip\r\ncontent-length: 12\r\n\r\n".utf8)
                    + [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0x56]
            )
        ),
        InvalidResponse(name: "not HTTP", reply: bytes("SSH-2.0-OpenSSH_9.6\r\n")),
        InvalidResponse(name: "zero bytes", reply: .bytes([UInt8](repeating: 0, count: 4_096))),
        InvalidResponse(
            name: "an unrequested second response",
            reply: .forwardThenBytes(Array("HTTP/1.1 500 No\r\n\(type)content-length: 2\r\n\r\n{}".utf8)),
            containsValidResponse: true
        ),
    ]
}
