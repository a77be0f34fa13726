// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayPlatform

/// Performs the actions of a started broker's state machine.
///
/// A runner is active until it is stopped or another broker is started. Thread-safe.
final class UsageBrokerRunner: Sendable {
    private static let timeout = Duration.seconds(30)

    private let parameters: SAPcpmsSettingsParameters
    private let target: String
    /// The app's current settings.
    private let options: Locked<UsageBrokerOptions>
    private let dependencies: Dependencies
    private let file: StateFile<UsageBrokerStateMachine.Memory>
    private let machine: Locked<UsageBrokerStateMachine>
    private weak let core: UsageCore?
    private let observation = Locked<(any Sendable)?>(nil)
    private let request = Locked<Task<Void, Never>?>(nil)
    private let isStopped = Locked(false)

    /// Creates a runner that continues from an earlier process's saved state.
    ///
    /// The runner does nothing before ``start()``.
    init(
        _ parameters: SAPcpmsSettingsParameters,
        target: String,
        _ options: Locked<UsageBrokerOptions>,
        of core: UsageCore
    ) throws(TrackwayError) {
        self.parameters = parameters
        self.target = target
        self.options = options
        self.core = core
        dependencies = try core.environment.dependencies()
        file = StateFile("broker", in: dependencies.folder, of: dependencies.storage, format: .json)
        machine = Locked(
            UsageBrokerStateMachine(isInForeground: [.active, .inactive].contains(dependencies.launchState))
        )
    }

    deinit {
        request.withLock { $0?.cancel() }
    }

    /// Starts observing the lifecycle, and handles the start of the broker.
    func start() {
        let observed = dependencies.observeLifecycle { [weak self] changes, moment in
            self?.lifecycleChanged(changes)
            // All state to be saved has been written at this point.
            moment?.finish()
        }
        observation.withLock { $0 = observed }
        report { $0.start($1) }
    }

    /// Ends the session that the lifecycle began, and stops the runner.
    func stop() {
        report { $0.leaveForeground($1) }
        isStopped.withLock { $0 = true }
        observation.withLock { $0 = nil }
        request.withLock { $0?.cancel() }
    }

    /// Handles changes in the app's lifecycle.
    func lifecycleChanged(_ changes: [LifecycleChange]) {
        for change in changes {
            switch change {
            case .willEnterForeground, .didBecomeActive: report { $0.enterForeground($1) }
            case .didEnterBackground, .willSuspend, .willTerminate: report { $0.leaveForeground($1) }
            case .didFinishLaunching, .willResignActive: continue
            }
        }
    }

    /// Handles a change to the data collection or consent decisions.
    func decisionsChanged() {
        report { $0.decisionsChanged($1) }
    }

    /// Handles a policy that the app received.
    func apply(_ policy: SAPcpmsUsagePolicy) {
        report { $0.policyRequestFinished(with: policy, $1) }
    }

    /// Uploads immediately.
    func upload(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
        guard let core else { return completion(UsageBroker.UsageBrokerError.usageStoreInit) }
        let upload = SAPcpmsUpload(to: destination, by: options.withLock { $0.session }, of: target, from: core)
        upload.begin(nil) { [weak self] error in
            self?.report { $0.uploadFinished(isSuccess: error == nil, $1) }
            completion(error)
        }
    }

    /// Whether no operation is in progress and the state is saved.
    var isIdle: Bool {
        let machine = machine.withLock { $0 }
        return machine.isIdle && machine.memory == file.storedValue ?? .init()
    }

    // MARK: Performing actions

    private var destination: SAPMobileServicesDestination {
        SAPMobileServicesDestination(
            backendURL: parameters.backendURL.absoluteString,
            applicationID: parameters.applicationID,
            headers: options.withLock { $0.session.headers }
        )
    }

    /// Passes an input to the state machine, then performs the actions.
    ///
    /// The machine's lock is held only while the input is processed.
    private func report(
        _ input: (inout UsageBrokerStateMachine, UsageBrokerStateMachine.Conditions) -> [UsageBrokerStateMachine
            .Action]
    ) {
        guard let core, !isStopped.withLock({ $0 }) else { return }
        let saved = file.storedValue
        let now = conditions(core)
        let actions = machine.withLock { machine in
            if let saved { machine.merge(saved) }
            return input(&machine, now)
        }
        for action in actions { perform(action, core) }
    }

