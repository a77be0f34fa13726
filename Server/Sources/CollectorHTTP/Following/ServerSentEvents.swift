// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import NIOCore
internal import TrackwayEvents

/// Writes stored events as server-sent events.
enum ServerSentEvents {
    /// How long a browser waits before it comes back, and the end of the stream's beginning.
    static let opening = ByteBuffer(string: "retry: 2000\n\n")
    /// A comment: the stream is alive.
    static let heartbeat = ByteBuffer(string: ": alive\n\n")

    /// Several events in one buffer. The id of each is its position, which a browser sends back to resume.
    static func buffer(_ events: [StoredEvent]) -> ByteBuffer {
        JSONWriter.withThreadBuffer { writer in
            for event in events {
                writer.raw("event: event\nid: \(event.position)\ndata: ".utf8)
                // Raw line ends would end the datum. In valid JSON they stand between values only, where a space does.
                if event.json.contains(where: isLineEnd) || event.context.contains(where: isLineEnd) {
                    var flat = event
                    flat.json = flat.json.map { isLineEnd($0) ? UInt8(ascii: " ") : $0 }
                    flat.context = flat.context.map { isLineEnd($0) ? UInt8(ascii: " ") : $0 }
                    flat.write(to: &writer)
                } else {
                    event.write(to: &writer)
                }
                writer.raw("\n\n".utf8)
            }
            return ByteBuffer(bytes: writer.bytes)
        }
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
