// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Extracts the context that each event of the Clickstream format contains.
enum ClickstreamContext {
    /// Moves the context out of an event and its attributes.
    static func context(
        app: String,
        event: inout JSONValue.Object,
        attributes: inout JSONValue.Object,
        user: RecordedContext.User,
        name: String,
        time: Timestamp
    ) -> RecordedContext {
        var context = RecordedContext()
        context.app["id"] = .string(app)
        event.take(appKeys, into: &context.app, unless: unknown)
        event.take(deviceKeys, into: &context.device, unless: unknown)
        network(&event, &context.device)
        if let offset = event.take("zone_offset")?.wholeNumber {
            context.device["zone_offset_seconds"] = .integer(offset / 1000)
        }
        context.user = user
        context.session = session(&attributes, of: name, at: time)
        context.screen = screen(&attributes, of: name)
        return context
    }

    /// Removes the user from an event and returns it.
    ///
    /// The returned user contains the unique id and the attributes with their times.
    static func user(_ event: inout JSONValue.Object) throws(VendorFault) -> RecordedContext.User {
        var user = RecordedContext.User()
        user.uniqueID = event.take("unique_id")?.text
        guard let value = event.take("user") else { return user }
        guard let object = value.object else { throw .invalid("user", "an object", value) }
        for member in object.members {
            guard let value = member.value["value"], value != .null else { continue }
            switch member.key {
            case CapturedKey.userID: user.id = value.text
            case CapturedKey.firstTouch:
                user.firstTouch = value.wholeNumber.map { Timestamp(milliseconds: $0) }
            default:
                guard let attribute = AttributeValue(value) else { continue }
                user.attributes.append(
                    RecordedContext.User.Attribute(
                        name: member.key,
                        value: attribute,
                        setAt: Timestamp(milliseconds: member.value["set_timestamp"]?.wholeNumber ?? 0)
                    )
                )
            }
        }
        return user
    }

    /// The values that clients write for unknown facts.
    private static let unknown: Set<String> = ["", "UNKNOWN"]
    private static let appKeys = [
        ("app_title", "name"), ("app_version", "version"), ("app_package_name", "package_name"),
        ("sdk_name", "sdk_name"), ("sdk_version", "sdk_version"),
    ]
    private static let deviceKeys = [
        ("device_id", "id"), ("device_unique_id", "advertising_id"), ("platform", "platform"),
        ("os_version", "os_version"), ("make", "make"), ("brand", "brand"), ("model", "model"), ("locale", "locale"),
        ("carrier", "carrier"), ("screen_width", "screen_width"), ("screen_height", "screen_height"),
        ("system_language", "language"), ("country_code", "country"),
    ]

    private static func network(_ event: inout JSONValue.Object, _ device: inout Attributes) {
        switch event.take("network_type")?.string {
        case "WIFI": device["network"] = "wifi"
        case "Mobile": device["network"] = "cellular"
        case nil, "", "UNKNOWN": break
        case .some(let other): device["network"] = .string(other)
        }
    }

    /// Moves the session from an event's attributes into the context.
    ///
    /// In this format, every event contains its session. In Trackway, the session is in the context, and only
    /// `_session_start` contains it as well.
    private static func session(
        _ attributes: inout JSONValue.Object,
        of name: String,
        at time: Timestamp
    ) -> RecordedContext.Session? {
        guard let id = attributes[CapturedKey.sessionID]?.text,
            let start = attributes[CapturedKey.sessionStart]?.wholeNumber
        else { return nil }
        let number = attributes[CapturedKey.sessionNumber]?.wholeNumber ?? 0
        let duration = attributes[CapturedKey.sessionDuration]?.wholeNumber
        if name != CapturedName.sessionStart {
            attributes.remove([CapturedKey.sessionID, CapturedKey.sessionStart, CapturedKey.sessionNumber])
        }
        // Keep the duration only if it differs from the time between start and event; either value can be any number.
        let (passed, isOver) = time.milliseconds.subtractingReportingOverflow(start)
        if !isOver, duration == passed { attributes.remove([CapturedKey.sessionDuration]) }
        return RecordedContext.Session(id: id, number: number, start: Timestamp(milliseconds: start))
    }

    private static func screen(_ attributes: inout JSONValue.Object, of name: String) -> RecordedContext.Screen? {
        guard let screen = attributes[CapturedKey.screenName]?.text else { return nil }
        let found = RecordedContext.Screen(
            name: screen,
            id: attributes[CapturedKey.screenID]?.text,
            uniqueID: attributes[CapturedKey.screenUniqueID]?.text
        )
        if name != CapturedName.screenView {
            attributes.remove([CapturedKey.screenName, CapturedKey.screenID, CapturedKey.screenUniqueID])
        }
        return found
    }
}
