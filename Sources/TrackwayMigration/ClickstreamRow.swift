// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A pending event of the Clickstream SDK, split into an event and its context.
struct ClickstreamRow: Sendable, Hashable {
    /// The reason why a row is not a usable event.
    enum Fault: Error, Hashable {
        /// The text is not JSON, or exceeds the maximum size of an event.
        case malformed
        /// A field that every event has is missing or invalid.
        case field(String)
    }

    let id: EventID
    let name: String
    let time: Timestamp
    private(set) var attributes: Attributes
    private(set) var items: [Item]
    private let json: JSONValue
    private let session: RecordedContext.Session?
    private let screen: RecordedContext.Screen?

    /// Parses a row's JSON.
    init(_ bytes: [UInt8]) throws(Fault) {
        do throws(JSONError) {
            json = try JSONValue.parse(bytes, limits: Event.jsonLimits)
        } catch {
            throw .malformed
        }
        guard let name = json["event_type"]?.string, !name.isEmpty else { throw .field("event_type") }
        guard let id = json["event_id"]?.string.flatMap({ EventID($0) }) else { throw .field("event_id") }
        guard let time = json["timestamp"]?.integer, (0...LegacyValueReader.lastTime).contains(time) else {
            throw .field("timestamp")
        }
        guard let given = json["attributes"]?.object else { throw .field("attributes") }
        (self.id, self.name, self.time) = (id, name, Timestamp(milliseconds: time))
        var attributes = Attributes(plain: given)
        session = Self.session(&attributes)
        screen = name == CapturedName.screenView ? nil : Self.screen(&attributes)
        // Use the names that the Clickstream server knows, instead of those that the client sent.
        for (theirs, ours) in Self.exceptions {
            if let value = attributes[theirs], attributes[ours] == nil {
                attributes[theirs] = nil
                attributes[ours] = value
            }
        }
        self.attributes = attributes
        items = (json["items"]?.array ?? []).compactMap(\.object).map { object in
            var members = Attributes(plain: object)
            let (id, name) = (members["id"]?.string ?? "", members["name"]?.string)
            members["id"] = nil
            if name != nil { members["name"] = nil }
            return Item(id: id, name: name, members)
        }
    }

    private static let exceptions = [
        ("_excepiton_stack", CapturedKey.exceptionStack), ("_exception_reason", CapturedKey.exceptionMessage),
    ]

    /// Removes the session from the attributes and returns it.
    ///
    /// The session's duration is removed, too, because it can be computed from the start time.
    private static func session(_ attributes: inout Attributes) -> RecordedContext.Session? {
        guard let id = attributes[CapturedKey.sessionID]?.string,
            let start = attributes[CapturedKey.sessionStart]?.integer,
            let number = attributes[CapturedKey.sessionNumber]?.integer
        else { return nil }
        for key in [
            CapturedKey.sessionID, CapturedKey.sessionStart, CapturedKey.sessionNumber, CapturedKey.sessionDuration,
        ] { attributes[key] = nil }
        return .init(id: id, number: number, start: Timestamp(milliseconds: start))
    }

    private static func screen(_ attributes: inout Attributes) -> RecordedContext.Screen? {
        guard let name = attributes[CapturedKey.screenName]?.string else { return nil }
        let unique = attributes[CapturedKey.screenUniqueID]?.string
        attributes[CapturedKey.screenName] = nil
        if unique != nil { attributes[CapturedKey.screenUniqueID] = nil }
        return .init(name: name, uniqueID: unique)
    }

    /// Returns the context of the row's event.
    ///
    /// The current consent subject applies to the event.
    ///
    /// - Parameter current: The current context, which supplies values that the row does not contain.
    func context(in current: RecordedContext) -> RecordedContext {
        var context = current
        // Global attributes are among the row's own attributes.
        context.global = [:]
        context.session = session
        context.screen = screen
        context.boot = ""
        for (theirs, ours) in Self.appFacts { context.app[ours] = json[theirs]?.string.map { .string($0) } }
        for (theirs, ours) in Self.deviceFacts {
            guard let value = json[theirs].flatMap({ AttributeValue(plain: $0) }) else { continue }
            context.device[ours] = value
        }
        context.device["network"] = Self.networks[json["network_type"]?.string ?? ""].map { .string($0) }
        context.device["zone_offset_seconds"] = json["zone_offset"]?.integer.map { .integer($0 / 1_000) }
        // The id is missing or all zeros if the user does not allow it.
        context.device["advertising_id"] = json["device_unique_id"]?.string.flatMap { id in
            id.contains { $0 != "0" && $0 != "-" } ? .string(id) : nil
        }
        context.user = user(subject: current.user.subject, anonymousID: current.user.anonymousID)
        return context
    }

    private static let appFacts = [
        ("app_version", "version"), ("app_package_name", "package"), ("app_title", "name"),
    ]
    private static let deviceFacts = [
        ("platform", "platform"), ("os_version", "os_version"), ("make", "make"), ("model", "model"),
        ("locale", "locale"), ("carrier", "carrier"), ("device_id", "id"), ("screen_height", "screen_height"),
        ("screen_width", "screen_width"),
    ]
    private static let networks = ["WIFI": "wifi", "Mobile": "cellular"]

    private func user(subject: String?, anonymousID: String?) -> RecordedContext.User {
        var user = RecordedContext.User(anonymousID: anonymousID, subject: subject)
        user.uniqueID = json["unique_id"]?.string
        for member in json["user"]?.object?.members ?? [] {
            let set = member.value["set_timestamp"]?.integer.map { Timestamp(milliseconds: $0) }
            switch member.key {
            case CapturedKey.userID:
                user.id = member.value["value"]?.string
                user.signedInAt = set
            case CapturedKey.firstTouch:
                user.firstTouch = member.value["value"]?.integer.map { Timestamp(milliseconds: $0) }
            default:
                guard let value = member.value["value"].flatMap({ AttributeValue(plain: $0) }) else { continue }
                user.attributes.append(
                    .init(name: member.key, value: value, setAt: set ?? Timestamp(milliseconds: 0))
                )
            }
        }
        return user
    }
}

extension AttributeValue {
    /// Creates a value as written: text that looks like a date stays text.
    fileprivate init?(plain json: JSONValue) {
        if case .string(let text) = json { self = .string(text) } else { self.init(json) }
    }
}

extension Attributes {
    /// Creates attributes from the members of an object, as written.
    fileprivate init(plain object: JSONValue.Object) {
        self.init(
            object.members.compactMap { member in
                AttributeValue(plain: member.value).map { (key: member.key, value: $0) }
            }
        )
    }
}
