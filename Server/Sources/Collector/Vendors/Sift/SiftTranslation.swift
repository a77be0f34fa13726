// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

/// Turns an event of the Sift format into one of ours: an app state or device properties become the snapshot that our own
/// SDK records; everything else is an event under its type's name, with its fields for attributes.
struct SiftTranslation: VendorTranslation {
    private let account: String
    private let received: Timestamp
    /// What tells this body from every other one.
    private let body: String
    private var occurrences = VendorOccurrences()

    /// What an event without a type is called.
    static let untypedName = "_event"

    /// Translation of the events of one body.
    init(account: String, received: Timestamp, body: [UInt8]) {
        self.account = account
        self.received = received
        self.body = String(decoding: Base64.encode(SHA256.hash(body)), as: UTF8.self)
    }

    /// The event of a value.
    ///
    /// - Throws: ``VendorFault`` when a member is something else than the format says, with the member's place.
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
            attributes: snapshot.map { parts.attributes(beside: $0.attributes, type: type) } ?? parts.attributes
        )
    }

    /// The installation of an event, faulty or not: the id itself where it is a UUID, as with the format's own clients;
    /// one made from it where it is something else; none where there is none.
    func installation(_ value: JSONValue) -> InstallationID? {
        guard let text = value["installation_id"]?.text else { return nil }
        return InstallationID(text) ?? StableID.installation(["sift", account, text])
    }

    /// The event's id. The format has none, so it is made from everything the event says, whatever the order of the
    /// members, and from how often the same stood before it in its body.
    ///
    /// Without a time, two equal events cannot be distinguished from one that is sent twice; then the body counts too: sent
    /// again it is the same to the byte.
    private mutating func id(of event: JSONValue.Object, at time: Timestamp?) -> EventID {
        let content = JSONValue.object(event.withoutNulls).inOrder.json()
        let occurrence = String(occurrences.next(content))
        let said = ["sift", account, String(decoding: content, as: UTF8.self), occurrence]
        return StableID.event(at: time ?? Timestamp(milliseconds: 0), time == nil ? said + [body] : said)
    }

    private static func time(_ event: inout JSONValue.Object) throws(VendorFault) -> Timestamp? {
        guard let value = event.take("time") else { return nil }
        guard let moment = value.wholeNumber, moment >= 0 else {
            throw .invalid("time", "a whole number of milliseconds since 1970", value)
        }
        return Timestamp(milliseconds: moment)
    }

    /// A text that says something.
    private static func text(_ key: String, _ event: inout JSONValue.Object) throws(VendorFault) -> String? {
        guard let value = event.take(key) else { return nil }
        guard let text = value.string else { throw .invalid(key, "text", value) }
        return text.isEmpty ? nil : text
    }
}
