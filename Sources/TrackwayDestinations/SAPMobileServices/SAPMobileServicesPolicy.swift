// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// The administrator's settings for usage reports in SAP Mobile Services.
///
/// A client receives them in the settings exchange, as `mobileservices.settingsExchange.usagePolicy`. In the exchange,
/// all values are strings; native JSON values are accepted, too.
public struct SAPMobileServicesPolicy: Sendable, Hashable {
    /// Whether usage data is collected.
    public var dataCollectionEnabled = false
    /// The number of days after which a report is due.
    ///
    /// 0 disables automatic reports.
    public var uploadDataAfterDays = 0
    /// Whether crash logs may be sent.
    public var crashLogUploadEnabled = false

    /// Creates the policy of an unknown application, which disables collection.
    public init() {}

    /// The maximum length of the JSON text, in bytes.
    public static let maximumBytes = 256 * 1_024
    /// The maximum interval between two reports, in days.
    ///
    /// Larger values are treated as this one.
    public static let maximumDays = 36_500

    /// Reads the policy from exchanged settings.
    ///
    /// The value is the whole response, or only the policy object. Members that are missing or have unexpected values
    /// count as false or 0.
    ///
    /// - Returns: nil if the value has no usage policy.
    public init?(_ settings: JSONValue) {
        let exchange = settings["mobileservices"]?["settingsExchange"] ?? settings["settingsExchange"] ?? settings
        let policy = exchange["usagePolicy"] ?? settings
        guard policy.object?.members.contains(where: { Self.keys.contains($0.key) }) == true else { return nil }
        dataCollectionEnabled = policy["dataCollectionEnabled"]?.sapBoolean ?? false
        crashLogUploadEnabled = policy["crashLogUploadEnabled"]?.sapBoolean ?? false
        uploadDataAfterDays = policy["uploadDataAfterDays"]?.sapDays ?? 0
    }

    /// Reads the policy from a JSON text.
    ///
    /// - Returns: nil if the text has no usage policy.
    /// - Throws: `JSONError` if the text is not JSON.
    public init?(json bytes: [UInt8]) throws(JSONError) {
        let limits = JSONLimits(bytes: Self.maximumBytes, depth: 16)
        self.init(try JSONValue.parse(bytes, limits: limits))
    }

    /// Reads the policy from a response's body.
    ///
    /// - Returns: nil if the response has no usage policy, or is an intermediary's web page.
    public init?(answer: WireResponse) {
        guard !answer.isWebPage else { return nil }
        do throws(JSONError) {
            try self.init(json: answer.body)
        } catch {
            // The response is not JSON.
            return nil
        }
    }

    /// The policy in the form of the settings exchange.
    ///
    /// The form is `{"mobileservices":{"settingsExchange":{"usagePolicy":{…}}}}`, with values as strings.
    public var settingsExchange: [UInt8] {
        let members = [
            JSONValue.Object.Member(key: Self.keys[0], value: .string(String(dataCollectionEnabled))),
            JSONValue.Object.Member(key: Self.keys[1], value: .string(String(uploadDataAfterDays))),
            JSONValue.Object.Member(key: Self.keys[2], value: .string(String(crashLogUploadEnabled))),
        ]
        return ["usagePolicy", "settingsExchange", "mobileservices"].reduce(JSONValue.object(.init(members))) {
            value,
            key in
            .object(.init([.init(key: key, value: value)]))
        }.json()
    }

    private static let keys = ["dataCollectionEnabled", "uploadDataAfterDays", "crashLogUploadEnabled"]
}

extension JSONValue {
    fileprivate var sapBoolean: Bool? {
        switch self {
        case .boolean(let flag): flag
        case .integer(let number): number == 1
        case .string(let text): ["true", "1"].contains(text.lowercased())
        case .null, .double, .array, .object: nil
        }
    }

    fileprivate var sapDays: Int? {
        let days = integer ?? string.flatMap { Int64($0) }
        return days.map { Int(min(max(0, $0), Int64(SAPMobileServicesPolicy.maximumDays))) }
    }
}
