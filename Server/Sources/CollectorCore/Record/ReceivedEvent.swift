// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An event as received, with the values that a store reads.
///
/// Valid only while its bytes stay in place.
public struct ReceivedEvent {
    private let bytes: UnsafeRawBufferPointer
    private let scan: EventScan

    /// Creates the event in `bytes`, with the offsets in `scan`.
    public init(_ bytes: UnsafeRawBufferPointer, _ scan: EventScan) {
        self.bytes = bytes
        self.scan = scan
    }

    /// Returns the event's name.
    ///
    /// - Throws: `JSONError` if the name cannot be read; admission has already checked that it can.
    public func name() throws(JSONError) -> String {
        if let plainName { return String(decoding: plainName, as: UTF8.self) }
        return try JSONScanner(bytes).string(scan.name)
    }

    /// The bytes of the event's name; nil if it contains escapes.
    public var plainName: UnsafeRawBufferPointer? {
        scan.name.hasEscapes ? nil : UnsafeRawBufferPointer(rebasing: bytes[scan.name.range])
    }

    /// The event's attributes, one JSON object; nil when it has none.
    public var attributes: UnsafeRawBufferPointer? {
        scan.attributes.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }

    /// The event's items, one JSON array; nil when it has none.
    public var items: UnsafeRawBufferPointer? {
        scan.items.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
    }

    /// The session named by the event's own attributes.
    public var session: String? {
        // Search the bytes first: almost no event names a session.
        guard let attributes, Self.contains("_session_id", in: attributes) else { return nil }
        return ContextFacts.text("_session_id", of: attributes)
    }

    /// Returns the event with its missing id or time added.
    ///
    /// Nil if the event has both.
    ///
    /// Events are stored as received, with one exception: if a simple client omits the id or time, it is inserted at
    /// the beginning of the event's JSON.
    public func completed(id: EventID, time: Timestamp) -> [UInt8]? {
        if scan.id != nil, scan.time != nil { return nil }
        guard let brace = bytes.firstIndex(of: UInt8(ascii: "{")) else { return Array(bytes) }
        var start = "{"
        if scan.id == nil { start += "\"id\":\"\(id)\"," }
        if scan.time == nil { start += "\"time\":\(time.milliseconds)," }
        var body = Array(start.utf8)
        body.reserveCapacity(body.count + bytes.count)
        body.append(contentsOf: bytes[(brace + 1)...])
        return body
    }

    /// Whether `text` occurs in `bytes`.
    ///
    /// - Complexity: O(bytes), by searching for the first byte.
    private static func contains(_ text: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
        let length = text.utf8CodeUnitCount
        guard bytes.count >= length, length > 0 else { return false }
        let first = text.utf8Start[0]
        var index = 0
        let last = bytes.count - length
        while index <= last {
            guard let found = bytes[index...last].firstIndex(of: first) else { return false }
            var matched = 1
            while matched < length, bytes[found + matched] == text.utf8Start[matched] { matched += 1 }
            if matched == length { return true }
            index = found + 1
        }
        return false
    }
}
