// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
internal import TrackwayEvents

/// Something that happened, as reporters hand it to a store and snapshots give it back.
public struct UsageRecord {
    /// What happened.
    public enum Event: Sendable, Hashable, CustomStringConvertible {
        /// A session began.
        case sessionStart
        /// A session ended.
        case sessionEnd
        /// Anything else, by its name.
        case event(String)

        /// `SessionStart`, `SessionEnd`, or the name.
        public var description: String {
            switch self {
            case .sessionStart: "SessionStart"
            case .sessionEnd: "SessionEnd"
            case .event(let name): name
            }
        }
    }

    /// What happened.
    public let event: Event
    /// When, as the app said.
    public let date: Date
    /// What else is known. It comes back from a snapshot as JSON gives it.
    public let info: UsageInfo

    /// A record.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - date: when; now by default.
    ///   - info: what else is known: texts, numbers, truth, `NSNull`, and lists and dictionaries of these.
    public init(_ event: Event, date: Date = Usage.now, info: UsageInfo = [:]) {
        self.event = event
        self.date = date
        self.info = info
    }

    /// The same with a label.
    public init(event: Event, date: Date = Usage.now, info: UsageInfo = [:]) {
        self.init(event, date: date, info: info)
    }

    // MARK: Keys of a session's start

    /// The session's id.
    public static let sessionIdentifierKey = "sessionId"
    /// The device's id.
    public static let deviceIdentifierKey = "deviceID"
    /// The device's model.
    public static let deviceModelKey = "deviceModel"
    /// The version of the operating system.
    public static let systemVersionKey = "platformVersion"
    /// The name of the operating system.
    public static let systemNameKey = "platform"

    /// What a session's start says: a new session id, and the device with its system. A device without an id is `empty`.
    public static func defaultSessionInfo() -> UsageInfo {
        Usage.shared.core.environment.sessionInfo()
    }
}

extension UsageRecord {
    /// The longest record, in bytes of its JSON.
    static let maximumBytes = 256 << 10

    /// A record as a text that holds everything it says, and what it cannot say.
    struct Written {
        /// The JSON; nil when the record cannot be kept at all.
        var text: String?
        /// What of its info is no JSON, and was left out.
        var faults: [UsageInfoFault]
        /// Why there is no text.
        var refusal: String?
    }

    /// A record with its info as JSON, which interceptors and rules may change before it is written.
    struct Content {
        /// What happened.
        var event: Event
        /// When.
        let date: Date
        /// The info, without what is no JSON.
        var info: JSONValue.Object
        /// What of the info is no JSON, and was left out.
        var faults: [UsageInfoFault]

        /// The content as JSON. The date keeps every bit.
        func written() -> Written {
            let seconds = date.timeIntervalSinceReferenceDate
            guard seconds.isFinite else { return Written(faults: faults, refusal: "its date is not a number") }
            var members: [JSONValue.Object.Member] = [.init(key: "date", value: .double(seconds))]
            switch event {
            case .sessionStart: members.append(.init(key: "session", value: .string("start")))
            case .sessionEnd: members.append(.init(key: "session", value: .string("end")))
            case .event(let name): members.append(.init(key: "event", value: .string(name)))
            }
            if !info.members.isEmpty { members.append(.init(key: "info", value: .object(info))) }
            let bytes = JSONValue.object(.init(members)).json()
            guard bytes.count <= UsageRecord.maximumBytes else {
                return Written(
                    faults: faults,
                    refusal: "it has \(bytes.count) bytes, of at most \(UsageRecord.maximumBytes)"
                )
            }
            return Written(text: String(decoding: bytes, as: UTF8.self), faults: faults)
        }
    }

    /// The record's content.
    func content() -> Content {
        var reader = UsageInfoReader()
        let info = reader.object(info)
        return Content(event: event, date: date, info: info, faults: reader.faults)
    }

    /// The record as JSON.
    func written() -> Written { content().written() }

    /// Reads what ``written()`` wrote; nil for anything else.
    init?(written text: String) {
        // What is no JSON was written by nobody here, which nil tells.
        guard let json = try? JSONValue.parse(Array(text.utf8)), let date = json["date"]?.double else { return nil }
        let event: Event
        switch (json["session"]?.string, json["event"]?.string) {
        case ("start", _): event = .sessionStart
        case ("end", _): event = .sessionEnd
        case (_, let name?): event = .event(name)
        default: return nil
        }
        self.init(
            event,
            date: Date(timeIntervalSinceReferenceDate: date),
            info: json["info"]?.object?.foundation ?? [:]
        )
    }
}
