// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Decoding server messages")
struct NATSDecoderTests {
    /// A conversation with all kinds of messages, followed by its expected decoding.
    private static let conversation =
        "INFO {\"server_id\":\"N1\",\"server_name\":\"n0\",\"version\":\"2.15.1\",\"headers\":true,\"max_payload\":8388608,"
        + "\"connect_urls\":[\"127.0.0.1:4223\",\"n2:4222\"],\"unknown\":{\"a\":[1]}} \r\n"
        + "PING\r\nPONG\r\n+OK\r\n-ERR 'Stale Connection'\r\n"
        + "MSG _INBOX.a.1 1 5\r\nhello\r\n"
        + "MSG _INBOX.a.2 1  0\r\n\r\n"
        + "MSG intake.3 12 $JS.ACK.s.c.1.7.2.3.0 9\r\nPING\r\nab\n\r\n"
        + "HMSG _INBOX.a.3 1 40 40\r\nNATS/1.0 503\r\nNats-Subject: intake.3\r\n\r\n\r\n"
        + "HMSG a 1 b 38 41\r\nNATS/1.0\r\nName:  a value \r\nOther:b\r\n\r\nxyz\r\n"

    private static let messages: [NATSServerMessage] = [
        .info(NATSServerInfo(name: "n0", others: ["127.0.0.1:4223", "n2:4222"])),
        .ping, .pong, .ok, .error("Stale Connection"),
        .message(NATSMessage(subject: "_INBOX.a.1", subscription: 1, body: Array("hello".utf8))),
        .message(NATSMessage(subject: "_INBOX.a.2", subscription: 1)),
        .message(
            NATSMessage(
                subject: "intake.3",
                subscription: 12,
                reply: "$JS.ACK.s.c.1.7.2.3.0",
                body: Array("PING\r\nab\n".utf8)
            )
        ),
        .message(NATSMessage(subject: "_INBOX.a.3", subscription: 1, headers: noResponders)),
        .message(
            NATSMessage(
                subject: "a",
                subscription: 1,
                reply: "b",
                headers: ["Name": "a value", "Other": "b"],
                body: Array("xyz".utf8)
            )
        ),
    ]

    private static var noResponders: NATSHeaders {
        var headers: NATSHeaders = ["Nats-Subject": "intake.3"]
        headers.status = 503
        return headers
    }

    private func decode(_ pieces: [ArraySlice<UInt8>]) throws(NATSProtocolError) -> [NATSServerMessage] {
        var decoder = NATSDecoder()
        var messages: [NATSServerMessage] = []
        for piece in pieces {
            decoder.append(piece)
            while let message = try decoder.next() { messages.append(message) }
        }
        return messages
    }

    @Test
    func `a conversation is decoded as a whole`() throws {
        let messages = try decode([Array(Self.conversation.utf8)[...]])
        #expect(messages == Self.messages)
        guard case .message(let message) = messages[8] else { throw NATSProtocolError(.malformedLine) }
        #expect(message.status == 503)
    }

    @Test
    func `decoding one byte at a time gives the same messages`() throws {
        let bytes = Array(Self.conversation.utf8)
        #expect(try decode(bytes.indices.map { bytes[$0...$0] }) == Self.messages)
    }

