// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinations

/// Uploads stored records in the format of SAP Mobile Services.
///
/// ```swift
/// let settings = SAPcpmsSettingsParameters(backendURL: url, applicationID: "org.example.shop")
/// SAPcpmsUsageUploader.upload(to: settings, sapURLSession: SAPURLSession()) { error in
///     if let error { log("\(error)") }
/// }
/// ```
/// Nothing is sent unless ``Usage/outputEnabled()`` is true. An open session is uploaded with an added end. After the
/// back end has accepted the session's last record, the session ends and a new session of the same application
/// begins, so a failed upload does not end a session. A session left open by a process that was killed ends at its
/// last record, and no new session follows it.
///
/// The records of a report are removed as soon as the report is accepted. A report whose response was lost is resent
/// byte for byte with the same ID, even by the next process. Records that lack required fields (a session with an ID,
/// an application, and a device), or that are rejected individually, remain stored and are reported in one
/// `Diagnostic`. They do not prevent other records from being sent.
public final class SAPcpmsUsageUploader: Sendable {
    /// The reason why an upload did not send everything.
    ///
    /// Records accepted before the error are removed; all others stay.
    public enum UploadError: Error, Sendable, Hashable, CustomStringConvertible {
        /// No stored record can be sent.
        case noData
        /// Another upload of the target is in progress.
        case uploadInProgress
        /// Sending is not permitted.
        ///
        /// Data collection is off, no user is known, or the user did not consent.
        case outputDisabled
        /// The address is invalid, or the application's ID is empty.
        case invalidEndpoint(String)
        /// No response arrived, or it was not from the back end.
        case network(String)
        /// The back end returned an error status.
        ///
        /// The status is 413 if the back end rejects even single records.
        case httpStatus(code: Int, body: String)
        /// A report could not be encoded.
        case encoding(String)
        /// The back end returned 403.
        ///
        /// The application's usage policy is off, or this client may not report.
        case policyDisabled
        /// The records could not be read or removed.
        ///
        /// The next upload sends them again.
        case storage(String)

        /// A human-readable description.
        public var description: String {
            switch self {
            case .noData: "no stored record can be sent"
            case .uploadInProgress: "another upload of this target is in progress"
            case .outputDisabled:
                "sending is not permitted: data collection is off, no user is known, or the user did not consent"
            case .invalidEndpoint(let what): "the address is invalid: \(what)"
            case .network(let what): "no response from the back end: \(what)"
            case .httpStatus(let code, let body): "the back end returned \(code): \(body)"
            case .encoding(let what): "a report could not be encoded: \(what)"
            case .policyDisabled: "the back end returned 403: the application's usage policy is off"
            case .storage(let what): "the records could not be read or removed: \(what)"
            }
        }
    }

    /// The key in the info of a record that an upload withheld.
    ///
    /// The key is set in custom stores, where a withheld record is stored again.
    public static let withheldKey = "_withheld"

    /// Reports an error as a `Diagnostic`.
    public static let defaultCompletionHandler: @Sendable ((any Error)?) -> Void = { error in
        guard let error else { return }
        Usage.shared.core.environment.report(uploadFailed: error)
    }

    /// Uploads records to the application's back end.
    ///
    /// - Parameters:
    ///   - settings: the back end and the application; sessions of other applications remain stored.
    ///   - sapURLSession: the header fields and transport of requests.
    ///   - target: the target whose records are uploaded.
    ///   - unattributedData: unattributed records, which are sent first and also removed.
    ///   - completionHandler: called once, on a thread of this module, with an ``UploadError`` or nil.
    public static func upload(
        to settings: SAPcpmsSettingsParameters,
        sapURLSession: SAPURLSession,
        target: String = Usage.defaultTargetID,
        unattributedData: (any UsageSnapshotting)? = nil,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void = SAPcpmsUsageUploader.defaultCompletionHandler
    ) {
        let destination = SAPMobileServicesDestination(
            backendURL: settings.backendURL.absoluteString,
            applicationID: settings.applicationID,
            headers: sapURLSession.headers
        )
        SAPcpmsUpload(to: destination, by: sapURLSession, of: target, from: Usage.shared.core)
            .begin(unattributedData, completionHandler)
    }

    /// Uploads records to an address used unchanged, such as a proxy's address.
    ///
    /// - Parameters:
    ///   - uploadEndPoint: the URL to which reports are posted.
    ///   - sapURLSession: the header fields and transport of requests.
    ///   - target: the target whose records are uploaded.
    ///   - unattributedData: unattributed records, which are sent first and also removed.
    ///   - completionHandler: called once, on a thread of this module, with an ``UploadError`` or nil.
    public static func upload(
        to uploadEndPoint: URL,
        sapURLSession: SAPURLSession,
        target: String = Usage.defaultTargetID,
        unattributedData: (any UsageSnapshotting)? = nil,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void = SAPcpmsUsageUploader.defaultCompletionHandler
    ) {
        let destination = SAPMobileServicesDestination(
            endpoint: uploadEndPoint.absoluteString,
            // Every record sent contains its own application ID.
            applicationID: "usage",
            headers: sapURLSession.headers
        )
        SAPcpmsUpload(to: destination, by: sapURLSession, of: target, from: Usage.shared.core)
            .begin(unattributedData, completionHandler)
    }
}

extension UsageEnvironment {
    /// Reports that an upload failed.
    func report(uploadFailed error: any Error) {
        report(
            Diagnostic(
                code: .usageUploadFailed,
                field: "upload(to:)",
                value: "\(error)",
                message: "The upload failed (\(error)). The records that the back end accepted were removed, and all "
                    + "others are still stored.",
                recoverySuggestion: "Upload again later."
            )
        )
    }
}
