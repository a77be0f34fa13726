// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A warning about content that probably lacks its intended effect.
///
/// The content is part of an accepted body.
public struct AdmissionWarning: Sendable, Hashable {
    /// The index of the first affected event, from 0.
    ///
    /// Nil if the warning is about the body or a context.
    public var index: Int?
    /// The number of affected events.
    ///
    /// 0 if the warning is about the body or a context.
    public var events: Int
    /// The machine-readable kind, such as `unread_member`.
    public var code: String
    /// The affected member.
    public var field: String
    /// A human-readable sentence that says what to send instead.
    public var message: String
}

/// The warnings of one body: one per kind and member.
///
/// Each warning includes the number of events that it applies to.
struct AdmissionWarnings {
    /// The maximum number of warnings per body.
    static let maximumCount = 16
    /// The maximum number of bytes of a member's name in a warning.
    private static let nameBytes = 64

    private(set) var list: [AdmissionWarning] = []

    /// Adds a warning.
    ///
    /// - Parameters:
    ///   - index: The index of the event; nil for the body or a context.
    ///   - message: Evaluated only for the first warning of its kind.
    mutating func add(_ code: ResponseCode, _ field: String, of index: Int?, _ message: @autoclosure () -> String) {
        let field = field.truncated(toUTF8Count: Self.nameBytes)
        let one = index == nil ? 0 : 1
        let code = code.rawValue
        if let known = list.firstIndex(where: { $0.code == code && $0.field.utf8.elementsEqual(field.utf8) }) {
            list[known].events += one
        } else if list.count < Self.maximumCount {
            list.append(AdmissionWarning(index: index, events: one, code: code, field: field, message: message()))
        }
    }

    // MARK: Unread members

    /// Warns about members of an event that the collector does not read.
    ///
    /// - Complexity: O(length).
    mutating func addUnreadMembers(in line: UnsafeRawBufferPointer, of index: Int) {
        do throws(JSONError) {
            var scanner = try JSONScanner(line, limits: JSONLimits(bytes: line.count))
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let name = scanner.string(key)
                if !EventMembers.known.contains(name) {
                    add(.unreadMember, name, of: index, EventMembers.advice(on: name))
                }
                try scanner.skipValue()
            }
        } catch {
            // Cannot happen: the line was already checked completely.
        }
    }

    /// Warns about a member next to `events` or `context`.
    mutating func addStrayMember(_ name: String, nextTo: String) {
        add(
            .unreadMember,
            name,
            of: nil,
            """
            “\(name.truncated(toUTF8Count: Self.nameBytes))” next to “\(nextTo)” is not used; put it into the events, \
            or into a context line before them.
            """
        )
    }

    // MARK: Contexts

    /// Warns about members of a context that have the wrong type.
    ///
    /// Such members are ignored.
    ///
    /// - Parameter line: A context line that was already checked completely.
    /// - Complexity: O(length).
    mutating func addContextWarnings(_ line: UnsafeRawBufferPointer) {
        do throws(JSONError) {
            var scanner = try JSONScanner(line, limits: JSONLimits(bytes: line.count))
            try scanner.enterObject()
            _ = try scanner.nextKey()
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let name = scanner.string(key)
                let kind = try scanner.peek()
                if EventMembers.contextObjects.contains(name), kind != .object, kind != .null {
                    let example = name == "user" ? #" such as {"id":"42"}"# : ""
                    add(
                        .wrongType,
                        "context.\(name)",
                        of: nil,
                        "“context.\(name)” is not an object, so nothing in it is used; send an object\(example)."
                    )
                } else if name == "user" || name == "session", kind == .object {
                    try addIDWarnings(name, &scanner)
                    continue
                }
                try scanner.skipValue()
            }
            while let key = try scanner.nextKey() {
                addStrayMember(scanner.string(key), nextTo: "context")
                try scanner.skipValue()
            }
        } catch {
            // Cannot happen: the line was already checked completely.
        }
    }

    /// Warns about ids that are not text, and about placeholder user ids.
    ///
    /// An id that is not text, such as a number, is not read as an id. A placeholder user id replaces a missing one.
    private mutating func addIDWarnings(_ owner: String, _ scanner: inout JSONScanner) throws(JSONError) {
        try scanner.enterObject()
        while let key = try scanner.nextKey() {
            guard scanner.text(key, equals: "id") else {
                try scanner.skipValue()
                continue
            }
            let kind = try scanner.peek()
            if kind == .string {
                let id = scanner.string(try scanner.readText())
                if owner == "user", PlaceholderUserID.contains(id) {
                    add(.placeholderUserID, "context.user.id", of: nil, PlaceholderUserID.message(id))
                }
                continue
            }
            if kind != .null {
                add(
                    .wrongType,
                    "context.\(owner).id",
                    of: nil,
                    "“context.\(owner).id” is not text, so it is not used; send it as text, such as \"42\"."
                )
            }
            try scanner.skipValue()
        }
    }

    // MARK: Aliases

    /// Warns about an `_alias` event that cannot merge two users.
    mutating func addAliasWarning(_ statement: MergeStatement, of index: Int, hasInstallation: Bool) {
        guard !statement.isValid || !hasInstallation else { return }
        let shown = { (text: String?) in "“\((text ?? "").truncated(toUTF8Count: 64))”" }
        add(
            .ineffectiveAlias,
            "attributes",
            of: index,
            hasInstallation
                ? """
                The alias from \(shown(statement.user)) to \(shown(statement.target)) merges nothing: send the ids of two \
                different users, as text, in “_alias_from” and “_alias_to”.
                """
                : """
                The alias from \(shown(statement.user)) to \(shown(statement.target)) merges nothing, because the batch has no \
                installation; to merge users from a server, use POST /v1/users/{id}/merge.
                """
        )
    }

    // MARK: Times

    /// Warns about a time that a correct clock would not show.
    ///
    /// - Parameters:
    ///   - time: The event's time, corrected by the known clock offset of the device.
    ///   - received: The time of arrival.
    mutating func addTimeWarning(_ time: Timestamp, received: Timestamp, of index: Int) {
        if time < EventTimes.earliest {
            add(
                .timeBefore2010,
                "time",
                of: index,
                """
                \(time) is before 2010: queries for recent days do not find the event. \
                Correct the device's clock, or send milliseconds since 1970.
                """
            )
        } else if received.duration(to: time) > EventTimes.aheadTolerance {
            add(
                .timeAhead,
                "time",
                of: index,
                """
                \(time) is more than a day after its arrival: queries that end now do not find it. \
                Correct the device's clock.
                """
            )
        }
    }
}

