// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// An event of another format, translated into our format.
struct VendorEvent: Sendable, Hashable {
    /// The event's installation.
    ///
    /// Nil if the client does not name one; servers, for example, do not.
    var installation: InstallationID?
    /// The context that applies to the event.
    var context = RecordedContext()
    /// The event's id: the client's own, or one derived from identifying data.
    var id: EventID
    /// The event's name, in our vocabulary for captured events.
    var name: String
    /// When the event happened.
    var time: Timestamp
    /// The event's attributes, without those in the context.
    var attributes = JSONValue.Object()
    /// The event's items, in the canonical form.
    var items: [JSONValue] = []

    /// The event as a line in the canonical form.
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

/// Translates the events of one body of another format into our format.
protocol VendorTranslation {
    /// Returns the event for a value.
    ///
    /// Called once for each value, in order, because an id may depend on earlier values.
    ///
    /// - Throws: ``VendorFault`` with the invalid member if the value does not match the format.
    mutating func event(_ value: JSONValue) throws(VendorFault) -> VendorEvent
    /// Returns the installation of an event, valid or not.
    ///
    /// Nil if the event does not name one.
    func installation(_ value: JSONValue) -> InstallationID?
}

/// The reason why one event of another format is rejected.
public struct VendorFault: Error, Sendable, Hashable {
    /// The machine-readable reason, such as `field_missing`.
    public var code: String
    /// The invalid field, as the format spells it.
    ///
    /// Empty if the whole event is invalid.
    public var field: String
    /// The reason as a human-readable sentence.
    public var message: String

    /// Creates a fault with its reason.
    public init(_ code: ResponseCode, _ field: String, _ message: String) {
        self.code = code.rawValue
        self.field = field
        self.message = message
    }

    static func missing(_ field: String) -> VendorFault {
        VendorFault(.fieldMissing, field, "Every event needs “\(field)”.")
    }

    /// Returns the fault of an event that is not JSON.
    static func unreadable(_ error: JSONError) -> VendorFault {
        VendorFault(.malformedJSON, "", "The event is not valid JSON: \(error) of the body.")
    }

    /// Returns the fault of an event that is too long.
    ///
    /// Such an event is not parsed, and only its beginning is kept.
    static func tooLong(_ bytes: Int, _ most: Int) -> VendorFault {
        VendorFault(.eventTooLarge, "", "The event has \(bytes) bytes; at most \(most) are accepted.")
    }

    /// Returns the fault of a value of the wrong type.
    static func invalid(_ field: String, _ expectation: String, _ value: JSONValue) -> VendorFault {
        let subject = field.isEmpty ? "The event" : "“\(field)”"
        return VendorFault(.fieldInvalid, field, "\(subject) is \(excerpt(value)); send \(expectation).")
    }

    /// Returns a value as it was sent, truncated if it is long.
    private static func excerpt(_ value: JSONValue) -> String {
        let text = String(decoding: value.json(), as: UTF8.self)
        return text.utf8.count > longestExcerpt ? text.prefix(longestExcerpt) + "…" : text
    }

    private static let longestExcerpt = 48
}
