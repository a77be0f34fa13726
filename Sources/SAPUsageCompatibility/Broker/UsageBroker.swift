// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
public import TrackwayLifecycle

/// Reports sessions and uploads records automatically.
///
/// A session lasts while the app is in the foreground. The upload interval is set in days.
///
/// ```swift
/// let broker = UsageBroker.shared
/// broker.onboardingID = userID
/// broker.injectOSlifecycleSession = true
/// broker.uploadInterval = 1
/// try broker.start(settingsParameters: settings)
/// ```
/// Uploads happen when the broker starts, when the app returns to the foreground, and when the user consents, if the
/// last successful upload, in this or an earlier process, is older than the interval. Each user and target has a
/// separate upload time. A failed upload is retried on the next of these occasions. No request is made to the back
/// end before the user consents.
///
/// Only the most recently started broker is active for a ``Usage``. Thread-safe.
open class UsageBroker {
    /// The reason why a broker was not started.
    public enum UsageBrokerError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The user's store cannot be opened; a `Diagnostic` reports the reason.
        case usageStoreInit
        /// The target has no reporter, because the ``Usage`` was replaced by ``Usage/startOver(_:)``.
        case reporterInit
        /// The back end's address is invalid, or the application's ID is empty.
        case invalidUploadUrl
        /// No user is known, or the store in use belongs to another user.
        case invalidUploadOnboardingID

