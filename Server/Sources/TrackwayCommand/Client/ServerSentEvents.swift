// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One message of an event stream.
struct ServerSentEvent: Sendable, Hashable {
    /// The event type; `message` by default.
    var kind: String
    /// The data, with lines joined by line feeds.
    var data: [UInt8]
}

/// A parser for event streams that arrive in chunks of any size.
struct ServerSentEvents: Sendable {
    /// The maximum size of a message in bytes; larger messages are skipped.
    static let largestMessage = 4 * 1024 * 1024

    /// The `id` to resume after, updated when a message is complete.
    ///
    /// A message without an `id` keeps the previous one.
    private(set) var lastID: String?
    /// The latest `id` received; becomes ``lastID`` when its message is complete.
    private var id: String?
    private var line: [UInt8] = []
    private var kind = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var isOverlong = false
    private var skipsLineFeed = false

    /// Parses more bytes and returns the messages that they complete.
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

    /// Discards an incomplete message after a lost connection.
    ///
    /// The next bytes begin a new message. ``lastID`` stays the same, so that the discarded message is requested again.
    mutating func disconnect() {
        self = ServerSentEvents(resumingAt: lastID)
    }

    /// Creates a parser for the start of a stream.
    ///
    /// - Parameter lastID: The last `id` of an earlier connection.
    init(resumingAt lastID: String? = nil) {
        self.lastID = lastID
        id = lastID
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endMessage() }
        // A line that begins with a colon is a comment, such as the heartbeat.
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
        default: break  // Ignore `retry` and unknown fields.
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
