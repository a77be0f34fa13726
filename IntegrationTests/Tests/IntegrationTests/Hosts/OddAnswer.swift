// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage

/// What broken servers, proxies and networks send in place of an answer.
struct OddAnswer: Sendable {
    var name: String
    var reply: FlakyServer.Reply
    /// Whether a true answer is part of it, so that events are delivered all the same.
    var isTrue = false

    /// An answer that would be true if it were whole and this server had kept anything.
    private static let acceptance = #"{"accepted":10,"rejected":[],"position":"1.1","durability":"disk"}"#
    private static let type = "content-type: application/json\r\n"

    private static func bytes(_ text: String) -> FlakyServer.Reply { .bytes(Array(text.utf8)) }

    static let all = [
        OddAnswer(name: "cut before the status line", reply: .hangUp),
        OddAnswer(name: "cut in the status line", reply: bytes("HTTP/1.1 2")),
        OddAnswer(name: "cut after the status line", reply: bytes("HTTP/1.1 200 OK\r\n")),
        OddAnswer(name: "cut in a header", reply: bytes("HTTP/1.1 200 OK\r\ncontent-ty")),
        OddAnswer(name: "cut between headers and body", reply: bytes("HTTP/1.1 200 OK\r\n\(type)")),
        OddAnswer(
            name: "cut in the body",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: \(acceptance.count)\r\n\r\n{\"accepted\":10,\"rej")
        ),
        OddAnswer(name: "100 Continue, then the end", reply: bytes("HTTP/1.1 100 Continue\r\n\r\n")),
        OddAnswer(
            name: "100 Continue, then nothing",
            reply: .bytesThenStall(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        ),
        OddAnswer(
            name: "headers of a megabyte",
            reply: bytes(
                "HTTP/1.1 200 OK\r\n\(type)"
                    + String(repeating: "x-filler: \(String(repeating: "a", count: 1_000))\r\n", count: 1_024)
                    + "content-length: 2\r\n\r\n{}"
            )
        ),
        OddAnswer(
            name: "one header of a megabyte that never ends",
            reply: bytes(
                "HTTP/1.1 200 OK\r\nx-filler: \(String(repeating: "a", count: 1 << 20))"
            )
        ),
        OddAnswer(
            name: "a length longer than the body",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: 5000\r\n\r\n\(acceptance)")
        ),
        OddAnswer(
            name: "a length shorter than the body",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: 9\r\n\r\n\(acceptance)")
        ),
        OddAnswer(
            name: "two lengths",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: 2\r\ncontent-length: 30\r\n\r\n{}")
        ),
        OddAnswer(
            name: "a length that is no number",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-length: -1\r\n\r\n{}")
        ),
        OddAnswer(
            name: "chunks that are none",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)transfer-encoding: chunked\r\n\r\nZZ\r\nno chunk\r\n")
        ),
        OddAnswer(
            name: "chunks that end too early",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)transfer-encoding: chunked\r\n\r\nff\r\n{\"accepted\"")
        ),
        OddAnswer(
            name: "a body that is said to be gzip and is not",
            reply: bytes("HTTP/1.1 200 OK\r\n\(type)content-encoding: gzip\r\ncontent-length: 8\r\n\r\nnot gzip")
        ),
        OddAnswer(
            name: "gzip that ends too early",
            reply: .bytes(
                Array("HTTP/1.1 200 OK\r\n\(type)content-encoding: gzip\r\ncontent-length: 12\r\n\r\n".utf8)
                    + [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0x56]
            )
        ),
        OddAnswer(name: "no HTTP at all", reply: bytes("SSH-2.0-OpenSSH_9.6\r\n")),
        OddAnswer(name: "bytes of zero", reply: .bytes([UInt8](repeating: 0, count: 4_096))),
        OddAnswer(
            name: "a second answer that nobody asked for",
            reply: .forwardThenBytes(Array("HTTP/1.1 500 No\r\n\(type)content-length: 2\r\n\r\n{}".utf8)),
            isTrue: true
        ),
    ]
}