        /// A human-readable description.
        public var description: String {
            switch self {
            case .usageStoreInit: "the user's store cannot be opened"
            case .reporterInit: "the target has no reporter because its Usage was replaced"
            case .invalidUploadUrl: "the back end's address is invalid, or the application's ID is empty"
            case .invalidUploadOnboardingID: "the store in use belongs to a different user, or no user is known"
            }
        }
    }

    /// The broker that an app shares.
    open class var shared: UsageBroker { Usage.shared.core.sharedBroker }

    private weak let core: UsageCore?
    private let options = Locked(UsageBrokerOptions())
    private let runner = Locked<UsageBrokerRunner?>(nil)
    private let startSettings = Locked(StartSettings())

    /// Settings that apply at the next start.
    private struct StartSettings: Sendable {
        var store: SerializedStore?
        var onboardingID: UUID?
    }

    /// Creates a broker for the shared ``Usage``.
    public convenience init() {
        self.init(of: Usage.shared.core)
    }

    init(of core: UsageCore) {
        self.core = core
    }

    // MARK: Settings

    /// The store that ``start(settingsParameters:target:)`` configures if none is in use.
    ///
    /// Nil for the default store of ``onboardingID``.
    public final var store: (any UsageStoring)? {
        get { startSettings.withLock { $0.store }?.object }
        set {
            let access = newValue.map { SerializedStore($0) }
            startSettings.withLock { $0.store = access }
        }
    }

    /// The user's ID from onboarding; nil while no user is known.
    public final var onboardingID: UUID? {
        get { startSettings.withLock { $0.onboardingID } }
        set { startSettings.withLock { $0.onboardingID = newValue } }
    }

    /// Whether sessions follow the app's lifecycle.
    ///
    /// If true, a session begins when the app enters the foreground and ends when the app leaves it. False by
    /// default. Takes effect immediately.
    public final var injectOSlifecycleSession: Bool {
        get { options.withLock { $0.settings.injectsSessions } }
        set { options.withLock { $0.settings.injectsSessions = newValue } }
    }

    /// Whether the back end's policy overrides the local settings.
    ///
    /// If true, the policy is requested on every occasion. The policy's number of days replaces ``uploadInterval``,
    /// and the policy determines whether data is collected. The last policy received also applies without a network
    /// connection. False by default. Takes effect immediately.
    public final var enableServerOverride: Bool {
        get { options.withLock { $0.settings.followsServer } }
        set { options.withLock { $0.settings.followsServer = newValue } }
    }

    /// The number of days between uploads.
    ///
    /// 0, the default, disables automatic uploads. A value below 0 becomes 0 and a value above 36,500 becomes 36,500,
    /// with a `Diagnostic`. Takes effect immediately.
    public final var uploadInterval: Int {
        get { options.withLock { $0.settings.days } }
        set {
            let days = UsageBrokerStateMachine.Settings.clamped(newValue)
            options.withLock { $0.settings.days = days }
            guard days != newValue else { return }
            core?.environment.report(
                Diagnostic(
                    code: .usageIntervalAdjusted,
                    field: "uploadInterval",
                    value: "\(newValue)",
                    message: "The upload interval of \(newValue) days is out of range and was replaced by \(days).",
                    recoverySuggestion: "Use 0 to \(SAPMobileServicesPolicy.maximumDays) days."
                )
            )
        }
    }

    /// The header fields and transport of requests.
    ///
    /// Takes effect immediately, so that a token can be renewed.
    public final var sapURLSession: SAPURLSession {
        get { options.withLock { $0.session } }
        set { options.withLock { $0.session = newValue } }
    }

    // MARK: Starting and stopping

    /// Starts the broker.
    ///
    /// A previously started broker, whether this or another broker, is stopped first.
    ///
    /// - Parameters:
    ///   - settingsParameters: the application and its back end.
    ///   - target: the target whose records are uploaded, and to which sessions are reported.
    /// - Throws: ``UsageBrokerError``.
    open func start(
        settingsParameters: SAPcpmsSettingsParameters,
        target: String = Usage.defaultTargetID
    ) throws {
        guard let core else { throw UsageBrokerError.reporterInit }
        do throws(WireEncodingError) {
            _ = try SAPMobileServicesDestination(
                backendURL: settingsParameters.backendURL.absoluteString,
                applicationID: settingsParameters.applicationID
            ).settingsRequest()
        } catch {
            core.environment.report(uploadFailed: SAPcpmsUsageUploader.UploadError.invalidEndpoint(error.message))
            throw UsageBrokerError.invalidUploadUrl
        }
        let startSettings = startSettings.withLock { $0 }
        let known = core.access?.storageID ?? startSettings.store?.storageID
        if let userID = startSettings.onboardingID, let known, known != userID.uuidString {
            throw UsageBrokerError.invalidUploadOnboardingID
        }
        let newRunner: UsageBrokerRunner
        do throws(TrackwayError) {
            if core.access == nil {
                let store: any UsageStoring
                if let own = startSettings.store {
                    store = own.object
                } else {
                    store = try UsageStore(core.environment.folder, startSettings.onboardingID, in: core.environment)
                }
                core.configure(store, retainsSession: false, application: nil)
            }
            newRunner = try UsageBrokerRunner(settingsParameters, target: target, options, of: core)
        } catch {
            core.environment.report(error, in: "start(settingsParameters:)")
            throw UsageBrokerError.usageStoreInit
        }
        let previousRunner = runner.withLock { runner in
            defer { runner = newRunner }
            return runner
        }
        let replaced = core.replaceBroker(with: newRunner)
        replaced?.stop()
        if let replaced, replaced !== previousRunner { core.environment.report(.brokerReplaced) }
        newRunner.start()
    }

    /// Stops the broker.
    ///
    /// Ends the session that the app's lifecycle began. Nothing is uploaded automatically until the broker is started
    /// again.
    open func stop() {
        guard let core, let runner = runner.withLock({ $0 }) else { return }
        core.stop(broker: runner)
    }

    /// Uploads immediately, regardless of the interval.
    ///
    /// - Parameter completionHandler: called once, on a thread of this module, with an
    ///   ``SAPcpmsUsageUploader/UploadError``, a ``UsageBrokerError`` if the broker was not started or no user is
    ///   known, or nil.
    open func upload(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void = SAPcpmsUsageUploader.defaultCompletionHandler
    ) {
        guard let runner = runner.withLock({ $0 }) else { return completionHandler(UsageBrokerError.reporterInit) }
        guard core?.userID != nil else { return completionHandler(UsageBrokerError.invalidUploadOnboardingID) }
        runner.upload(completionHandler)
    }

    /// Applies a policy that the app received with other settings.
    ///
    /// The effect is the same as if the back end had returned it. Does nothing unless ``enableServerOverride`` is true.
    open func apply(_ policy: SAPcpmsUsagePolicy) {
        guard enableServerOverride else { return }
        runner.withLock { $0 }?.apply(policy)
    }

    /// Whether no operation is in progress.
    final var isIdle: Bool { runner.withLock { $0 }?.isIdle ?? true }

    /// Reports a lifecycle change on systems where changes are not observed.
    public final func lifecycleChanged(to change: LifecycleChange) {
        runner.withLock { $0 }?.lifecycleChanged([change])
    }
}

/// A broker's settings that take effect immediately.
struct UsageBrokerOptions: Sendable {
    /// The settings of the state machine.
    var settings = UsageBrokerStateMachine.Settings()
    /// The header fields and transport of requests.
    var session = SAPURLSession()
}

extension Diagnostic {
    fileprivate static let brokerReplaced = Diagnostic(
        code: .usageBrokerReplaced,
        field: "start(settingsParameters:)",
        value: "UsageBroker",
        message: "Another UsageBroker was started, so the previous one was stopped. Only the most recently started "
            + "broker is active.",
        recoverySuggestion: "Stop the previous broker first."
    )
}
