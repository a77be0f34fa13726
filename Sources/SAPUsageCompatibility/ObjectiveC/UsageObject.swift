// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation
internal import TrackwayDestinationKit

/// ``Usage`` for Objective-C.
///
/// Objective-C supports neither Swift's structures nor its default arguments. Thread-safe. Each method calls the
/// shared instance's method with the same name.
///
/// ```objc
/// [SAPUsage configureWithFolder:nil storageID:person encryptionKey:nil retainLastUnattributedSession:YES
///                addSessionData:nil error:&error];
/// [SAPUsage enableDataCollectionAddingSessionData:@"com.example.shop"];
/// [[SAPUsage reporterForTargetID:SAPUsage.defaultTargetID injectUnattributed:YES] reportEvent:@"Tap" date:nil info:nil];
/// ```
@objc(SAPUsage)
public final class UsageObject: NSObject {
    /// See ``Usage/defaultTargetID``.
    @objc public static let defaultTargetID = Usage.defaultTargetID
    /// See ``Usage/unattributedStorageID``.
    @objc public static let unattributedStorageID = Usage.unattributedStorageID
    /// See ``Usage/unattributedUserID``.
    @objc public static let unattributedUserID = Usage.unattributedUserID

    // There are no instances, because all methods use the shared ``Usage``.
    private override init() {}

    // MARK: Configuration

    /// Opens a ``UsageStore`` and configures the shared instance with it.
    ///
    /// - Parameters:
    ///   - folder: the folder of stores; nil for ``UsageStore/defaultFolderURL``.
    ///   - storageID: the user's ID; nil if no user is known.
    ///   - encryptionKey: the secret that encrypts the files; nil for plain files.
    ///   - retainLastUnattributedSession: as for ``Usage/configure(with:retainLastUnattributedSession:addSessionData:)``.
    ///   - applicationIdentifier: as for the same method.
    /// - Throws: the errors of ``UsageStore/init(with:storageID:encryptionKey:)``.
    @objc(
        configureWithFolder:
        storageID:
        encryptionKey:
        retainLastUnattributedSession:
        addSessionData:
        error:
    )
    public static func configure(
        with folder: URL?,
        storageID: UUID?,
        encryptionKey: String?,
        retainLastUnattributedSession: Bool,
        addSessionData applicationIdentifier: String?
    ) throws {
        let folder = folder ?? UsageStore.defaultFolderURL
        let store = try UsageStore(with: folder, storageID: storageID, encryptionKey: encryptionKey)
        Usage.shared.configure(
            with: store,
            retainLastUnattributedSession: retainLastUnattributedSession,
            addSessionData: applicationIdentifier
        )
    }

    /// See ``Usage/enableDataCollection(addSessionData:)``.
    @objc(enableDataCollectionAddingSessionData:)
    public static func enableDataCollection(addSessionData applicationIdentifier: String?) {
        Usage.shared.enableDataCollection(addSessionData: applicationIdentifier)
    }

    /// See ``Usage/disableDataCollection(addSessionData:)``.
    @objc(disableDataCollectionAddingSessionData:)
    public static func disableDataCollection(addSessionData emitData: Bool) {
        Usage.shared.disableDataCollection(addSessionData: emitData)
    }

    /// See ``Usage/consentForUser(_:given:addSessionData:)``.
    @objc(consentForUser:given:addSessionData:)
    public static func consentForUser(
        _ userID: UUID,
        given consent: Bool,
        addSessionData applicationIdentifier: String?
    ) {
        Usage.shared.consentForUser(userID, given: consent, addSessionData: applicationIdentifier)
    }

    /// See ``Usage/hasConsentForUser(_:)``.
    @objc(hasConsentForUser:)
    public static func hasConsentForUser(_ userID: UUID) -> Bool {
        Usage.shared.hasConsentForUser(userID)
    }

    /// See ``Usage/dataCollectionEnabled``.
    @objc public static var dataCollectionEnabled: Bool { Usage.shared.dataCollectionEnabled }

