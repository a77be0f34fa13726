// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// The data that all events of one context share, in this format.
///
/// It is built once per context of a batch.
struct ClickstreamContext: Sendable {
    /// The common attributes before `attributes`, as members without a trailing comma.
    let head: [UInt8]
    /// The common attributes between `attributes` and `event_id`.
    let middle: [UInt8]
    /// The common attributes between `items` and `timestamp`.
    let tail: [UInt8]
    /// The platform, which is also part of the request.
    let platform: String
    /// The id that identifies the person.
    let uniqueID: String
    /// The offset of local time from UTC, in milliseconds.
    let zoneOffset: Int64
    /// The user object with all attributes; nil if empty.
    let user: [UInt8]?
    /// The user object with only the id and the first touch.
    ///
    /// Nil if empty.
    let briefUser: [UInt8]?
    /// The faults of the user attributes that are left out.
    let userFaults: [ClickstreamFault]
    /// The attributes that every event has and the app cannot change.
    ///
    /// The session's duration is 0.
    let presets: [String: AttributeValue]
    /// The context as it was recorded.
    let recorded: RecordedContext
    /// The global attributes within the limits.
    let global: [String: AttributeValue]
    /// The faults of the global attributes that are left out.
    let globalFaults: [ClickstreamFault]

    init(_ context: RecordedContext, appID: String, installation: InstallationID) {
        let device = ClickstreamDevice(context.device)
        let fallback = installation.description.uppercased()
        head = Self.members([
            ("app_id", appID), ("app_package_name", (context.app["package"] ?? context.app["id"])?.string ?? ""),
            ("app_title", context.app["name"]?.string ?? ""), ("app_version", context.app["version"]?.string ?? ""),
        ])
        middle = Self.members([
            ("brand", device.make), ("carrier", device.carrier), ("country_code", device.country),
            ("device_id", context.device["id"]?.string?.uppercased() ?? fallback),
            ("device_unique_id", device.advertisingID),
        ])
        var writer = JSONWriter()
        func put(_ name: String, _ value: AttributeValue) {
            writer.key(name)
            value.writeClickstream(into: &writer)
        }
        put("locale", .string(device.locale))
        put("make", .string(device.make))
        put("model", .string(context.device["model"]?.string ?? ""))
        put("network_type", .string(device.network))
        put("os_version", .string(context.device["os_version"]?.string ?? ""))
        put("platform", .string(device.platform))
        put("screen_height", .integer(context.device["screen_height"]?.integer ?? 0))
        put("screen_width", .integer(context.device["screen_width"]?.integer ?? 0))
        put("sdk_name", .string(Self.sdkName))
        put("sdk_version", .string(Self.sdkVersion))
        put("system_language", .string(device.language))
        tail = writer.array()
        platform = device.platform
        uniqueID = context.user.uniqueID ?? fallback
        zoneOffset =
            (context.device["zone_offset_seconds"]?.integer ?? 0).multipliedReportingOverflow(by: 1000)
            .partialValue
        let user = ClickstreamUser(context.user)
        self.user = user.json(of: user.attributes)
        briefUser = user.json(of: user.attributes.filter { ClickstreamUser.reserved.contains($0.key) })
        userFaults = user.faults
        var presets: [String: AttributeValue] = [:]
        if let session = context.session {
            presets[CapturedKey.sessionID] = .string(session.id)
            presets[CapturedKey.sessionStart] = .integer(session.start.milliseconds)
            presets[CapturedKey.sessionNumber] = .integer(session.number)
            // Each event has its own duration; this value is a placeholder so that the attribute count includes the
            // duration.
            presets[CapturedKey.sessionDuration] = .integer(0)
        }
        recorded = context
        var faults: [ClickstreamFault] = []
        func putScreen(_ name: String, _ value: String?) {
            guard let value else { return }
            if let fault = ClickstreamRules.fault(inAttribute: name, .string(value)) {
                faults.append(fault)
            } else {
                presets[name] = .string(value)
            }
        }
        putScreen(CapturedKey.screenName, context.screen?.name)
        putScreen(CapturedKey.screenUniqueID, context.screen?.uniqueID)
        var global: [String: AttributeValue] = [:]
        let room = ClickstreamLimits.attributes - ClickstreamLimits.commonAttributes - presets.count
        for (name, value) in context.global where presets[name] == nil {
            if let fault = ClickstreamRules.fault(inAttribute: name, value) {
                faults.append(fault)
            } else if global[name] == nil, global.count >= room {
                faults.append(ClickstreamRules.tooManyAttributes(name))
            } else {
                global[name] = value
            }
        }
        self.presets = presets
        self.global = global
        globalFaults = faults
    }

    /// The SDK name of the format's clients, as the documentation defines it.
    private static let sdkName = "aws-solution-clickstream-sdk"
    private static let sdkVersion = String(CollectorFormat.sdk.drop { $0 != "/" }.dropFirst())

    private static func members(_ members: [(String, String)]) -> [UInt8] {
        var writer = JSONWriter()
        for (name, value) in members {
            writer.key(name)
            writer.string(value)
        }
        return writer.array()
    }
}

/// The device's properties in this format.
private struct ClickstreamDevice: Sendable, Hashable {
    /// The documented value for unknown properties.
    static let unknown = "UNKNOWN"

    /// The platform, such as "iOS".
    let platform: String
    /// The device's manufacturer; "apple" for all Apple devices.
    let make: String
    /// The mobile network operator.
    let carrier: String
    /// "WIFI", "Mobile" or "UNKNOWN".
    let network: String
    /// The locale in the system's form.
    let locale: String
    /// The locale's language.
    let language: String
    /// The locale's region.
    let country: String
    /// The advertising id.
    ///
    /// Empty if unavailable, or if the user does not allow it.
    let advertisingID: String

    init(_ device: Attributes) {
        platform = device["platform"]?.string ?? "iOS"
        let isApple = ["iOS", "macOS", "tvOS", "watchOS", "visionOS"].contains(platform)
        make = isApple ? "apple" : device["make"]?.string ?? ""
        carrier = device["carrier"]?.string ?? Self.unknown
        network =
            switch device["network"]?.string {
            case "wifi": "WIFI"
            case "cellular": "Mobile"
            default: Self.unknown
            }
        locale = device["locale"]?.string ?? ""
        (language, country) = Self.parts(of: locale)
        let advertisingID = device["advertising_id"]?.string ?? ""
        // If the user does not allow tracking, the id consists of zeros.
        self.advertisingID = advertisingID.utf8.contains { $0 != 0x30 && $0 != 0x2D } ? advertisingID : ""
    }

    /// Returns the language and region of a locale.
    ///
    /// Locales have forms such as `de_DE`, `zh-Hans_CN` or `en_US.UTF-8@euro`.
    private static func parts(of locale: String) -> (language: String, country: String) {
        let bare = locale.prefix { $0 != "." && $0 != "@" }
        let parts = bare.split { $0 == "_" || $0 == "-" }
        let language = parts.first.flatMap { (2...3).contains($0.utf8.count) ? String($0) : nil }
        let country = parts.dropFirst().first { part in
            part.utf8.count == 2 && part.utf8.allSatisfy { (0x41...0x5A).contains($0) }
                || part.utf8.count == 3 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        return (language ?? unknown, country.map { String($0) } ?? unknown)
    }
}
