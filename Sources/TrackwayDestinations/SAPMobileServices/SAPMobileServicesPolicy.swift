// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// What the administrator of an application of SAP Mobile Services wants of its usage reports.
///
/// A client gets it in the exchange of settings, as `mobileservices.settingsExchange.usagePolicy`, whose values are texts
/// there; native values are read as well.
public struct SAPMobileServicesPolicy: Sendable, Hashable {
    /// Whether usage is collected at all.
    public var dataCollectionEnabled = false
    /// After how many days a report is due; 0 says that none is sent by itself.
    public var uploadDataAfterDays = 0
    /// Whether logs of crashes may be sent.
    public var crashLogUploadEnabled = false

    /// The policy of an application of which nothing is known: nothing is collected.
    public init() {}

    /// The longest text that is read, in bytes.
    public static let maximumBytes = 256 * 1_024
    /// The longest time between two reports, in days; more counts as this.
    public static let maximumDays = 36_500

    /// Reads the policy out of settings as they are exchanged: the whole answer, or the policy's own object. What is not
    /// there, or holds something else than expected, counts as off.
    ///
    /// - Returns: nil when the value has no usage policy.
    public init?(_ settings: JSONValue) {
        let exchange = settings["mobileservices"]?["settingsExchange"] ?? settings["settingsExchange"] ?? settings
        let policy = exchange["usagePolicy"] ?? settings
        guard policy.object?.members.contains(where: { Self.keys.contains($0.key) }) == true else { return nil }
        dataCollectionEnabled = policy["dataCollectionEnabled"]?.sapTruth ?? false
        crashLogUploadEnabled = policy["crashLogUploadEnabled"]?.sapTruth ?? false
        uploadDataAfterDays = policy["uploadDataAfterDays"]?.sapDays ?? 0
    }

    /// Reads the policy out of a text.
    ///
    /// - Returns: nil when the text has no usage policy.
    /// - Throws: `JSONError` when it is no JSON.
    public init?(json bytes: [UInt8]) throws(JSONError) {
        let limits = JSONLimits(bytes: Self.maximumBytes, depth: 16)
        self.init(try JSONValue.parse(bytes, limits: limits))
    }

    /// Reads the policy out of an answer's body.
    ///
    /// - Returns: nil when the answer has none, or is a page of somebody else.
    public init?(answer: WireResponse) {
        guard !answer.isPage else { return nil }
        do throws(JSONError) {
            try self.init(json: answer.body)
        } catch {
            // An answer need not be JSON.
            return nil
        }
    }

    /// The policy as it is exchanged: `{"mobileservices":{"settingsExchange":{"usagePolicy":{…}}}}`, values as texts.
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
    fileprivate var sapTruth: Bool? {
        switch self {
        case .boolean(let truth): truth
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
