// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Something in an accepted body that does not do what its sender probably expects.
public struct AdmissionWarning: Sendable, Hashable {
    /// The first event it is about, from 0; nil when it is about the body or a context.
    public var index: Int?
    /// How many events it is about; 0 when it is about the body or a context.
    public var events: Int
    /// The machine-readable kind, such as `unread_member`.
    public var code: String
    /// The member at fault.
    public var field: String
    /// One sentence for a person, with what to send instead.
    public var message: String
}

/// The warnings of one body: each kind and member once, with how many events it is about.
struct AdmissionWarnings {
    /// The most warnings of one body.
    static let most = 16
    /// Bytes of a member's name that are shown.
    private static let nameBytes = 64

    private(set) var list: [AdmissionWarning] = []

    /// Adds a warning.
    ///
    /// - Parameters:
    ///   - index: The event; nil for the body or a context.
    ///   - message: Made when it is the first of its kind.
    mutating func add(_ code: String, _ field: String, of index: Int?, _ message: @autoclosure () -> String) {
        let field = field.cut(toBytes: Self.nameBytes)
        let one = index == nil ? 0 : 1
        if let known = list.firstIndex(where: { $0.code == code && $0.field.utf8.elementsEqual(field.utf8) }) {
            list[known].events += one
        } else if list.count < Self.most {
            list.append(AdmissionWarning(index: index, events: one, code: code, field: field, message: message()))
        }
    }

    // MARK: Members that nothing reads

    /// Warns of the members of an event that nothing reads.
    ///
    /// - Complexity: O(length).
    mutating func unread(in line: UnsafeRawBufferPointer, of index: Int) {
        do throws(JSONError) {
            var scanner = try JSONScanner(line, limits: JSONLimits(bytes: line.count))
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                let name = scanner.string(key)
                if !EventMembers.known.contains(name) {
                    add("unread_member", name, of: index, EventMembers.advice(on: name))
                }
                try scanner.skipValue()
            }
        } catch {
            // The line was checked completely before.
        }
    }

    /// Warns of a member that stands beside `events` or `context`.
    mutating func stray(_ name: String, beside: String) {
        add(
            "unread_member",
            name,
            of: nil,
            "“\(name.cut(toBytes: Self.nameBytes))” beside “\(beside)” is not used; put it into the events, or into a context line before them."
        )
    }

    // MARK: Contexts

    /// Warns of members of a context that say nothing because of their types.
    ///
    /// - Parameter context: A line that was checked completely before.
    /// - Complexity: O(length).
    mutating func context(_ line: UnsafeRawBufferPointer) {
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
                        "wrong_type",
                        "context.\(name)",
                        of: nil,
                        "“context.\(name)” is not an object, so nothing in it is used; send an object\(example)."
                    )
                } else if name == "user" || name == "session", kind == .object {
                    try identity(name, &scanner)
                    continue
                }
                try scanner.skipValue()
            }
            while let key = try scanner.nextKey() {
                stray(scanner.string(key), beside: "context")
                try scanner.skipValue()
            }
        } catch {
            // As above.
        }
    }

    /// Warns of an ID that is a number, which is not read as an ID, and of a user ID that stands for a missing one.
    private mutating func identity(_ owner: String, _ scanner: inout JSONScanner) throws(JSONError) {
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
                    add(PlaceholderUserID.code, "context.user.id", of: nil, PlaceholderUserID.message(id))
                }
                continue
            }
            if kind != .null {
                add(
                    "wrong_type",
                    "context.\(owner).id",
                    of: nil,
                    "“context.\(owner).id” is not text, so the events belong to no \(owner); send it as text, such as \"42\"."
                )
            }
            try scanner.skipValue()
        }
    }

    // MARK: Times

    /// Warns of a time that no clock that is right shows.
    ///
    /// - Parameters:
    ///   - time: The event's time, corrected by what is known of the device's clock.
    ///   - received: The time of arrival.
    mutating func time(_ time: Timestamp, received: Timestamp, of index: Int) {
        if time < EventTimes.earliest {
            add(
                EventTimes.beforeCode,
                "time",
                of: index,
                "\(time) is before 2010: queries about the last days do not find the event. Set the device's clock, or send milliseconds since 1970."
            )
        } else if received.duration(to: time) > EventTimes.ahead {
            add(
                EventTimes.aheadCode,
                "time",
                of: index,
                "\(time) is more than a day after the event arrived: queries up to now do not find it. Set the device's clock."
            )
        }
    }
}

/// The members of events and contexts, and what other products call them.
enum EventMembers {
    /// What an event may have.
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

    /// What to send instead of a member that nothing reads.
    static func advice(on name: String) -> String {
        let shown = name.cut(toBytes: 64)
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

/// Times of events that cannot be right.
public enum EventTimes {
    /// Earlier times are no times of events: the first of January 2010.
    public static let earliest = Timestamp(milliseconds: 1_262_304_000_000)
    /// How far ahead of the time of arrival a right clock may be.
    public static let ahead = Duration.seconds(86_400)
    /// The code of times before ``earliest``.
    public static let beforeCode = "time_before_2010"
    /// The code of times that are too far ahead.
    public static let aheadCode = "time_ahead"
    /// The code of times in another unit than milliseconds.
    public static let unitCode = "time_wrong_unit"

    /// The fault of a time that can only be in another unit than milliseconds; nil for any other.
    ///
    /// As milliseconds such a time lies in the first months of 1970, or tens of thousands of years ahead.
    ///
    /// - Parameters:
    ///   - time: The event's time.
    ///   - index: The event.
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
            code: unitCode,
            field: "time",
            message: "The time \(value) is in \(unit); send milliseconds since 1970: \(right)."
        )
    }
}
