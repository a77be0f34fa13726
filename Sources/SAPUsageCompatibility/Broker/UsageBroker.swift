// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
public import TrackwayBehavior
internal import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayWire

/// Looks after the use of an application by itself: a session whenever the app is in front, and an upload every so many days.
///
/// ```swift
/// let broker = UsageBroker.shared
/// broker.onboardingID = person
/// broker.injectOSlifecycleSession = true
/// broker.uploadInterval = 1
/// try broker.start(settingsParameters: settings)
/// ```
/// Uploads happen at the start, when the app comes back to the foreground, and when the person consents, if the last one that
/// succeeded is older than the interval, in this process or an earlier one; a person's and a target's are counted apart. What
/// fails is tried again at the next of these. Nothing is sent, and nothing asked of the back-end, before the person consented.
///
/// One broker works for a ``Usage``: the one that was started last. Any thread may call.
open class UsageBroker {
    /// Why a broker was not started.
    public enum UsageBrokerError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The person's store cannot be opened; a `Diagnostic` says why.
        case usageStoreInit
        /// The target has no reporter: the usage was started over meanwhile.
        case reporterInit
        /// The back-end's address is none, or the application's id is empty.
        case invalidUploadUrl
        /// The store in use is another person's than the one named, or nobody is known.
        case invalidUploadOnboardingID

        /// A sentence for people.
        public var description: String {
            switch self {
            case .usageStoreInit: "the person's store cannot be opened"
            case .reporterInit: "the target has no reporter: the usage was started over"
            case .invalidUploadUrl: "the back-end's address cannot be used, or the application's id is empty"
            case .invalidUploadOnboardingID: "the store in use is another person's, or nobody is known"
            }
        }
    }

    /// The broker that an app shares.
    open class var shared: UsageBroker { Usage.shared.core.sharedBroker }

    private weak let core: UsageCore?
    private let choices = Locked(UsageBrokerChoices())
    private let driver = Locked<UsageBrokerDriver?>(nil)
    private let given = Locked(Given())

    /// What counts with the next start.
    private struct Given: Sendable {
        var store: StoreAccess?
        var onboardingID: UUID?
    }

    /// A broker for the shared ``Usage``.
    public convenience init() {
        self.init(of: Usage.shared.core)
    }

    init(of core: UsageCore) {
        self.core = core
    }

    // MARK: Settings

    /// The store that ``start(settingsParameters:target:)`` puts in use, unless one is in use already; nil for the default
    /// store of ``onboardingID``.
    public final var store: (any UsageStoring)? {
        get { given.withLock { $0.store }?.object }
        set {
            let access = newValue.map { StoreAccess($0) }
            given.withLock { $0.store = access }
        }
    }

    /// The person, as onboarding named them; nil while nobody is known.
    public final var onboardingID: UUID? {
        get { given.withLock { $0.onboardingID } }
        set { given.withLock { $0.onboardingID = newValue } }
    }

    /// Whether a session begins when the app comes to the foreground, and ends when it leaves; false by default. Counts at
    /// once.
    public final var injectOSlifecycleSession: Bool {
        get { choices.withLock { $0.settings.injectsSessions } }
        set { choices.withLock { $0.settings.injectsSessions = newValue } }
    }

    /// Whether the back-end's policy is asked for at every occasion and counts: its days in place of ``uploadInterval``, and
    /// whether anything is collected. False by default. What was told last counts without a network, too. Counts at once.
    public final var enableServerOverride: Bool {
        get { choices.withLock { $0.settings.followsServer } }
        set { choices.withLock { $0.settings.followsServer = newValue } }
    }

    /// Days from one upload to the next; 0, the default, for none by itself. Less than 0 counts as 0, more than 36,500 as
    /// that, with a `Diagnostic`. Counts at once.
    public final var uploadInterval: Int {
        get { choices.withLock { $0.settings.days } }
        set {
            let days = UsageBrokerMachine.Settings.bounded(newValue)
            choices.withLock { $0.settings.days = days }
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

    /// How requests are sent. Counts at once, so that a token can be renewed.
    public final var sapURLSession: SAPURLSession {
        get { choices.withLock { $0.session } }
        set { choices.withLock { $0.session = newValue } }
    }

    // MARK: Working

    /// Begins to look after the use of an application; a broker that was started before, this one or another, stops first.
    ///
    /// - Parameters:
    ///   - settingsParameters: the application and its back-end.
    ///   - target: whose records are uploaded, and where sessions are reported.
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
        let given = given.withLock { $0 }
        let known = core.access?.storageID ?? given.store?.storageID
        if let person = given.onboardingID, let known, known != person.uuidString {
            throw UsageBrokerError.invalidUploadOnboardingID
        }
        let fresh: UsageBrokerDriver
        do throws(TrackwayError) {
            if core.access == nil {
                let store: any UsageStoring
                if let own = given.store {
                    store = own.object
                } else {
                    store = try UsageStore(core.environment.folder, given.onboardingID, in: core.environment)
                }
                core.configure(store, retains: false, application: nil)
            }
            fresh = try UsageBrokerDriver(settingsParameters, target: target, choices, of: core)
        } catch {
            core.environment.report(error, in: "start(settingsParameters:)")
            throw UsageBrokerError.usageStoreInit
        }
        let own = driver.withLock { driver in
            defer { driver = fresh }
            return driver
        }
        let former = core.exchange(broker: fresh)
        former?.stop()
        if let former, former !== own { core.environment.report(.brokerReplaced) }
        fresh.start()
    }

    /// Does no more: ends the session that the app's life began, and uploads nothing by itself until it is started again.
    open func stop() {
        guard let core, let driver = driver.withLock({ $0 }) else { return }
        core.end(broker: driver)
    }

    /// Uploads now, whatever the interval says.
    ///
    /// - Parameter completionHandler: is called once, on a thread of the module's, with an
    ///   ``SAPcpmsUsageUploader/UploadError``, a ``UsageBrokerError`` when the broker was not started or nobody is known, or
    ///   nil.
    open func upload(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void = SAPcpmsUsageUploader.defaultCompletionHandler
    ) {
        guard let driver = driver.withLock({ $0 }) else { return completionHandler(UsageBrokerError.reporterInit) }
        guard core?.userID != nil else { return completionHandler(UsageBrokerError.invalidUploadOnboardingID) }
        driver.upload(completionHandler)
    }

    /// Has a policy count that the app got with other settings, as if the back-end had been asked. Nothing happens unless
    /// ``enableServerOverride`` is true.
    open func apply(_ policy: SAPcpmsUsagePolicy) {
        guard enableServerOverride else { return }
        driver.withLock { $0 }?.policyArrived(policy)
    }

    /// Whether nothing is under way.
    final var isResting: Bool { driver.withLock { $0 }?.isResting ?? true }

    /// Tells what the system does with the app, on systems that are not followed.
    public final func lifeCycleChanged(to change: LifeCycleChange) {
        driver.withLock { $0 }?.lifeCycleChanged([change])
    }
}

/// What the app chose for a broker, and what counts at once when it changes.
struct UsageBrokerChoices: Sendable {
    /// The machine's settings.
    var settings = UsageBrokerMachine.Settings()
    /// How requests are sent.
    var session = SAPURLSession()
}

extension Diagnostic {
    fileprivate static let brokerReplaced = Diagnostic(
        code: .usageBrokerReplaced,
        field: "start(settingsParameters:)",
        value: "UsageBroker",
        message: "Another UsageBroker was started, so the previous one does nothing more. Only the one started last "
            + "works.",
        recoverySuggestion: "Stop the previous broker first."
    )
}
