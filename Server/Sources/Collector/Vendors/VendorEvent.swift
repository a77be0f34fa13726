// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// An event of another format in our own terms.
struct VendorEvent: Sendable, Hashable {
    /// The installation it comes from; nil when the client tells none, as servers do.
    var installation: InstallationID?
    /// The context it holds in.
    var context = RecordedContext()
    /// Its id: the client's own, or one made from what tells the event apart.
    var id: EventID
    /// Its name in the captured vocabulary.
    var name: String
    /// When it happened.
    var time: Timestamp
    /// Its attributes, without those the context holds.
    var attributes = JSONValue.Object()
    /// Its items in the canonical form.
    var items: [JSONValue] = []

    /// The canonical line.
    var line: [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("id", id)
            writer.member("name", name)
            writer.member("time", time)
            if !attributes.members.isEmpty {
                writer.key("attributes")
                JSONValue.object(attributes).write(into: &writer)
            }
            if !items.isEmpty {
                writer.key("items")
                JSONValue.array(items).write(into: &writer)
            }
            writer.endObject()
            return writer.array()
        }
    }
}

/// Turns the events of one body of another format into ours.
protocol VendorTranslation {
    /// The event of a value; called once for each, in order, as an id may depend on what came before.
    ///
    /// - Throws: ``VendorFault`` when it is not what the format says, with the member at fault.
    mutating func event(_ value: JSONValue) throws(VendorFault) -> VendorEvent
    /// The installation of an event, faulty or not; nil when it names none.
    func installation(_ value: JSONValue) -> InstallationID?
}

/// Why one event of another format is not taken.
public struct VendorFault: Error, Sendable, Hashable {
    /// The machine-readable reason, such as `field_missing`.
    public var code: String
    /// The field at fault, as the format spells it; empty when the whole event is.
    public var field: String
    /// One sentence for a person.
    public var message: String

    /// A fault with its reason.
    public init(_ code: String, _ field: String, _ message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    static func missing(_ field: String) -> VendorFault {
        VendorFault("field_missing", field, "Every event needs “\(field)”.")
    }

    /// An event that is not JSON.
    static func unreadable(_ error: JSONError) -> VendorFault {
        VendorFault("malformed_json", "", "The event is not valid JSON: \(error) of the body.")
    }

    /// An event that is longer than one may be; it is not taken apart, and its beginning is kept.
    static func tooLong(_ bytes: Int, _ most: Int) -> VendorFault {
        VendorFault("event_too_large", "", "The event has \(bytes) bytes; at most \(most) are accepted.")
    }

    /// A value of another kind than belongs there.
    static func invalid(_ field: String, _ expectation: String, _ value: JSONValue) -> VendorFault {
        let subject = field.isEmpty ? "The event" : "“\(field)”"
        return VendorFault("field_invalid", field, "\(subject) is \(excerpt(value)); send \(expectation).")
    }

    /// A value as it was sent, cut where it gets long.
    private static func excerpt(_ value: JSONValue) -> String {
        let text = String(decoding: value.json(), as: UTF8.self)
        return text.utf8.count > longestExcerpt ? text.prefix(longestExcerpt) + "…" : text
    }

    private static let longestExcerpt = 48
}
