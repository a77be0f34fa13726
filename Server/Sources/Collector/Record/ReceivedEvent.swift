// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// An event as it was received, and what a store takes out of it. Valid only while the bytes stay where they are.
public struct ReceivedEvent {
    private let bytes: UnsafeRawBufferPointer
    private let scan: EventScan

    /// The event in `bytes`, of which `scan` says where its parts lie.
    public init(_ bytes: UnsafeRawBufferPointer, _ scan: EventScan) {
        self.bytes = bytes
        self.scan = scan
    }

    /// The event's name.
    ///
    /// - Throws: `JSONError` for a name that cannot be read; admission has checked it.
    public func name() throws(JSONError) -> String {
        if let plainName { return String(decoding: plainName, as: UTF8.self) }
        return try JSONScanner(bytes).string(scan.name)
    }

    /// The event's name as it stands in the text; nil where that is not what it says, because of escapes.
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

    /// The session that the event's own attributes name.
    public var session: String? {
        // Looked for as bytes first: nearly no event names one.
        guard let attributes, Self.contains("_session_id", in: attributes) else { return nil }
        return ContextFacts.text("_session_id", of: attributes)
    }

    /// The event as it is stored: as it was received; for simple clients with the id and the time that were missing, at its
    /// beginning. Nil when nothing was missing.
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
    /// - Complexity: O(bytes), by the first byte.
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
