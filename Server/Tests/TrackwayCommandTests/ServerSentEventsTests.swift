// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable internal import TrackwayCommand

@Suite("Event streams")
struct ServerSentEventsTests {
    private static let stream =
        ": hello\n\nid: 1.2.3\nevent: event\ndata: {\"a\":1}\n\n: heartbeat\n\r\nid: 1.2.4\r\nevent: event\r\ndata:one\r\ndata: two\r\n\r\nretry: 5\ndata\n\nid: 9\n\n"

    @Test(arguments: 1...40)
    func `messages are the same regardless of where the bytes are split`(size: Int) {
        var reader = ServerSentEvents()
        let bytes = Array(Self.stream.utf8)
        var events: [ServerSentEvent] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += reader.feed(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(
            events == [
                ServerSentEvent(kind: "event", data: Array("{\"a\":1}".utf8)),
                ServerSentEvent(kind: "event", data: Array("one\ntwo".utf8)),
                ServerSentEvent(kind: "message", data: []),
            ]
        )
        #expect(reader.lastID == "9")
    }

    @Test
    func `after a connection ends at any byte, the interrupted message is requested again and the rest are intact`() {
        let first = "id: 1\nevent: event\ndata: one\n\n"
        let second = "id: 2\nevent: event\ndata: two\n\n"
        for cut in 0..<second.utf8.count {
            var reader = ServerSentEvents()
            #expect(
                reader.feed(Array((first + second).utf8).prefix(first.utf8.count + cut)).map(\.data) == [
                    Array("one".utf8)
                ]
            )
            reader.disconnect()
            #expect(reader.lastID == "1", "cut at \(cut)")
            // The collector continues after the id that it receives.
            let again = reader.feed(Array(("retry: 2000\n\n" + second).utf8))
            #expect(again == [ServerSentEvent(kind: "event", data: Array("two".utf8))], "cut at \(cut)")
            #expect(reader.lastID == "2")
        }
    }

    @Test
    func `an unterminated message is skipped, and the next one is complete`() {
        var reader = ServerSentEvents()
        let long = Array(repeating: UInt8(ascii: "x"), count: ServerSentEvents.largestMessage)
        #expect(reader.feed(Array("data: ".utf8) + long).isEmpty)
        #expect(reader.feed(Array("yyyyyyyy\n\n".utf8)).isEmpty)
        #expect(reader.feed(Array("data: z\n\n".utf8)) == [ServerSentEvent(kind: "message", data: [UInt8(ascii: "z")])])
    }
}
