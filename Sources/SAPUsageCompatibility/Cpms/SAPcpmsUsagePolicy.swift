// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayCore
internal import TrackwayDestinations

/// An application's usage policy, as set by the administrator.
///
/// The back end returns it in the settings exchange.
///
/// ```swift
/// if let policy = SAPcpmsUsagePolicy(settings: responseFields) { policy.apply(to: .shared) }
/// ```
public struct SAPcpmsUsagePolicy: Sendable, Hashable {
    /// Whether usage data is collected.
    public var dataCollectionEnabled = false
    /// The number of days between uploads; 0 disables automatic uploads.
    public var uploadDataAfterDays = 0
    /// Whether crash logs may be sent.
    public var crashLogUploadEnabled = false

    /// Creates the policy of an unknown application: nothing is collected.
    public init() {}

    /// Creates a policy from settings.
    ///
    /// The settings are either the whole response or the policy's own object. Values may be strings, as in the
    /// exchange format, or native types. A missing value, or one of an unexpected type, counts as off.
    ///
    /// - Returns: nil if the settings contain no usage policy.
    public init?(settings: UsageInfo) {
        var reader = UsageInfoReader()
        self.init(SAPMobileServicesPolicy(.object(reader.object(settings))))
    }

    /// Creates a policy from a response body.
    ///
    /// - Returns: nil if the body is not JSON or contains no usage policy.
    public init?(json: Data) {
        // An unreadable body contains no policy, so the result is nil.
        self.init((try? SAPMobileServicesPolicy(json: Array(json))) ?? nil)
    }

    /// Creates a policy from the result of the format's decoder.
    init?(_ policy: SAPMobileServicesPolicy?) {
        guard let policy else { return nil }
        dataCollectionEnabled = policy.dataCollectionEnabled
        uploadDataAfterDays = policy.uploadDataAfterDays
        crashLogUploadEnabled = policy.crashLogUploadEnabled
    }

    /// Switches data collection on or off according to the policy.
    public func apply(to usage: Usage, addSessionData applicationIdentifier: String? = nil) {
        if dataCollectionEnabled {
            usage.enableDataCollection(addSessionData: applicationIdentifier)
        } else {
            usage.disableDataCollection(addSessionData: applicationIdentifier != nil)
        }
    }
}
