// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// An event, or a whole batch, that admission refused, kept with the reason so that a person can see and repair it.
public struct FailedEvent: Sendable, Hashable {
    /// Its place in the intake log; ordinal 0 for a whole batch.
    public var position: EventPosition
    /// When it arrived.
    public var received: Timestamp
    /// The name of the key it came with.
    public var key: String
    /// The machine-readable reason, such as `name_too_long`.
    public var code: String
    /// The field at fault; empty when the whole is.
    public var field: String
    /// One sentence for a person.
    public var message: String
    /// The refused bytes, cut when they are many.
    public var content: [UInt8]
    /// How many bytes are known; more than ``content`` has where that was cut for an answer.
    public var bytes: Int

    /// How many bytes were refused; more than ``bytes`` where less was kept.
    public var totalBytes: Int
    /// The name of the event, as far as it can be read out of the content.
    public var name: String?
    /// The version of the app that sent it, as its context says.
    public var version: String?

    /// The most bytes of each in a list.
    public static let excerptBytes = 4 << 10

    /// A failed event with its reason.
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

    /// A record that cannot be read, or the part of one behind which it cannot.
    ///
    /// - Parameters:
    ///   - payload: Its bytes, or the first of them.
    ///   - length: How many it has.
    ///   - start: Where the record begins.
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
            code: "unreadable_record",
            field: "",
            message: message,
            content: Array(payload.prefix(KeptRecord.unreadableBytes)),
            totalBytes: length
        )
    }

    /// The most bytes of a name or a version that is told.
    public static let nameBytes = 128

    /// The name of the event in `content`, if it can be read before the fault, in our own format or in another.
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
                    return scanner.string(try scanner.readText()).cut(toBytes: nameBytes)
                }
                try scanner.skipValue()
            }
            return nil
        } catch {
            // The content is known to be faulty; the name is a courtesy.
            return nil
        }
    }
}

extension FailedEvent: BudgetedRow {
    // What is not text is written with replacement characters.
    public var answerBytes: Int { 256 + message.utf8.count + 3 * content.count }

    /// Writes the failed event; bytes that are no UTF-8 appear as replacement characters.
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
