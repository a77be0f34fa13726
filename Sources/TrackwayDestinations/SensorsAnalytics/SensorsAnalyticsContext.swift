// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The data that a context's events share, in the format's vocabulary.
///
/// It is built once per context of a batch.
struct SensorsAnalyticsContext {
    /// The context as it was recorded.
    let recorded: RecordedContext
    /// The time zone for dates.
    let zone: SensorsAnalyticsZone
    /// The id of the device's anonymous visitor.
    let anonymousID: String
    /// The id of the signed-in user, if any.
    let loginID: String?
    /// All known ids, by the name of their type.
    let identities: [(key: String, value: String)]
    /// The properties that the SDK adds and the app may override.
    let presets: Attributes
    /// The device's id, which cannot be overridden.
    let deviceID: String
    /// The local day on which this copy of the app was installed.
    ///
    /// Nil if unknown.
    let firstDay: String?

    /// Creates the shared data from a context.
    ///
    /// - Parameters:
    ///   - recorded: The context.
    ///   - installation: The installation's id, used in place of ids that the context does not contain.
    ///   - options: The options, which contain the library's version.
    init(_ recorded: RecordedContext, installation: InstallationID, options: SensorsAnalyticsOptions) {
        self.recorded = recorded
        let user = recorded.user
        let device = recorded.device
        let installed = installation.description.uppercased()
        zone = SensorsAnalyticsZone(secondsAhead: device["zone_offset_seconds"]?.integer ?? 0)
        anonymousID = user.anonymousID ?? installed
        loginID = user.id
        deviceID = user.identities[Self.vendorKey]?.string ?? device["id"]?.string ?? installed
        identities = Self.identities(of: recorded, anonymousID: anonymousID, installed: installed)
        // An app that previously used another SDK keeps the first day recorded by that SDK.
        firstDay = recorded.app["first_day"]?.string ?? installation.time.map { [zone] in zone.day($0) }
        presets = Self.presets(of: recorded, zone: zone, options: options)
    }

    /// Returns the value of `$lib`: the platform.
    static func library(of context: RecordedContext) -> String { context.device["platform"]?.string ?? "unknown" }

    /// The id of the signed-in user, or else of the anonymous visitor.
    var distinctID: String { loginID ?? anonymousID }

    private static let vendorKey = "$identity_idfv"
    private static let applePlatforms = ["iOS", "macOS", "tvOS", "watchOS", "visionOS"]

    private static func identities(
        of context: RecordedContext,
        anonymousID: String,
        installed: String
    ) -> [(key: String, value: String)] {
        var all: [(key: String, value: String)] = []
        if let id = context.user.id { all.append(("$identity_login_id", id)) }
        if let vendor = context.user.identities[vendorKey]?.string {
            all.append((vendorKey, vendor))
        } else if applePlatforms.contains(library(of: context)) {
            all.append(("$identity_ios_uuid", installed))
        }
        all.append(("$identity_anonymous_id", anonymousID))
        for (key, value) in context.user.identities {
            guard let text = value.string, !all.contains(where: { $0.key == key }) else { continue }
            all.append((key, text))
        }
        return all
    }

    private static func presets(
        of context: RecordedContext,
        zone: SensorsAnalyticsZone,
        options: SensorsAnalyticsOptions
    ) -> Attributes {
        let (app, device) = (context.app, context.device)
        var presets: Attributes = [
            "$lib": .string(library(of: context)), "$lib_version": .string(options.libraryVersion),
        ]
        presets["$app_version"] = app["version"]
        presets["$app_id"] = app["id"]
        presets["$app_name"] = app["name"]
        presets["$model"] = device["model"]
        presets["$manufacturer"] = device["make"]
        presets["$os"] = device["platform"]
        presets["$os_version"] = device["os_version"]
        presets["$screen_width"] = device["screen_width"]
        presets["$screen_height"] = device["screen_height"]
        presets["$timezone_offset"] = device["zone_offset_seconds"].map { _ in .integer(zone.minutesBehind) }
        if let network = device["network"]?.string {
            // The context does not contain the radio technology of a mobile network.
            presets["$network_type"] = network == "wifi" ? "WIFI" : "UNKNOWN"
            presets["$wifi"] = .boolean(network == "wifi")
        }
        return presets
    }
}

extension InstallationID {
    /// The time when the installation began; nil if the id contains none.
    ///
    /// UUIDs of version 7 begin with a time.
    fileprivate var time: Timestamp? {
        high >> 12 & 0xF == 7 ? Timestamp(milliseconds: Int64(high >> 16)) : nil
    }
}

extension SensorsAnalyticsOptions {
    /// Returns the properties that the SDK would add to an event.
    ///
    /// The result applies to an event recorded in this context at this time.
    package func presetProperties(
        in recorded: RecordedContext,
        installation: InstallationID,
        at time: Timestamp
    ) -> Attributes {
        let context = SensorsAnalyticsContext(recorded, installation: installation, options: self)
        var all = context.presets
        all["$lib_method"] = "code"
        if let first = context.firstDay { all["$is_first_day"] = .boolean(context.zone.day(time) == first) }
        all["$device_id"] = .string(context.deviceID)
        return all
    }
}

/// The offset of local time from UTC where events were recorded.
///
/// The format writes dates as local time with no time zone.
package struct SensorsAnalyticsZone: Sendable, Hashable {
    /// The seconds ahead of UTC; negative in the west.
    package var secondsAhead: Int64

    /// Creates a zone.
    ///
    /// An offset of more than 24 hours counts as UTC.
    package init(secondsAhead: Int64 = 0) {
        self.secondsAhead = (-86_400...86_400).contains(secondsAhead) ? secondsAhead : 0
    }

    /// Returns a date as the format writes it: `2025-06-15 16:26:40.123`, local time.
    package func text(_ date: Timestamp) -> String {
        let local = date.advanced(by: .seconds(secondsAhead)).iso8601
        return "\(local.prefix(10)) \(local.dropFirst(11).dropLast())"
    }

    /// Returns the local day of a date: `2025-06-15`.
    package func day(_ date: Timestamp) -> String {
        String(date.advanced(by: .seconds(secondsAhead)).iso8601.prefix(10))
    }

    /// The offset as the format writes it, in minutes.
    ///
    /// The sign is reversed: UTC+8 is -480.
    package var minutesBehind: Int64 { -(secondsAhead / 60) }
}
