// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One message of an event stream.
struct ServerSentEvent: Sendable, Hashable {
    /// Its kind; `message` when the stream did not say.
    var kind: String
    /// What it carries; lines joined by line feeds.
    var data: [UInt8]
}

/// Reads an event stream, in pieces of any size. A value: bytes in, messages out.
struct ServerSentEvents: Sendable {
    /// The longest message that is kept; a longer one is left out.
    static let largestMessage = 4 * 1024 * 1024

    /// The last `id` the stream gave, also for messages without one.
    private(set) var lastID: String?
    private var line: [UInt8] = []
    private var kind = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var isOverlong = false
    private var skipsLineFeed = false

    /// Takes the next bytes and returns the messages they complete.
    mutating func feed(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n") where skipsLineFeed:
                skipsLineFeed = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                skipsLineFeed = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                skipsLineFeed = false
                if line.count < Self.largestMessage { line.append(byte) } else { isOverlong = true }
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endMessage() }
        // A line that begins with a colon is a comment: the heartbeat.
        guard line[0] != UInt8(ascii: ":") else { return nil }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        let field = String(decoding: line[..<colon], as: UTF8.self)
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch field {
        case "id": lastID = String(decoding: value, as: UTF8.self)
        case "event": kind = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            if data.count + value.count <= Self.largestMessage { data += value } else { isOverlong = true }
        default: break  // `retry` and unknown fields
        }
        return nil
    }

    private mutating func endMessage() -> ServerSentEvent? {
        defer {
            kind = ""
            data = []
            hasData = false
            isOverlong = false
        }
        guard hasData, !isOverlong else { return nil }
        return ServerSentEvent(kind: kind.isEmpty ? "message" : kind, data: data)
    }
}
