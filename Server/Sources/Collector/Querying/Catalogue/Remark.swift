// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What a format recommends, and a name, a value or a count does not keep to. The collector keeps it all the same; a back-end
/// of that format may cut it, or leave it out.
public struct Remark: Sendable, Hashable {
    /// Whose recommendation it is.
    public enum Format: String, Sendable, Hashable {
        /// The collector's own.
        case trackway
        /// Clickstream.
        case clickstream
        /// Sensors Analytics.
        case sensorsAnalytics = "sensors_analytics"
    }

    /// Whose recommendation it is.
    public var format: Format
    /// The machine-readable kind, such as `name_too_long`.
    public var code: String
    /// One sentence for a person.
    public var message: String

    /// A remark.
    public init(_ format: Format, _ code: String, _ message: String) {
        self.format = format
        self.code = code
        self.message = message
    }

    /// Writes the remark.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("format", format.rawValue)
        writer.member("code", code)
        writer.member("message", message)
        writer.endObject()
    }
}

extension Remark {
    /// What the formats recommend. Lengths of Clickstream are in UTF-8 bytes, as its Swift client counts them.
    private enum Limits {
        static let clickstreamName = 50
        static let clickstreamText = 1_024
        static let clickstreamAttributes = 500
        static let clickstreamItems = 100
        static let sensorsName = 100
        static let sensorsText = 8_191
    }

    /// What is to be said about an event's name.
    ///
    /// - Complexity: O(length).
    public static func remarks(onEvent name: String) -> [Remark] {
        remarks(onName: name) + reserved(name, isKnown: ReservedVocabulary.events.contains(name))
    }

    /// Whether clients record an event of this name by themselves.
    public static func isCaptured(event name: String) -> Bool { ReservedVocabulary.events.contains(name) }

    /// What is to be said about the name of an attribute that an event of one's own has.
    ///
    /// - Parameter event: The event's name: what clients capture themselves may use reserved names.
    /// - Complexity: O(length).
    public static func remarks(onAttribute name: String, of event: String) -> [Remark] {
        let isCaptured = ReservedVocabulary.events.contains(event)
        return remarks(onName: name)
            + reserved(name, isKnown: isCaptured || ReservedVocabulary.attributes.contains(name))
    }

    /// What is to be said about the longest text of an attribute.
    ///
    /// - Parameters:
    ///   - bytes: Its length in UTF-8.
    ///   - units: Its length in UTF-16.
    public static func remarks(onText bytes: Int, units: Int) -> [Remark] {
        var remarks: [Remark] = []
        if bytes > Limits.clickstreamText {
            remarks.append(
                Remark(
                    .clickstream,
                    "value_too_long",
                    "A text has \(bytes) bytes; Clickstream leaves out what has more than \(Limits.clickstreamText)."
                )
            )
        }
        if units > Limits.sensorsText {
            remarks.append(
                Remark(
                    .sensorsAnalytics,
                    "value_too_long",
                    "A text has \(units) UTF-16 units; Sensors Analytics cuts what has more than \(Limits.sensorsText)."
                )
            )
        }
        return remarks
    }

    /// What is to be said about how many attributes and items an event has at most.
    public static func remarks(attributes: Int, items: Int) -> [Remark] {
        var remarks: [Remark] = []
        if attributes > Limits.clickstreamAttributes {
            remarks.append(
                Remark(
                    .clickstream,
                    "too_many_attributes",
                    "An event has \(attributes) attributes; Clickstream takes \(Limits.clickstreamAttributes)."
                )
            )
        }
        if items > Limits.clickstreamItems {
            remarks.append(
                Remark(
                    .clickstream,
                    "too_many_items",
                    "An event has \(items) items; Clickstream takes \(Limits.clickstreamItems)."
                )
            )
        }
        return remarks
    }

