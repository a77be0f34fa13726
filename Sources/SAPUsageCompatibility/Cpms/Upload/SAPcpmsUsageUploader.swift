// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
internal import TrackwayDestinations
internal import TrackwayEvents

/// Uploads what is stored in the format of SAP Mobile Services.
///
/// ```swift
/// let settings = SAPcpmsSettingsParameters(backendURL: url, applicationID: "org.example.shop")
/// SAPcpmsUsageUploader.upload(to: settings, sapURLSession: SAPURLSession()) { error in
///     if let error { log("\(error)") }
/// }
/// ```
/// Nothing is sent unless ``Usage/outputEnabled()``. A session under way is ended, uploaded, and a new one of the same
/// application begun, once the back end has accepted its last record: an upload that fails ends no session. A session that a
/// process left behind when it was killed ends at its last record, and none is begun for it.
///
/// The records of a report are removed as soon as it is accepted. A report whose answer was lost is sent again, byte for byte
/// under the same id, also by the next process. Records that lack what the format demands (a session with an id, an
/// application and a device), or that are refused alone, stay stored, are reported in one `Diagnostic`, and keep no other from
/// being sent.
public final class SAPcpmsUsageUploader: Sendable {
    /// Why an upload did not send everything. What was accepted before is removed, everything else stays.
    public enum UploadError: Error, Sendable, Hashable, CustomStringConvertible {
        /// There is nothing that could be sent.
        case noData
        /// Another upload of the target is under way.
        case uploadInProgress
        /// Data collection is switched off, nobody is known, or the person did not consent.
        case outputDisabled
        /// The address is none, or the application's id is empty.
        case invalidEndpoint(String)
        /// No answer came, or none of the back-end's.
        case network(String)
        /// The back-end answered something else than a success; 413 when it takes not even single records.
        case httpStatus(code: Int, body: String)
        /// A report could not be written.
        case encoding(String)
        /// The back-end answered 403: the application's usage policy is off, or this client may not report.
        case policyDisabled
        /// The records could not be read, or not be removed: they are sent again.
        case storage(String)

        /// A sentence for people.
        public var description: String {
            switch self {
            case .noData: "nothing is stored that could be sent"
            case .uploadInProgress: "another upload of this target is under way"
            case .outputDisabled:
                "nothing may be sent: data collection is off, nobody is known, or the person did not consent"
            case .invalidEndpoint(let what): "the address cannot be used: \(what)"
            case .network(let what): "no answer of the back-end's came: \(what)"
            case .httpStatus(let code, let body): "the back-end answered \(code): \(body)"
            case .encoding(let what): "a report could not be written: \(what)"
            case .policyDisabled: "the back-end answered 403: the application's usage policy is off"
            case .storage(let what): "the records could not be read or removed: \(what)"
            }
        }
    }

    /// The key in the info of a record that an upload withheld.
    ///
    /// It is set in stores of the app's own, where a record that stays is stored anew.
    public static let withheldKey = "_withheld"

    /// Tells an error in the log.
    public static let defaultCompletionHandler: @Sendable ((any Error)?) -> Void = { error in
        guard let error else { return }
        Usage.shared.core.environment.report(uploadFailed: error)
    }

    /// Uploads to the application's back-end.
    ///
    /// - Parameters:
    ///   - settings: where to, and the application; other applications' sessions stay stored.
    ///   - sapURLSession: how requests are sent.
    ///   - target: whose records.
    ///   - unattributedData: records of nobody known, to be sent first and removed, too.
    ///   - completionHandler: is called once, on a thread of the module's, with an ``UploadError`` or nil.
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

    /// Uploads to an address that is used as it is: a proxy's, say.
    ///
    /// - Parameters:
    ///   - uploadEndPoint: where reports are posted.
    ///   - sapURLSession: how requests are sent.
    ///   - target: whose records.
    ///   - unattributedData: records of nobody known, to be sent first and removed, too.
    ///   - completionHandler: is called once, on a thread of the module's, with an ``UploadError`` or nil.
    public static func upload(
        to uploadEndPoint: URL,
        sapURLSession: SAPURLSession,
        target: String = Usage.defaultTargetID,
        unattributedData: (any UsageSnapshotting)? = nil,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void = SAPcpmsUsageUploader.defaultCompletionHandler
    ) {
        let destination = SAPMobileServicesDestination(
            endpoint: uploadEndPoint.absoluteString,
            // Every record that is sent names its own.
            applicationID: "usage",
            headers: sapURLSession.headers
        )
        SAPcpmsUpload(to: destination, by: sapURLSession, of: target, from: Usage.shared.core)
            .begin(unattributedData, completionHandler)
    }
}

extension UsageEnvironment {
    /// Tells that an upload did not do what it should.
    func report(uploadFailed error: any Error) {
        report(
            Diagnostic(
                code: .usageUploadFailed,
                field: "upload(to:)",
                value: "\(error)",
                message: "The upload failed (\(error)). What the back end accepted was removed, and everything else "
                    + "is stored.",
                recoverySuggestion: "Upload again later."
            )
        )
    }
}