/// The members of events and contexts, and their names in other products.
enum EventMembers {
    /// The members of an event.
    static let known: Set<String> = ["id", "name", "time", "mono", "attributes", "items"]
    /// The members of a context that are objects.
    static let contextObjects: Set<String> = ["user", "session", "screen", "app", "device", "global"]

    private static let attributes: Set<String> = [
        "properties", "props", "params", "parameters", "payload", "data", "fields", "event_properties", "event_params",
        "eventProperties", "eventParams", "attrs", "attribute", "meta", "metadata", "value", "values", "traits",
    ]
    private static let people: Set<String> = [
        "user", "user_id", "userId", "userid", "uid", "distinct_id", "distinctId", "anonymous_id", "anonymousId",
        "user_properties", "userProperties",
    ]
    private static let times: Set<String> = [
        "timestamp", "ts", "date", "datetime", "created_at", "createdAt", "occurred_at", "sent_at", "sentAt",
        "originalTimestamp", "original_timestamp", "event_time", "eventTime", "event_timestamp",
    ]
    private static let ids: Set<String> = [
        "event_id", "eventId", "uuid", "messageId", "message_id", "insert_id", "$insert_id", "insertId",
    ]
    private static let names: Set<String> = ["event", "event_name", "eventName", "type", "action"]
    private static let contexts: Set<String> = [
        "context", "app", "device", "session", "session_id", "sessionId", "screen",
    ]

    /// Returns advice on what to send instead of an unread member.
    static func advice(on name: String) -> String {
        let shown = name.truncated(toUTF8Count: 64)
        let instead: String =
            switch name {
            case _ where attributes.contains(name): "put its content under “attributes”"
            case _ where people.contains(name):
                #"send the user in a context line before the event: {"context":{"user":{"id":"…"}}}"#
            case _ where times.contains(name): "send “time”, in milliseconds since 1970"
            case _ where ids.contains(name): "send “id”, a UUID"
            case _ where names.contains(name): "the event's name is “name”"
            case _ where contexts.contains(name):
                #"send it in a context line before the event: {"context":{…}}"#
            default: "put it under “attributes”"
            }
        return "“\(shown)” is not a member of an event and is not used; \(instead)."
    }
}

/// Bounds for implausible event times.
public enum EventTimes {
    /// The earliest plausible time of an event: January 1, 2010.
    public static let earliest = Timestamp(milliseconds: 1_262_304_000_000)
    /// The maximum time by which a plausible event time may be ahead of the arrival time.
    public static let aheadTolerance = Duration.seconds(86_400)

    /// Returns the rejection of a time in a unit other than milliseconds.
    ///
    /// Returns nil for a time in milliseconds. Interpreted as milliseconds, a time in another unit would be in the
    /// first months of 1970, or tens of thousands of years in the future.
    ///
    /// - Parameters:
    ///   - time: The event's time.
    ///   - index: The index of the event.
    static func wrongUnit(_ time: Timestamp, of index: Int, id: EventID?) -> RejectedEvent? {
        let value = time.milliseconds
        let (unit, right): (String, Int64) =
            switch value {
            case 1_000_000_000..<10_000_000_000: ("seconds", value * 1_000)
            case 1_000_000_000_000_000..<10_000_000_000_000_000: ("microseconds", value / 1_000)
            case 1_000_000_000_000_000_000...: ("nanoseconds", value / 1_000_000)
            default: ("", 0)
            }
        guard !unit.isEmpty else { return nil }
        return RejectedEvent(
            index: index,
            id: id,
            code: .timeWrongUnit,
            field: "time",
            message: "The time \(value) is in \(unit); send milliseconds since 1970: \(right)."
        )
    }
}
