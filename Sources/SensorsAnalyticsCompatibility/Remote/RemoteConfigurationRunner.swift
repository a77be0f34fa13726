// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayLifecycle

/// Runs ``SensorsAnalyticsRemoteConfigStateMachine``: requests, saves and applies the remote configuration.
final class RemoteConfigurationRunner: Sendable {
    private let environment: ExtensionEnvironment
    private let url: String?
    private let machine: Locked<SensorsAnalyticsRemoteConfigStateMachine>
    private let isInBackground = Locked(false)
    private let task = Locked<Task<Void, Never>?>(nil)

    private static let file = "sensors-analytics-remote"
    private static let timeout = Duration.seconds(30)

    /// Creates a runner that continues from saved state.
    ///
    /// - Parameters:
    ///   - analytics: The analytics whose environment is used.
    ///   - url: The address of the configuration; empty for the default address.
    init(_ analytics: Analytics, url: String) {
        environment = analytics.delivery.environment
        self.url = url.isEmpty ? nil : url
        let saved = environment.contents(of: Self.file).flatMap {
            // A configuration that cannot be decoded is requested again.
            try? JSONDecoder().decode(SensorsAnalyticsRemoteConfigStateMachine.self, from: Data($0))
        }
        machine = Locked(saved ?? SensorsAnalyticsRemoteConfigStateMachine())
    }

    deinit {
        task.withLock { $0?.cancel() }
    }

    /// Starts observing the lifecycle, and handles the launch of the app.
    func start(_ sdk: SensorsAnalyticsSDK) {
        sdk.analytics.observeLifecycle { [weak self, weak sdk] changes in
            guard let self, let sdk else { return }
            self.lifecycleChanged(changes, sdk)
        }
        report(sdk) { machine, now, environment in machine.appStarted(boot: environment.boot, at: now) }
    }

    /// Requests the configuration now.
    func requestConfiguration(_ sdk: SensorsAnalyticsSDK) {
        report(sdk) { machine, _, _ in machine.updateRequested() }
    }

    private func lifecycleChanged(_ changes: [LifecycleChange], _ sdk: SensorsAnalyticsSDK) {
        for change in changes {
            switch change {
            case .didEnterBackground, .willSuspend, .willTerminate:
                isInBackground.withLock { $0 = true }
                task.withLock { $0?.cancel() }
                report(sdk) { machine, _, _ in machine.appLeft() }
            case .didBecomeActive:
                let wasInBackground = isInBackground.withLock { isInBackground in
                    defer { isInBackground = false }
                    return isInBackground
                }
                guard wasInBackground else { continue }
                report(sdk) { machine, now, environment in machine.appReturned(boot: environment.boot, at: now) }
            case .didFinishLaunching, .willResignActive, .willEnterForeground:
                continue
            }
        }
    }

    // MARK: Performing actions

    /// Passes an input to the state machine, then performs the actions.
    ///
    /// The machine's lock is held only during the input.
    private func report(
        _ sdk: SensorsAnalyticsSDK,
        _ input: (inout SensorsAnalyticsRemoteConfigStateMachine, MonotonicTime, ExtensionEnvironment) ->
            [SensorsAnalyticsRemoteConfigStateMachine
            .Action]
    ) {
        let now = environment.now
        let environment = environment
        let actions = machine.withLock { input(&$0, now, environment) }
        for action in actions {
            switch action {
            case .apply:
                // Apply the current configuration, so that the later of two racing changes wins.
                sdk.applyRemoteConfiguration(machine.withLock { $0.effective })
            case .request(let known):
                request(known, sdk)
            case .pause(let duration):
                pause(duration, sdk)
            case .recordChange(let configuration):
                sdk.recordAfterLaunch(
                    SA_EVENT_NAME_APP_REMOTE_CONFIG_CHANGED,
                    [SA_EVENT_PROPERTY_APP_REMOTE_CONFIG: .string(String(decoding: configuration.json, as: UTF8.self))]
                )
                sdk.flushAfterLaunch()
            case .save:
                // Save only after the change was recorded, which waits for the launch of the app.
                sdk.analytics.afterLaunch { [weak self] in self?.save() }
            }
        }
    }

    private func request(_ known: SensorsAnalyticsRemoteConfiguration?, _ sdk: SensorsAnalyticsSDK) {
        let request = SensorsAnalyticsRemoteExchange.request(
            serverURL: sdk.serverUrl(),
            configurationURL: url,
            appID: environment.appID,
            known: known
        )
        startTask { [weak self, weak sdk, environment] in
            let answer = await Self.response(to: request, environment)
            guard !Task.isCancelled, let self, let sdk else { return }
            let randomFraction = environment.randomFraction()
            self.report(sdk) { machine, now, environment in
                machine.responseReceived(answer, boot: environment.boot, at: now, randomFraction: randomFraction)
            }
        }
    }

    private static func response(
        to request: WireRequest?,
        _ environment: ExtensionEnvironment
    ) async -> SensorsAnalyticsRemoteExchange.Answer {
        guard let request else { return .failed(reason: "The server's address is invalid.") }
        do throws(TransportError) {
            let response = try await environment.transport.send(request, timeout: timeout)
            return SensorsAnalyticsRemoteExchange.answer(in: response, to: request)
        } catch {
            return .failed(reason: "\(error)")
        }
    }

    private func pause(_ duration: Duration, _ sdk: SensorsAnalyticsSDK) {
        let end = environment.now.advanced(by: duration)
        startTask { [weak self, weak sdk, environment] in
            await environment.sleep(until: end)
            guard !Task.isCancelled, let self, let sdk else { return }
            self.report(sdk) { machine, _, _ in machine.pauseEnded() }
        }
    }

    /// Starts an operation; only one is in progress at a time.
    ///
    /// The operation ends when it completes, when the app leaves the foreground, or when the runner is released.
    private func startTask(_ body: @escaping @Sendable () async -> Void) {
        task.withLock { $0 = Task { await body() } }
    }

    private func save() {
        let state = machine.withLock { $0 }
        // Encoding always succeeds; if it failed, the configuration would be requested again at the next launch.
        guard let bytes = try? JSONEncoder().encode(state) else { return }
        environment.store([UInt8](bytes), as: Self.file)
    }
}