    /// See ``Usage/userConsent``.
    @objc public static var userConsent: Bool { Usage.shared.userConsent }

    /// See ``Usage/userID``.
    @objc public static var userID: String? { Usage.shared.userID }

    /// See ``Usage/outputEnabled()``.
    @objc public static func outputEnabled() -> Bool { Usage.shared.outputEnabled() }

    // MARK: Reporters

    /// See ``Usage/reporter(for:injectUnattributed:)``.
    @objc(reporterForTargetID:injectUnattributed:)
    public static func reporter(for targetID: String, injectUnattributed: Bool) -> UsageReporterObject {
        UsageReporterObject(Usage.shared.reporter(for: targetID, injectUnattributed: injectUnattributed))
    }

    /// See ``Usage/unregisterReporter(from:)``.
    @objc(unregisterReporterFromTargetID:)
    public static func unregisterReporter(from targetID: String) {
        Usage.shared.unregisterReporter(from: targetID)
    }

    /// See ``Usage/targetIdentifiers()``.
    @objc public static func targetIdentifiers() -> [String] {
        Usage.shared.targetIdentifiers()
    }

    // MARK: Uploading

    /// Uploads records to the application's back end; see ``SAPcpmsUsageUploader``.
    ///
    /// - Parameters:
    ///   - backendURL: the address of the back end.
    ///   - applicationID: the application's ID on the back end.
    ///   - headers: header fields sent with each request, such as `Authorization`.
    ///   - targetID: the target whose records are uploaded.
    ///   - completionHandler: called once, on a thread of this module, with the error, or nil on success.
    @objc(uploadToBackend:applicationID:headers:targetID:completionHandler:)
    public static func upload(
        to backendURL: URL,
        applicationID: String,
        headers: [String: String],
        targetID: String,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let fields = headers.sorted { $0.key < $1.key }.map { WireHeaders.Field(name: $0.key, value: $0.value) }
        SAPcpmsUsageUploader.upload(
            to: SAPcpmsSettingsParameters(backendURL: backendURL, applicationID: applicationID),
            sapURLSession: SAPURLSession(headers: WireHeaders(fields)),
            target: targetID,
            completionHandler: completionHandler
        )
    }
}

/// ``UsageReporter`` for Objective-C.
///
/// Returned by ``UsageObject/reporter(for:injectUnattributed:)``. Thread-safe.
///
/// Objects for one target share its reporter, and therefore ``enabled``.
@objc(SAPUsageReporter)
public final class UsageReporterObject: NSObject {
    private let reporter: UsageReporter

    init(_ reporter: UsageReporter) {
        self.reporter = reporter
    }

    /// See ``UsageReporter/enabled``.
    @objc public var enabled: Bool {
        get { reporter.enabled }
        set { reporter.enabled = newValue }
    }

    /// Begins a session; see ``SAPcpmsRecord/sessionStart(applicationIdentifier:applicationVersion:)``.
    @objc(reportSessionStartOfApplication:version:)
    public func reportSessionStart(applicationIdentifier: String, applicationVersion: String?) {
        reporter.report(
            SAPcpmsRecord.sessionStart(
                applicationIdentifier: applicationIdentifier,
                applicationVersion: applicationVersion
            )
        )
    }

    /// Ends the session.
    @objc public func reportSessionEnd() {
        reporter.report(SAPcpmsRecord.sessionEnd())
    }

    /// Reports an event.
    ///
    /// - Parameters:
    ///   - name: the event's name.
    ///   - date: the time of the event; nil for now.
    ///   - info: additional information, as for ``UsageReporter/report(_:date:info:)``. Each value's type is checked;
    ///     none is assumed to be a string.
    @objc(reportEvent:date:info:)
    public func report(_ name: String, date: Date?, info: UsageInfo?) {
        reporter.report(.event(name), date: date ?? Usage.now, info: info ?? [:])
    }
}
#endif
