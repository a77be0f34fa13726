// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayEvents
public import TrackwayWire

/// Which application of SAP Mobile Services this is, and where its back-end is.
public struct SAPcpmsSettingsParameters: Sendable, Hashable {
    /// The back-end's address, such as `https://tenant.example.com`.
    public var backendURL: URL
    /// What the back-end knows the application by.
    public var applicationID: String
    /// The application's version, for the start of a session.
    public var applicationVersion: String?

    /// Settings of an application.
    public init(backendURL: URL, applicationID: String, applicationVersion: String? = nil) {
        self.backendURL = backendURL
        self.applicationID = applicationID
        self.applicationVersion = applicationVersion
    }
}

/// How requests to a back-end are sent: with these header fields, by this transport.
///
/// ```swift
/// let session = SAPURLSession(headers: ["authorization": "Bearer \(token)"])
/// ```
public final class SAPURLSession: Sendable {
    let headers: WireHeaders
    let transport: (any Transport)?

    /// A session.
    ///
    /// - Parameters:
    ///   - headers: what every request carries, such as the `Authorization` that the back-end's security asks for.
    ///   - transport: what carries requests; the system's by default.
    public init(headers: WireHeaders = [:], transport: (any Transport)? = nil) {
        self.headers = headers
        self.transport = transport
    }
}

extension SAPcpmsRecord {
    /// The start of a session of the application that the settings name. Only its id and version are used.
    public class func sessionStart(settingsParameters: SAPcpmsSettingsParameters) -> UsageRecord {
        sessionStart(
            applicationIdentifier: settingsParameters.applicationID,
            applicationVersion: settingsParameters.applicationVersion
        )
    }
}

extension SAPcpmsUsage {
    /// Begins a session of the application that the settings name. Only its id and version are used.
    public class func sessionStart(settingsParameters: SAPcpmsSettingsParameters) {
        reporter.report(SAPcpmsRecord.sessionStart(settingsParameters: settingsParameters))
    }
}
