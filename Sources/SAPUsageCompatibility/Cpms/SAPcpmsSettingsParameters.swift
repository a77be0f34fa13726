// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayCore
public import TrackwayDestinationKit

/// An SAP Mobile Services application and its back end's address.
public struct SAPcpmsSettingsParameters: Sendable, Hashable {
    /// The back end's address, such as `https://tenant.example.com`.
    public var backendURL: URL
    /// The application's ID on the back end.
    public var applicationID: String
    /// The application's version, for the start of a session.
    public var applicationVersion: String?

    /// Creates the settings for an application.
    public init(backendURL: URL, applicationID: String, applicationVersion: String? = nil) {
        self.backendURL = backendURL
        self.applicationID = applicationID
        self.applicationVersion = applicationVersion
    }
}

/// The header fields and transport of requests to a back end.
///
/// ```swift
/// let session = SAPURLSession(headers: ["authorization": "Bearer \(token)"])
/// ```
public final class SAPURLSession: Sendable {
    let headers: WireHeaders
    let transport: (any Transport)?

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - headers: the header fields of every request, such as the `Authorization` that the back end requires.
    ///   - transport: sends the requests; the system's transport by default.
    public init(headers: WireHeaders = [:], transport: (any Transport)? = nil) {
        self.headers = headers
        self.transport = transport
    }
}

extension SAPcpmsRecord {
    /// Returns a session start record for the application in the settings.
    ///
    /// Only the application's ID and version are used.
    public class func sessionStart(settingsParameters: SAPcpmsSettingsParameters) -> UsageRecord {
        sessionStart(
            applicationIdentifier: settingsParameters.applicationID,
            applicationVersion: settingsParameters.applicationVersion
        )
    }
}

extension SAPcpmsUsage {
    /// Begins a session for the application in the settings.
    ///
    /// Only the application's ID and version are used.
    public class func sessionStart(settingsParameters: SAPcpmsSettingsParameters) {
        reporter.report(SAPcpmsRecord.sessionStart(settingsParameters: settingsParameters))
    }
}
