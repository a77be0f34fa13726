// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// An event or a whole batch that admission rejected.
///
/// The event or batch is kept with the reason so that it can be inspected and repaired.
public struct FailedEvent: Sendable, Hashable {
    /// The position in the intake log; ordinal 0 for a whole batch.
    public var position: EventPosition
    /// The time of arrival.
    public var received: Timestamp
    /// The name of the request's API key.
    public var key: String
    /// The machine-readable reason, such as `name_too_long`.
    public var code: String
    /// The faulty field; empty when the whole event or batch is faulty.
    public var field: String
    /// The reason, in one human-readable sentence.
    public var message: String
    /// The rejected bytes, possibly truncated.
    public var content: [UInt8]
    /// The number of stored bytes.
    ///
    /// This number exceeds the size of ``content`` when the content is truncated for a response.
    public var bytes: Int

    /// The number of rejected bytes.
    ///
    /// This number exceeds ``bytes`` when some of the bytes were not stored.
    public var totalBytes: Int
    /// The event's name, if it can be read from the content.
    public var name: String?
    /// The version of the app that sent the event, from the context.
    public var version: String?

    /// The maximum number of content bytes per event in a list.
    public static let excerptBytes = 4 << 10

    /// Creates a failed event with its reason.
    public init(
        position: EventPosition,
        received: Timestamp,
        key: String,
        code: String,
        field: String,
        message: String,
        content: [UInt8],
        bytes: Int? = nil,
        totalBytes: Int? = nil,
        name: String? = nil,
        version: String? = nil
    ) {
        self.position = position
        self.received = received
        self.key = key
        self.code = code
        self.field = field
        self.message = message
        self.content = content
        self.bytes = bytes ?? content.count
        self.totalBytes = totalBytes ?? self.bytes
        self.name = name
        self.version = version
    }

    /// Creates a failed event for an unreadable record.
    ///
    /// The whole record is unreadable, or the record is unreadable from a certain byte on.
    ///
    /// - Parameters:
    ///   - payload: The record's bytes, or only the first bytes.
    ///   - length: The number of bytes in the record.
    ///   - start: The position of the record.
    public init(
        unreadable payload: [UInt8],
        length: Int,
        at start: LogPosition,
        received: Timestamp,
        key: String,
        _ message: String
    ) {
        self.init(
            position: EventPosition(
                segment: start.segment,
                offset: start.offset,
                ordinal: EventPosition.maximumOrdinal
            ),
            received: received,
            key: key,
            code: ResponseCode.unreadableRecord.rawValue,
            field: "",
            message: message,
            content: Array(payload.prefix(ParsedRecord.unreadableBytes)),
            totalBytes: length
        )
    }

    /// The maximum length in bytes of a reported name or version.
    public static let nameBytes = 128

    /// Returns the event's name if it precedes the fault in `content`.
    ///
    /// Names in our own format and in other formats are recognized.
    ///
    /// - Complexity: O(bytes).
    public static func name(in content: UnsafeRawBufferPointer) -> String? {
        do throws(JSONError) {
            var scanner = try JSONScanner(content, limits: JSONLimits(bytes: content.count))
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let isName =
                    scanner.text(key, equals: "name") || scanner.text(key, equals: "event_type")
                    || scanner.text(key, equals: "event")
                if isName, try scanner.peek() == .string {
                    return scanner.string(try scanner.readText()).truncated(toUTF8Count: nameBytes)
                }
                try scanner.skipValue()
            }
            return nil
        } catch {
            // The content is known to be faulty; the name is optional.
            return nil
        }
    }
}

extension FailedEvent: BudgetedRow {
    // Bytes that are not valid UTF-8 are written as replacement characters, of three bytes each.
    public var responseBytes: Int { 256 + message.utf8.count + 3 * content.count }

    /// Writes the failed event.
    ///
    /// Bytes that are not valid UTF-8 appear as replacement characters.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("position", position.description)
        writer.member("received", received)
        for (name, text) in [
            ("key", key), ("code", code), ("field", field), ("message", message),
            ("content", String(decoding: content, as: UTF8.self)),
        ] {
            writer.member(name, text)
        }
        writer.member("bytes", Int64(bytes))
        writer.member("total_bytes", Int64(totalBytes))
        if let name { writer.member("name", name) }
        if let version { writer.member("version", version) }
        writer.endObject()
    }
}
