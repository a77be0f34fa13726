// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Turns what the app hands over into canonical JSON, on the caller's thread, in one pass, validating on the way.
///
/// The form, with the members in this order, attributes and items left out when there are none:
/// ```json
/// {"id":"…","name":"…","time":1700000000000,"mono":123456,"attributes":{…},"items":[{"id":"…","name":"…","attributes":{…}}]}
/// ```
/// It never fails. What breaks a limit is left out or repaired and reported; the rest of the event is written. An event
/// with such a problem says so itself, in the attributes `_error_code` and `_error_message`; what is said about people, things
/// and the device does not, because there the attributes are what is said.
public enum EventEncoder {
    /// Appends one event to `writer`.
    ///
    /// - Parameters:
    ///   - id: The event's identity.
    ///   - name: The event's name. An empty one becomes `_unnamed`, a long one is cut, control characters become `_`.
    ///   - moment: When it happened.
    ///   - attributes: Its attributes. Of several with one key the last wins.
    ///   - items: What it is about.
    ///   - limits: How large it may be.
    ///   - writer: Where the JSON is appended.
    ///   - report: Told of everything that was left out or repaired, after the event has been written.
    public static func encode(
        id: EventID,
        name: String,
        moment: Moment,
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
        // Of people, things and the device the attributes are the statement: a note among them would be one more.
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

/// What makes an event's name usable.
enum EventNames {
    /// The name of an event that was recorded without one.
    static let unnamed = "_unnamed"

    /// True when the name holds characters below U+0020, U+007F, or line separators that break log lines.
    @inline(__always)
    static func hasControlCharacters(_ name: String) -> Bool {
        let found = name.utf8.withContiguousStorageIfAvailable { utf8 in
            hasControlBytes(UnsafeRawBufferPointer(utf8))
        }
        return found ?? name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// The name with each control character replaced by `_`.
    static func replacingControlCharacters(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "_" : $0 }))
    }

    @inline(__always)
    private static func hasControlBytes(_ name: UnsafeRawBufferPointer) -> Bool {
        for byte in name where byte < 0x20 || byte == 0x7F { return true }
        return false
    }
}
