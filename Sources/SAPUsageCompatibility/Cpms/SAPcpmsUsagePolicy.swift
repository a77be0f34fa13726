// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayDestinations
internal import TrackwayEvents

/// What the administrator of an application wants of its usage, as the exchange of settings tells it.
///
/// ```swift
/// if let policy = SAPcpmsUsagePolicy(settings: answer) { policy.apply(to: .shared) }
/// ```
public struct SAPcpmsUsagePolicy: Sendable, Hashable {
    /// Whether usage is collected at all.
    public var dataCollectionEnabled = false
    /// After how many days an upload is due; 0 says that none happens by itself.
    public var uploadDataAfterDays = 0
    /// Whether logs of crashes may be sent.
    public var crashLogUploadEnabled = false

    /// The policy of an application of which nothing is known: nothing is collected.
    public init() {}

    /// Reads the policy out of settings: the whole answer, or the policy's own object; values may be texts, as they are
    /// exchanged, or native. What is not there, or holds something else than expected, counts as off.
    ///
    /// - Returns: nil when the settings have no usage policy.
    public init?(settings: UsageInfo) {
        var reader = UsageInfoReader()
        self.init(SAPMobileServicesPolicy(.object(reader.object(settings))))
    }

    /// Reads the policy out of an answer's body.
    ///
    /// - Returns: nil when it is no JSON, or has no usage policy.
    public init?(json: Data) {
        // What cannot be read says nothing, which nil tells.
        self.init((try? SAPMobileServicesPolicy(json: Array(json))) ?? nil)
    }

    /// The policy as the format's code reads it; nil when there is none.
    init?(_ policy: SAPMobileServicesPolicy?) {
        guard let policy else { return nil }
        dataCollectionEnabled = policy.dataCollectionEnabled
        uploadDataAfterDays = policy.uploadDataAfterDays
        crashLogUploadEnabled = policy.crashLogUploadEnabled
    }

    /// Switches data collection on or off, as the policy says.
    public func apply(to usage: Usage, addSessionData applicationIdentifier: String? = nil) {
        if dataCollectionEnabled {
            usage.enableDataCollection(addSessionData: applicationIdentifier)
        } else {
            usage.disableDataCollection(addSessionData: applicationIdentifier != nil)
        }
    }
}
