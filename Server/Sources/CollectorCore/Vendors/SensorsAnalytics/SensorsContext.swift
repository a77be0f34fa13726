// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// Extracts the context from the properties of a Sensors Analytics record.
enum SensorsContext {
    /// Moves the preset properties into the context.
    ///
    /// All properties of a profile or an item belong to it and remain in place.
    static func context(
        record: JSONValue.Object,
        properties: inout JSONValue.Object,
        kind: SensorsAnalyticsKind,
        person: SensorsPerson,
        project: String
    ) -> RecordedContext {
        var context = RecordedContext(user: person.user)
        context.app["project"] = .string(project)
        library(record, &context.app)
        // Whether the id is a login id is already clear from the context.
        if properties["$is_login_id"]?.boolean != nil { properties.remove(["$is_login_id"]) }
        guard kind.isEvent else { return context }
        properties.take(appKeys, into: &context.app)
        properties.take(deviceKeys, into: &context.device)
        network(&properties, &context.device)
        if let behind = properties.take("$timezone_offset")?.wholeNumber {
            context.device["zone_offset_seconds"] = .integer(0 &- behind &* 60)
        }
        if properties["$lib_method"]?.string == "code" || properties["$lib_method"]?.string == "autoTrack" {
            properties.remove(["$lib_method"])
        }
        // A session in the context would need two more numbers, so the event's attributes name the session.
        if let session = properties.take("$event_session_id") { properties.putNew(CapturedKey.sessionID, session) }
        if let screen = properties["$screen_name"]?.text {
            context.screen = RecordedContext.Screen(name: screen, id: properties["$url"]?.text)
        }
        return context
    }

    private static let appKeys = [
        ("$app_id", "id"), ("$app_name", "name"), ("$app_version", "version"), ("$lib", "sdk_name"),
        ("$lib_version", "sdk_version"),
    ]
    private static let deviceKeys = [
        ("$device_id", "id"), ("$anonymization_id", "anonymization_id"), ("$os", "platform"),
        ("$os_version", "os_version"), ("$manufacturer", "make"), ("$brand", "brand"), ("$model", "model"),
        ("$carrier", "carrier"), ("$screen_width", "screen_width"), ("$screen_height", "screen_height"),
    ]

    private static func library(_ record: JSONValue.Object, _ app: inout Attributes) {
        guard let library = record["lib"]?.object else { return }
        for (source, target) in [("$lib", "sdk_name"), ("$lib_version", "sdk_version"), ("$app_version", "version")] {
            if let text = library[source]?.text { app[target] = .string(text) }
        }
    }

    private static func network(_ properties: inout JSONValue.Object, _ device: inout Attributes) {
        let isWireless = properties.take("$wifi")?.boolean == true
        switch properties.take("$network_type")?.string {
        case "WIFI": device["network"] = "wifi"
        case "2G", "3G", "4G", "5G": device["network"] = "cellular"
        case nil, "", "NULL", "UNKNOWN": if isWireless { device["network"] = "wifi" }
        case .some(let other): device["network"] = .string(other)
        }
    }
}
