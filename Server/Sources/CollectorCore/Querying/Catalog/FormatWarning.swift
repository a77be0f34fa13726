// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A warning that data does not follow a format's recommendations.
///
/// The warning is about a name, a value or a count. The collector stores the data anyway; a back end for that format
/// may truncate or omit it.
public struct FormatWarning: Sendable, Hashable {
    /// The source of a recommendation.
    public enum Format: String, Sendable, Hashable {
        /// The collector.
        case trackway
        /// Clickstream.
        case clickstream
        /// Sensors Analytics.
        case sensorsAnalytics = "sensors_analytics"
    }

    /// The source of the recommendation.
    public var format: Format
    /// The machine-readable kind, such as `name_too_long`.
    public var code: String
    /// The warning, in one human-readable sentence.
    public var message: String

    /// Creates a warning.
    public init(_ format: Format, _ code: String, _ message: String) {
        self.format = format
        self.code = code
        self.message = message
    }

    /// Writes the warning.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("format", format.rawValue)
        writer.member("code", code)
        writer.member("message", message)
        writer.endObject()
    }
}

extension FormatWarning {
    /// The limits that the formats recommend.
    ///
    /// Clickstream lengths are in UTF-8 bytes, as counted by its Swift client.
    private enum Limits {
        static let clickstreamName = 50
        static let clickstreamText = 1_024
        static let clickstreamAttributes = 500
        static let clickstreamItems = 100
        static let sensorsName = 100
        static let sensorsText = 8_191
    }

    /// Returns the warnings about an event's name.
    ///
    /// - Complexity: O(length).
    public static func warnings(forEvent name: String) -> [FormatWarning] {
        warnings(forName: name) + reserved(name, isKnown: ReservedVocabulary.events.contains(name))
    }

    /// Whether clients record events with this name automatically.
    public static func isCaptured(event name: String) -> Bool { ReservedVocabulary.events.contains(name) }

    /// Returns the warnings about the name of a custom event's attribute.
    ///
    /// - Parameter event: The event's name. Events that clients capture automatically may use reserved names.
    /// - Complexity: O(length).
    public static func warnings(forAttribute name: String, of event: String) -> [FormatWarning] {
        let isCaptured = ReservedVocabulary.events.contains(event)
        return warnings(forName: name)
            + reserved(name, isKnown: isCaptured || ReservedVocabulary.attributes.contains(name))
    }

    /// Returns the warnings about the longest string of an attribute.
    ///
    /// - Parameters:
    ///   - bytes: The string's length in UTF-8 bytes.
    ///   - units: The string's length in UTF-16 code units.
    public static func warnings(forTextBytes bytes: Int, units: Int) -> [FormatWarning] {
        var warnings: [FormatWarning] = []
        if bytes > Limits.clickstreamText {
            warnings.append(
                FormatWarning(
                    .clickstream,
                    "value_too_long",
                    "A string has \(bytes) bytes; Clickstream omits strings of more than \(Limits.clickstreamText)."
                )
            )
        }
        if units > Limits.sensorsText {
            warnings.append(
                FormatWarning(
                    .sensorsAnalytics,
                    "value_too_long",
                    "A string has \(units) UTF-16 units; Sensors Analytics truncates it at \(Limits.sensorsText)."
                )
            )
        }
        return warnings
    }

    /// Returns the warnings about the numbers of an event's attributes and items.
    public static func warnings(attributes: Int, items: Int) -> [FormatWarning] {
        var warnings: [FormatWarning] = []
        if attributes > Limits.clickstreamAttributes {
            warnings.append(
                FormatWarning(
                    .clickstream,
                    "too_many_attributes",
                    "An event has \(attributes) attributes; Clickstream accepts \(Limits.clickstreamAttributes)."
                )
            )
        }
        if items > Limits.clickstreamItems {
            warnings.append(
                FormatWarning(
                    .clickstream,
                    "too_many_items",
                    "An event has \(items) items; Clickstream accepts \(Limits.clickstreamItems)."
                )
            )
        }
        return warnings
    }

