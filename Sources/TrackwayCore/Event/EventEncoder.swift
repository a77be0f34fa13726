// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Validates an event and encodes it as canonical JSON in one pass.
///
/// Encoding runs on the calling thread. The JSON has its members in this order; attributes and items are left out if
/// empty:
/// ```json
/// {"id":"…","name":"…","time":1700000000000,"mono":123456,"attributes":{…},"items":[{"id":"…","name":"…","attributes":{…}}]}
/// ```
/// Encoding never fails. Parts that exceed a limit are left out or repaired, and reported; the rest of the event is
/// written. An event with such a problem has the attributes `_error_code` and `_error_message`. Records that describe
/// people, items or the device do not, because their attributes are the data to be set.
public enum EventEncoder {
    /// Appends one event to `writer`.
    ///
    /// - Parameters:
    ///   - id: The event's id.
    ///   - name: The event's name. An empty name becomes `_unnamed`, a long name is truncated, and control characters
    ///     become `_`.
    ///   - moment: The time of the event.
    ///   - attributes: The event's attributes. Among several with the same key, the last one wins.
    ///   - items: The items that the event refers to.
    ///   - limits: The limits of the event's size.
    ///   - writer: The writer to which the JSON is appended.
    ///   - report: Called for everything that was left out or repaired, after the event has been written.
    public static func encode(
        id: EventID,
        name: String,
        moment: DualTimestamp,
        attributes: Attributes,
        items: [Item],
        limits: EventLimits,
        into writer: inout JSONWriter,
        report: (Diagnostic) -> Void
    ) {
        let start = writer.count
        var encoding = EventEncoding(limits: limits, start: start)
        encoding.header(id: id, name: name, moment: moment, into: &writer)
        var attributesEnd: Int?
        let beforeAttributes = writer.count
        if attributes.mayHavePairs || attributes.unsupported != nil {
            let known = encoding.problems.count
            writer.literal(",\"attributes\":")
            if encoding.attributes(attributes, depth: 1, into: &writer) > 0 {
                attributesEnd = writer.count - 1
            } else {
                writer.truncate(to: beforeAttributes)
            }
            if encoding.problems.count > known { encoding.problems.prefix("attributes", since: known) }
        }
        if !items.isEmpty { encoding.items(items, into: &writer) }
        // In records about people, items and the device, an added note would be one more attribute to be set.
        if !encoding.problems.isEmpty, RecordSubject(name: name, attributes: attributes).takesSharedAttributes {
            encoding.problems.write(
                into: &writer,
                at: attributesEnd ?? beforeAttributes,
                inAttributes: attributesEnd != nil,
                besides: attributes
            )
        }
        writer.byte(UInt8(ascii: "}"))
        if !encoding.problems.isEmpty { encoding.problems.forEach(report) }
    }
}

/// Validates and repairs the names of events.
enum EventNames {
    /// The name of an event that was recorded without one.
    static let unnamed = "_unnamed"

    /// Whether the name contains control characters (below U+0020, or U+007F).
    @inline(__always)
    static func hasControlCharacters(_ name: String) -> Bool {
        let found = name.utf8.withContiguousStorageIfAvailable { utf8 in
            hasControlBytes(UnsafeRawBufferPointer(utf8))
        }
        return found ?? name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// Returns the name with each control character replaced by `_`.
    static func replacingControlCharacters(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "_" : $0 }))
    }

    @inline(__always)
    private static func hasControlBytes(_ name: UnsafeRawBufferPointer) -> Bool {
        for byte in name where byte < 0x20 || byte == 0x7F { return true }
        return false
    }
}