    @Test(arguments: 1...200)
    func `decoding with random splits gives the same messages`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = Array((Self.conversation + Self.conversation).utf8)
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 0...60, using: &random))
            pieces.append(bytes[start..<end])
            start = end
        }
        #expect(try decode(pieces) == Self.messages + Self.messages)
    }

    @Test
    func `only incomplete messages of a long conversation are kept in memory`() throws {
        var decoder = NATSDecoder()
        let message = Array("MSG a 1 1000\r\n".utf8) + [UInt8](repeating: 7, count: 1_000) + Array("\r\n".utf8)
        var count = 0
        for start in stride(from: 0, to: 3_000, by: 1) {
            decoder.append(message[..<(start % message.count)])
            while try decoder.next() != nil { count += 1 }
            decoder.append(message[(start % message.count)...])
            while try decoder.next() != nil { count += 1 }
            #expect(decoder.pendingBytes == 0)
        }
        #expect(count == 3_000)
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n", NATSProtocolError.Code.unknownOperation),
        ("\r\n", .unknownOperation), ("ping\r\n", .unknownOperation), ("PING 1\r\n", .malformedLine),
        ("PING\n", .malformedLine), ("MSG a 1\r\n", .malformedLine), ("MSG a b c d e\r\n", .malformedLine),
        ("MSG a 1 -5\r\n", .malformedLine), ("MSG a x 5\r\nhello\r\n", .malformedLine),
        ("MSG a 1 9999999999999999999\r\n", .malformedLine), ("MSG a 1 99999999\r\n", .messageTooLong),
        ("MSG a 1 2\r\nabcd", .missingLineEnd), ("HMSG a 1 5 3\r\n", .malformedLine),
        ("HMSG a 1 0 3\r\n", .malformedLine), ("HMSG a 1 4 4\r\nabcd\r\n", .malformedHeaders),
        ("HMSG a 1 14 14\r\nNATS/1.0 x\r\n\r\n\r\n", .malformedHeaders),
        ("HMSG a 1 17 17\r\nNATS/1.0\r\nabc\r\n\r\n\r\n", .malformedHeaders),
        ("INFO {\r\n", .malformedInfo), ("INFO []\r\n", .malformedInfo), ("INFO {}\r\n", .malformedInfo),
        (String(repeating: "x", count: 70_000), .lineTooLong),
        ("INFO {\"a\":\"" + String(repeating: "x", count: 70_000) + "\"}\r\n", .lineTooLong),
    ])
    func `invalid input fails with an error that describes it, and nothing is decoded afterwards`(
        text: String,
        code: NATSProtocolError.Code
    ) {
        var decoder = NATSDecoder()
        decoder.append(Array(text.utf8))
        let error = #expect(throws: NATSProtocolError.self) { while try decoder.next() != nil {} }
        #expect(error?.code == code)
        #expect(decoder.pendingBytes == 0)
        decoder.append(Array("PING\r\n".utf8))
        let again = #expect(throws: NATSProtocolError.self) { try decoder.next() }
        #expect(again == error)
    }

    @Test(arguments: 1...400)
    func `damaged input gives messages or an error, independent of how it is split`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(Self.conversation.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let position = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes.remove(at: position)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
            }
        }
        func outcome(_ pieces: [ArraySlice<UInt8>]) -> ([NATSServerMessage], NATSProtocolError?) {
            var decoder = NATSDecoder(maxMessageBytes: 1 << 20)
            var messages: [NATSServerMessage] = []
            for piece in pieces {
                decoder.append(piece)
                do throws(NATSProtocolError) {
                    while let message = try decoder.next() { messages.append(message) }
                } catch {
                    return (messages, error)
                }
            }
            return (messages, nil)
        }
        let unsplit = outcome([bytes[...]])
        let split = outcome(bytes.indices.map { bytes[$0...$0] })
        #expect(unsplit.0 == split.0)
        #expect(unsplit.1?.code == split.1?.code)
        #expect(unsplit.0.count <= bytes.count)
    }

    @Test
    func `headers survive encoding and decoding, and no value can end a line`() throws {
        var headers: NATSHeaders = ["Nats-Msg-Id": "0a1b", "Trackway-Kind": "intake"]
        #expect(try NATSHeaders(headers.bytes) == headers)
        headers.status = 408
        headers.reason = "Request Timeout"
        #expect(try NATSHeaders(headers.bytes) == headers)
        let injected: NATSHeaders = ["Name": "a\r\nOther: b"]
        #expect(try NATSHeaders(injected.bytes) == ["Name": "a  Other: b"])
        #expect(headers["Trackway-Kind"] == "intake" && headers["trackway-kind"] == nil)
    }
}
