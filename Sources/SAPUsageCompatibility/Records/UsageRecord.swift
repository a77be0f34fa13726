// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
internal import TrackwayCore

/// An event with its time and additional information.
///
/// Reporters pass records to a store, and snapshots return them.
public struct UsageRecord {
    /// The kind of event.
    public enum Event: Sendable, Hashable, CustomStringConvertible {
        /// A session began.
        case sessionStart
        /// A session ended.
        case sessionEnd
        /// Any other event, by its name.
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

    /// The event.
    public let event: Event
    /// The time of the event, as given by the app.
    public let date: Date
    /// Additional information about the event.
    ///
    /// A snapshot returns the information as decoded from JSON.
    public let info: UsageInfo

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - date: the time of the event; now by default.
    ///   - info: additional information: strings, numbers, Booleans, `NSNull`, and arrays and dictionaries of these.
    public init(_ event: Event, date: Date = Usage.now, info: UsageInfo = [:]) {
        self.event = event
        self.date = date
        self.info = info
    }

    /// Creates a record, with a label for the event.
    public init(event: Event, date: Date = Usage.now, info: UsageInfo = [:]) {
        self.init(event, date: date, info: info)
    }

    // MARK: Keys of a session's start

    /// The session's ID.
    public static let sessionIdentifierKey = "sessionId"
    /// The device's ID.
    public static let deviceIdentifierKey = "deviceID"
    /// The device's model.
    public static let deviceModelKey = "deviceModel"
    /// The version of the operating system.
    public static let systemVersionKey = "platformVersion"
    /// The name of the operating system.
    public static let systemNameKey = "platform"

    /// Returns the info of a session start.
    ///
    /// The info contains a new session ID, the device, and its operating system. The device ID is `empty` if it is
    /// unknown.
    public static func defaultSessionInfo() -> UsageInfo {
        Usage.shared.core.environment.sessionInfo()
    }
}

extension UsageRecord {
    /// The maximum size of a record's JSON, in bytes.
    static let maximumBytes = 256 << 10

    /// A record as JSON text, and the omitted values.
    struct EncodedRecord {
        /// The JSON, or nil if the record cannot be stored.
        var text: String?
        /// The values of the record's info that JSON cannot represent.
        ///
        /// These values were omitted.
        var faults: [UsageInfoFault]
        /// The reason why the record has no text; nil if it has text.
        var rejectionReason: String?
    }

    /// A record with its info as JSON.
    ///
    /// Interceptors and rules may change the content before it is written.
    struct Content {
        /// The event.
        var event: Event
        /// The time of the event.
        let date: Date
        /// The info, without values that JSON cannot represent.
        var info: JSONValue.Object
        /// The values of the info that JSON cannot represent.
        ///
        /// These values were omitted.
        var faults: [UsageInfoFault]

        /// Returns the content as JSON.
        ///
        /// The date keeps its full precision.
        func encoded() -> EncodedRecord {
            let seconds = date.timeIntervalSinceReferenceDate
            guard seconds.isFinite else {
                return EncodedRecord(faults: faults, rejectionReason: "its date is not a number")
            }
            var members: [JSONValue.Object.Member] = [.init(key: "date", value: .double(seconds))]
            switch event {
            case .sessionStart: members.append(.init(key: "session", value: .string("start")))
            case .sessionEnd: members.append(.init(key: "session", value: .string("end")))
            case .event(let name): members.append(.init(key: "event", value: .string(name)))
            }
            if !info.members.isEmpty { members.append(.init(key: "info", value: .object(info))) }
            let bytes = JSONValue.object(.init(members)).json()
            guard bytes.count <= UsageRecord.maximumBytes else {
                return EncodedRecord(
                    faults: faults,
                    rejectionReason: "it has \(bytes.count) bytes, and the maximum is \(UsageRecord.maximumBytes)"
                )
            }
            return EncodedRecord(text: String(decoding: bytes, as: UTF8.self), faults: faults)
        }
    }

    /// Returns the record's content.
    func content() -> Content {
        var reader = UsageInfoReader()
        let info = reader.object(info)
        return Content(event: event, date: date, info: info, faults: reader.faults)
    }

    /// Returns the record as JSON.
    func encoded() -> EncodedRecord { content().encoded() }

    /// Decodes the output of ``encoded()``; nil for any other text.
    init?(encoded text: String) {
        // Text that is not JSON was not written by this module, so the result is nil.
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
