// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An app's remote configuration from a Sensors Analytics back end.
///
/// The configuration can disable recording, block some events, and disable debug mode.
public struct SensorsAnalyticsRemoteConfiguration: Sendable, Hashable {
    /// When the configuration takes effect.
    public enum Effect: Sendable, Hashable {
        /// At the next start of the app.
        case nextStart
        /// Immediately.
        case now
    }

    /// The back end's version of this configuration.
    ///
    /// Requests for a newer configuration contain this version.
    public var version: String?
    /// A second version of the configuration, used by newer back ends.
    public var newVersion: String?
    /// Whether recording is disabled.
    public var disablesSDK = false
    /// Whether debug mode is disabled.
    ///
    /// Debug mode sends events for individual inspection.
    public var disablesDebugMode = false
    /// A bit mask of event types that may be recorded automatically.
    ///
    /// Nil leaves the choice to the app.
    public var autoTrackMode: UInt?
    /// Names of events that are not recorded.
    public var blockedEvents: [String] = []
    /// When the configuration takes effect.
    public var effect = Effect.nextStart

    /// Creates a configuration that changes nothing.
    public init() {}

    /// The maximum length of a configuration, in bytes.
    public static let maximumBytes = 256 * 1_024

    /// Parses a configuration from a back end or from ``json``.
    ///
    /// Unknown members, and members with unexpected values, count as absent. Encryption keys are among the unknown
    /// members, because encryption is not supported.
    ///
    /// - Throws: `JSONError` if the bytes are not a JSON object.
    public init(json bytes: [UInt8]) throws(JSONError) {
        let json = try JSONValue.parse(bytes, limits: JSONLimits(bytes: Self.maximumBytes, depth: 16))
        guard json.object != nil else { throw JSONError(.unexpectedType, at: 0) }
        let configs = json["configs"]
        version = json["v"].flatMap(Self.text)
        newVersion = configs?["nv"].flatMap(Self.text)
        disablesSDK = configs?["disableSDK"]?.boolean ?? false
        disablesDebugMode = configs?["disableDebugMode"]?.boolean ?? false
        // Only the defined masks, 0 to 15, are accepted; -1, and any other value that a later back end may send, leaves
        // the choice to the app.
        autoTrackMode = configs?["autoTrackMode"]?.integer.flatMap { (0...15).contains($0) ? UInt($0) : nil }
        blockedEvents = configs?["event_blacklist"]?.array?.compactMap(\.string) ?? []
        effect = configs?["effect_mode"]?.integer == 1 ? .now : .nextStart
    }

    /// The configuration as JSON.
    ///
    /// Versions that are nil are left out.
    ///
    /// - Complexity: O(number of blocked events).
    public var json: [UInt8] {
        var configs: [JSONValue.Object.Member] = []
        if let newVersion { configs.append(.init(key: "nv", value: .string(newVersion))) }
        configs.append(.init(key: "disableSDK", value: .boolean(disablesSDK)))
        configs.append(.init(key: "disableDebugMode", value: .boolean(disablesDebugMode)))
        configs.append(.init(key: "autoTrackMode", value: .integer(autoTrackMode.map { Int64($0) } ?? -1)))
        configs.append(.init(key: "event_blacklist", value: .array(blockedEvents.map { .string($0) })))
        configs.append(.init(key: "effect_mode", value: .integer(effect == .now ? 1 : 0)))
        var members: [JSONValue.Object.Member] = []
        if let version { members.append(.init(key: "v", value: .string(version))) }
        members.append(.init(key: "configs", value: .object(.init(configs))))
        return JSONValue.object(.init(members)).json()
    }

    /// Returns a version as a string; some back ends use numbers.
    private static func text(_ json: JSONValue) -> String? {
        json.string ?? json.integer.map { String($0) }
    }
}