    private func conditions(_ core: UsageCore) -> UsageBrokerStateMachine.Conditions {
        let (decisions, userID) = (core.decisions, core.canonicalUserID)
        return UsageBrokerStateMachine.Conditions(
            now: core.environment.now.date.timeIntervalSinceReferenceDate,
            source: "\(userID ?? Usage.unattributedStorageID)/\(target)",
            settings: options.withLock { $0.settings },
            canStore: core.access != nil && decisions.dropReason(for: userID) == nil,
            canRequest: core.userConsent,
            canSend: core.outputEnabled,
            hasSession: core.hasSession(of: target)
        )
    }

    private func perform(_ action: UsageBrokerStateMachine.Action, _ core: UsageCore) {
        switch action {
        case .requestPolicy:
            requestPolicy(core)
        case .apply(let policy):
            if core.decisions.collection != policy.dataCollectionEnabled {
                let injects = options.withLock { $0.settings.injectsSessions }
                if !policy.dataCollectionEnabled, injects, core.hasSession(of: target) { perform(.endSession, core) }
                core.setCollection(policy.dataCollectionEnabled)
            }
            report { $0.policyApplied($1) }
        case .upload:
            upload { [weak core] error in
                switch error as? SAPcpmsUsageUploader.UploadError {
                // There is nothing to upload, or the app is already uploading.
                case nil, .noData, .uploadInProgress: break
                case let error?: core?.environment.report(uploadFailed: error)
                }
            }
        case .save:
            save(core)
        case .beginSession:
            let start = core.environment.sessionStart(
                application: parameters.applicationID,
                version: parameters.applicationVersion
            )
            core.reporter(for: target, injects: true).report(start)
        case .endSession:
            core.reporter(for: target, injects: true)
                .report(UsageRecord(.sessionEnd, date: core.environment.now.date))
        }
    }

    private func requestPolicy(_ core: UsageCore) {
        let request: WireRequest
        do throws(WireEncodingError) {
            request = try destination.settingsRequest()
        } catch {
            core.environment.report(uploadFailed: SAPcpmsUsageUploader.UploadError.invalidEndpoint(error.message))
            return report { $0.policyRequestFinished(with: nil, $1) }
        }
        guard let base = options.withLock({ $0.session.transport }) ?? core.environment.transport else {
            return report { $0.policyRequestFinished(with: nil, $1) }
        }
        // Consent may be withdrawn while the request waits to be sent.
        let transport = PermittedTransport(base) { [weak core] in core?.userConsent ?? false }
        let task = Task { [weak self] in
            let policy: SAPcpmsUsagePolicy?
            do throws(TransportError) {
                let answer = try await transport.send(request, timeout: Self.timeout)
                policy = answer.isSuccess ? SAPcpmsUsagePolicy(SAPMobileServicesPolicy(answer: answer)) : nil
            } catch {
                // No network: the known policy stays in effect, and the next occasion requests it again.
                policy = nil
            }
            self?.report { $0.policyRequestFinished(with: policy, $1) }
        }
        self.request.withLock { $0 = task }
    }

    private func save(_ core: UsageCore) {
        do throws(StorageError) {
            let hasLock = try file.exclusively(.few) { () throws(StorageError) in
                var memory = machine.withLock { $0.memory }
                // Keep the upload times of other users and targets that another process has just saved.
                memory.merge(file.storedValue?.uploads.filter { memory.uploads[$0.key] == nil } ?? [:])
                try dependencies.storage.makeFolder(dependencies.folder)
                try file.write(memory)
            }
            guard hasLock else { throw file.lockUnavailable }
        } catch {
            core.environment.report(
                Diagnostic(
                    code: .usageStateNotKept,
                    field: "UsageBroker",
                    value: "\(error)",
                    message: "The time of the upload could not be saved (\(error)). The next process may upload "
                        + "earlier than due.",
                    recoverySuggestion: "Make the folder writable."
                )
            )
        }
    }
}

extension WireResponse {
    /// Whether the response is a success and not an intermediary's web page.
    fileprivate var isSuccess: Bool { (200..<300).contains(status) && !isWebPage }
}
