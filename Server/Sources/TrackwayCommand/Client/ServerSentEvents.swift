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

    /// The last `id` of a message that came whole, also for messages without one: where to go on.
    private(set) var lastID: String?
    /// The `id` of the message that is being read; counts when that is whole.
    private var id: String?
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

    /// The connection is gone: what was begun is left out, and what comes next begins a message. The `id` stays where it is,
    /// so that the message is asked for again.
    mutating func disconnect() {
        self = ServerSentEvents(resumingAt: lastID)
    }

    /// A reader at the beginning of a stream.
    ///
    /// - Parameter lastID: The last `id` of an earlier connection.
    init(resumingAt lastID: String? = nil) {
        self.lastID = lastID
        id = lastID
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
        case "id": id = String(decoding: value, as: UTF8.self)
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
        lastID = id
        guard hasData, !isOverlong else { return nil }
        return ServerSentEvent(kind: kind.isEmpty ? "message" : kind, data: data)
    }
}
