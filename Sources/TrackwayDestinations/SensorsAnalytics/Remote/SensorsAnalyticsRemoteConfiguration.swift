// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What a Sensors Analytics back-end wants of the app: to be quiet, to leave out some events, to look at others.
public struct SensorsAnalyticsRemoteConfiguration: Sendable, Hashable {
    /// When it takes effect.
    public enum Effect: Sendable, Hashable {
        /// With the next start of the app.
        case nextStart
        /// At once.
        case now
    }

    /// What the back-end calls this configuration, to be named when asking for a newer one.
    public var version: String?
    /// A second name of the configuration, kept by newer back-ends.
    public var newVersion: String?
    /// Whether nothing is recorded.
    public var disablesSDK = false
    /// Whether events are never sent to the place where they are looked at one by one.
    public var disablesDebugMode = false
    /// Which kinds of events the SDK may record by itself, as bits; nil leaves that to the app.
    public var autoTrackMode: UInt?
    /// Names of events that are not recorded.
    public var blockedEvents: [String] = []
    /// When it takes effect.
    public var effect = Effect.nextStart

    /// A configuration that changes nothing.
    public init() {}

    /// The longest configuration that is read, in bytes.
    public static let maximumBytes = 256 * 1_024

    /// Reads a configuration as back-ends send it, and as ``json`` writes it. Members it does not know, or that hold
    /// something else than expected, count as absent; the keys of an encryption among them, which is not offered.
    ///
    /// - Throws: `JSONError` when the bytes are no JSON object.
    public init(json bytes: [UInt8]) throws(JSONError) {
        let json = try JSONValue.parse(bytes, limits: JSONLimits(bytes: Self.maximumBytes, depth: 16))
        guard json.object != nil else { throw JSONError(.unexpectedType, at: 0) }
        let configs = json["configs"]
        version = json["v"].flatMap(Self.text)
        newVersion = configs?["nv"].flatMap(Self.text)
        disablesSDK = configs?["disableSDK"]?.boolean ?? false
        disablesDebugMode = configs?["disableDebugMode"]?.boolean ?? false
        // Only the fifteen masks there are; -1, and whatever a later back-end may mean, leave it to the app.
        autoTrackMode = configs?["autoTrackMode"]?.integer.flatMap { (0...15).contains($0) ? UInt($0) : nil }
        blockedEvents = configs?["event_blacklist"]?.array?.compactMap(\.string) ?? []
        effect = configs?["effect_mode"]?.integer == 1 ? .now : .nextStart
    }

    /// The configuration as JSON, members that say nothing left out.
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

    /// Some back-ends count their versions.
    private static func text(_ json: JSONValue) -> String? {
        json.string ?? json.integer.map { String($0) }
    }
}
