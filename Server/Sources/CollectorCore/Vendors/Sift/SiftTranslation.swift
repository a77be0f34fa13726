// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// Translates an event of the Sift format into our format.
///
/// An app state or device properties become the snapshot that our own SDK records. Everything else becomes an event
/// named by its type, with its fields as attributes.
struct SiftTranslation: VendorTranslation {
    private let account: String
    private let received: Timestamp
    /// A hash that identifies this body.
    private let body: String
    private var occurrences = VendorOccurrences()

    /// The name of an event without a type.
    static let untypedName = "_event"

    /// Creates a translation for the events of one body.
    init(account: String, received: Timestamp, body: [UInt8]) {
        self.account = account
        self.received = received
        self.body = String(decoding: Base64.encode(SHA256.hash(body)), as: UTF8.self)
    }

    /// Returns the event for a value.
    ///
    /// - Throws: ``VendorFault`` with the path of a member that does not match the format.
    mutating func event(_ value: JSONValue) throws(VendorFault) -> VendorEvent {
        guard let given = value.object else { throw .invalid("", "an object", value) }
        var event = given.withoutNulls
        let time = try Self.time(&event)
        let type = try Self.text("mobile_event_type", &event)
        let user = try Self.text("user_id", &event)
        _ = try Self.text("installation_id", &event)
        var parts = try SiftParts(&event)
        var snapshot = try SiftSnapshot(&event)
        var context = RecordedContext()
        context.app["id"] = .string(account)
        if let version = snapshot?.takeVersion() {
            context.app["sdk_name"] = "sift-ios"
            context.app["sdk_version"] = .string(version)
        }
        context.user.id = user
        parts.other = event
        return VendorEvent(
            installation: installation(value),
            context: context,
            id: id(of: given, at: time),
            name: snapshot?.name ?? type ?? Self.untypedName,
            time: time ?? received,
            attributes: snapshot.map { parts.attributes(mergedWith: $0.attributes, type: type) } ?? parts.attributes
        )
    }

    /// Returns the installation of an event, valid or not.
    ///
    /// Nil without an id.
    ///
    /// An id that is a UUID, as sent by the format's own clients, is used directly; any other id is converted to one.
    func installation(_ value: JSONValue) -> InstallationID? {
        guard let text = value["installation_id"]?.text else { return nil }
        return InstallationID(text) ?? StableID.installation(["sift", account, text])
    }

    /// Derives the event's id, because the format has none.
    ///
    /// The id depends on the whole event, regardless of the order of its members, and on the number of equal events
    /// before it in the body.
    ///
    /// Without a time, two equal events cannot be distinguished from one that is sent twice. Therefore, the id of such
    /// an event also depends on the body, which is identical byte for byte when it is sent again.
    private mutating func id(of event: JSONValue.Object, at time: Timestamp?) -> EventID {
        let content = JSONValue.object(event.withoutNulls).inOrder.json()
        let occurrence = String(occurrences.next(content))
        let parts = ["sift", account, String(decoding: content, as: UTF8.self), occurrence]
        return StableID.event(at: time ?? Timestamp(milliseconds: 0), time == nil ? parts + [body] : parts)
    }

    private static func time(_ event: inout JSONValue.Object) throws(VendorFault) -> Timestamp? {
        guard let value = event.take("time") else { return nil }
        guard let moment = value.wholeNumber, moment >= 0 else {
            throw .invalid("time", "a whole number of milliseconds since 1970", value)
        }
        return Timestamp(milliseconds: moment)
    }

    /// Reads a string; nil if it is missing or empty.
    private static func text(_ key: String, _ event: inout JSONValue.Object) throws(VendorFault) -> String? {
        guard let value = event.take(key) else { return nil }
        guard let text = value.string else { throw .invalid(key, "text", value) }
        return text.isEmpty ? nil : text
    }
}