    /// What is to be said about members that nothing reads, and about times that cannot be right.
    ///
    /// - Parameters:
    ///   - unread: Members, and how many events have them.
    ///   - early: Events before ``EventTimes/earliest``.
    ///   - late: Events more than ``EventTimes/ahead`` after they arrived.
    static func remarks(unread: [String: Int], early: Int, late: Int) -> [Remark] {
        var remarks = unread.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, events in
            Remark(.trackway, "unread_member", "\(events) events: \(EventMembers.advice(on: name))")
        }
        if early > 0 {
            remarks.append(
                Remark(
                    .trackway,
                    EventTimes.beforeCode,
                    "\(early) events have a device time before 2010: the clock is not set, or the time is not in milliseconds."
                )
            )
        }
        if late > 0 {
            remarks.append(
                Remark(
                    .trackway,
                    EventTimes.aheadCode,
                    "\(late) events have a device time more than a day after they arrived: the device's clock is wrong."
                )
            )
        }
        return remarks
    }

    /// What is to be said about an attribute whose texts all spell numbers.
    static func numberAsText(_ texts: Int) -> Remark {
        Remark(
            .trackway,
            "number_as_text",
            "All \(texts) texts spell numbers. Sums, averages and percentiles leave them out unless asked with texts=numbers; send numbers."
        )
    }

    private static func remarks(onName name: String) -> [Remark] {
        var remarks: [Remark] = []
        let bytes = name.utf8.count
        let isWord = name.utf8.allSatisfy { isWordByte($0) }
        let beginsWithDigit = name.utf8.first.map { isDigit($0) } ?? true
        if !isWord || beginsWithDigit {
            remarks.append(
                Remark(
                    .clickstream,
                    "name_invalid",
                    "Clickstream takes letters of ASCII, digits and “_”, and no digit first."
                )
            )
        }
        if bytes > Limits.clickstreamName {
            remarks.append(
                Remark(
                    .clickstream,
                    "name_too_long",
                    "The name has \(bytes) bytes; Clickstream takes \(Limits.clickstreamName)."
                )
            )
        }
        if !name.utf8.allSatisfy({ isWordByte($0) || $0 == UInt8(ascii: "$") }) || beginsWithDigit {
            remarks.append(
                Remark(
                    .sensorsAnalytics,
                    "name_invalid",
                    "Sensors Analytics takes letters of ASCII, digits, “_” and “$”, and no digit first."
                )
            )
        }
        let lower = name.lowercased()
        if ReservedVocabulary.sensors.contains(lower) || lower.hasPrefix("user_tag") || lower.hasPrefix("user_group") {
            remarks.append(
                Remark(.sensorsAnalytics, "name_reserved", "Sensors Analytics keeps this name for itself.")
            )
        }
        if bytes > Limits.sensorsName {
            remarks.append(
                Remark(
                    .sensorsAnalytics,
                    "name_too_long",
                    "The name has \(bytes) bytes; Sensors Analytics recommends \(Limits.sensorsName)."
                )
            )
        }
        return remarks
    }

    private static func reserved(_ name: String, isKnown: Bool) -> [Remark] {
        guard !isKnown else { return [] }
        switch name.utf8.first {
        case UInt8(ascii: "_"):
            return [
                Remark(
                    .trackway,
                    "name_reserved",
                    "Names with “_” first are for what clients capture by themselves; choose another for your own."
                )
            ]
        case UInt8(ascii: "$"):
            return [
                Remark(
                    .sensorsAnalytics,
                    "name_reserved",
                    "Names with “$” first are those of Sensors Analytics; choose another for your own."
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

/// Names with a reserved sign that clients use themselves.
private enum ReservedVocabulary {
    /// What Sensors Analytics takes for no name, in lower case.
    static let sensors: Set<String> = [
        "distinct_id", "original_id", "time", "properties", "id", "first_id", "second_id", "users", "events", "event",
        "user_id", "date", "datetime",
    ]

    static let events: Set<String> = [
        CapturedName.firstOpen, CapturedName.appStart, CapturedName.appEnd, CapturedName.sessionStart,
        CapturedName.screenView, CapturedName.userEngagement, CapturedName.profileSet, CapturedName.appException,
        CapturedName.appUpdate, CapturedName.osUpdate, CapturedName.clickstreamError, CapturedName.installationErased,
        CapturedName.installationRestored, CapturedName.click, CapturedName.trigger, CapturedName.deviceProperties,
        CapturedName.appState, CapturedName.profileSetOnce, CapturedName.profileIncrement, CapturedName.profileAppend,
        CapturedName.profileUnset, CapturedName.profileDelete, CapturedName.itemSet, CapturedName.itemDelete,
        CapturedName.identityBound,
        CapturedName.identityUnbound, CapturedName.groupSet, CapturedName.groupLeft,
        // Of Clickstream's clients for the web and for Android.
        "_page_view", "_first_visit", "_scroll", "_search", "_page_load",
        "$AppClick", "$AppDataTrackingClose", "$AppDeeplinkLaunch", "$AppEnd", "$AppInstall", "$AppInteract",
        "$AppPageLeave", "$AppPushClick", "$AppRemoteConfigChanged", "$AppStart", "$AppStartPassively",
        "$AppViewScreen", "$BindID", "$ChannelDebugInstall", "$SignUp", "$UnbindID",
    ]

    static let attributes: Set<String> = [
        CapturedKey.isFirstTime, CapturedKey.startKind, CapturedKey.sessionID, CapturedKey.sessionStart,
        CapturedKey.sessionDuration, CapturedKey.sessionNumber, CapturedKey.screenName, CapturedKey.screenID,
        CapturedKey.screenUniqueID, CapturedKey.screenTitle, CapturedKey.previousScreenName,
        CapturedKey.previousScreenID, CapturedKey.previousScreenUniqueID, CapturedKey.previousTimestamp,
        CapturedKey.entrances, CapturedKey.engagementTime, CapturedKey.elementID, CapturedKey.elementType,
        CapturedKey.elementContent, CapturedKey.elementPosition, CapturedKey.userID, CapturedKey.firstTouch,
        CapturedKey.itemType, CapturedKey.itemID, CapturedKey.groupType, CapturedKey.groupID,
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