    /// Returns the warnings about unused members and implausible times.
    ///
    /// - Parameters:
    ///   - unread: The number of events that have each unused member.
    ///   - early: The number of events with a device time before ``EventTimes/earliest``.
    ///   - late: The number of events with a device time more than ``EventTimes/aheadTolerance`` after arrival.
    static func warnings(unread: [String: Int], early: Int, late: Int) -> [FormatWarning] {
        var warnings = unread.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, events in
            FormatWarning(.trackway, "unread_member", "\(events) events: \(EventMembers.advice(on: name))")
        }
        if early > 0 {
            warnings.append(
                FormatWarning(
                    .trackway,
                    ResponseCode.timeBefore2010.rawValue,
                    "\(early) events have a device time before 2010: the clock is not set, or the time is not in milliseconds."
                )
            )
        }
        if late > 0 {
            warnings.append(
                FormatWarning(
                    .trackway,
                    ResponseCode.timeAhead.rawValue,
                    "\(late) events have a device time more than a day after they arrived: the device's clock is wrong."
                )
            )
        }
        return warnings
    }

    /// Returns the warning about an attribute whose string values are all numbers.
    static func numberAsText(_ texts: Int) -> FormatWarning {
        FormatWarning(
            .trackway,
            "number_as_text",
            """
            All \(texts) strings are numbers in quotes. Sums, averages and percentiles omit them unless the query has \
            texts=numbers; send numbers instead.
            """
        )
    }

    private static func warnings(forName name: String) -> [FormatWarning] {
        var warnings: [FormatWarning] = []
        let bytes = name.utf8.count
        let isWord = name.utf8.allSatisfy { isWordByte($0) }
        let beginsWithDigit = name.utf8.first.map { isDigit($0) } ?? true
        if !isWord || beginsWithDigit {
            warnings.append(
                FormatWarning(
                    .clickstream,
                    "name_invalid",
                    "Clickstream accepts ASCII letters, digits and “_”; the first character cannot be a digit."
                )
            )
        }
        if bytes > Limits.clickstreamName {
            warnings.append(
                FormatWarning(
                    .clickstream,
                    "name_too_long",
                    "The name has \(bytes) bytes; Clickstream accepts \(Limits.clickstreamName)."
                )
            )
        }
        if !name.utf8.allSatisfy({ isWordByte($0) || $0 == UInt8(ascii: "$") }) || beginsWithDigit {
            warnings.append(
                FormatWarning(
                    .sensorsAnalytics,
                    "name_invalid",
                    "Sensors Analytics accepts ASCII letters, digits, “_” and “$”; the first cannot be a digit."
                )
            )
        }
        let lower = name.lowercased()
        if ReservedVocabulary.sensors.contains(lower) || lower.hasPrefix("user_tag") || lower.hasPrefix("user_group") {
            warnings.append(
                FormatWarning(.sensorsAnalytics, "name_reserved", "Sensors Analytics reserves this name.")
            )
        }
        if bytes > Limits.sensorsName {
            warnings.append(
                FormatWarning(
                    .sensorsAnalytics,
                    "name_too_long",
                    "The name has \(bytes) bytes; Sensors Analytics recommends \(Limits.sensorsName)."
                )
            )
        }
        return warnings
    }

    private static func reserved(_ name: String, isKnown: Bool) -> [FormatWarning] {
        guard !isKnown else { return [] }
        switch name.utf8.first {
        case UInt8(ascii: "_"):
            return [
                FormatWarning(
                    .trackway,
                    "name_reserved",
                    "Names that start with “_” are reserved for automatic events; choose another name."
                )
            ]
        case UInt8(ascii: "$"):
            return [
                FormatWarning(
                    .sensorsAnalytics,
                    "name_reserved",
                    "Names that start with “$” are reserved by Sensors Analytics; choose another name."
                )
            ]
        default: return []
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}

/// Names that are reserved or that clients use themselves.
private enum ReservedVocabulary {
    /// Names that Sensors Analytics rejects, in lower case.
    static let sensors: Set<String> = [
        "distinct_id", "original_id", "time", "properties", "id", "first_id", "second_id", "users", "events", "event",
        "user_id", "date", "datetime",
    ]

    static let events = CapturedName.all.union([
        // These events come from the Clickstream clients for the web and Android.
        "_page_view", "_first_visit", "_scroll", "_search", "_page_load",
        "$AppClick", "$AppDataTrackingClose", "$AppDeeplinkLaunch", "$AppEnd", "$AppInstall", "$AppInteract",
        "$AppPageLeave", "$AppPushClick", "$AppRemoteConfigChanged", "$AppStart", "$AppStartPassively",
        "$AppViewScreen", "$BindID", "$ChannelDebugInstall", "$SignUp", "$UnbindID",
    ])

    static let attributes: Set<String> = [
        CapturedKey.isFirstTime, CapturedKey.startKind, CapturedKey.sessionID, CapturedKey.sessionStart,
        CapturedKey.sessionDuration, CapturedKey.sessionNumber, CapturedKey.screenName, CapturedKey.screenID,
        CapturedKey.screenUniqueID, CapturedKey.screenTitle, CapturedKey.previousScreenName,
        CapturedKey.previousScreenID, CapturedKey.previousScreenUniqueID, CapturedKey.previousTimestamp,
        CapturedKey.entrances, CapturedKey.engagementTime, CapturedKey.elementID, CapturedKey.elementType,
        CapturedKey.elementContent, CapturedKey.elementPosition, CapturedKey.userID, CapturedKey.firstTouch,
        CapturedKey.itemType, CapturedKey.itemID, CapturedKey.groupType, CapturedKey.groupID,
        CapturedKey.consentDecision, CapturedKey.consentScope, CapturedKey.consentCategory,
        CapturedKey.aliasFrom, CapturedKey.aliasTo, CapturedKey.consentSource, CapturedKey.consentVersion,
        CapturedKey.errorCode, CapturedKey.errorMessage,
        "_original_name", "_renamed_because",
        "$anonymization_id", "$app_id", "$app_name", "$app_version", "$brand", "$carrier", "$device_id",
        "$element_content", "$element_id", "$element_position", "$element_type", "$event_duration",
        "$event_session_id", "$first_visit_time", "$is_first_day", "$is_first_time", "$is_login_id", "$latitude",
        "$lib", "$lib_detail", "$lib_method", "$lib_version", "$longitude", "$manufacturer", "$model",
        "$network_type", "$os", "$os_version", "$project", "$referrer", "$referrer_title", "$resume_from_background",
        "$screen_height", "$screen_name", "$screen_orientation", "$screen_width", "$time", "$timezone_offset",
        "$title", "$token", "$url", "$wifi",
    ]
}
