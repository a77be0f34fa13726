// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayBehavior
internal import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayWire

/// Runs ``SensorsAnalyticsRemoteConfigStateMachine``: requests, saves and applies the remote configuration.
final class RemoteConfigurationRunner: Sendable {
    private let environment: ExtensionEnvironment
    private let place: String?
    private let machine: Locked<SensorsAnalyticsRemoteConfigStateMachine>
    private let isAway = Locked(false)
    private let work = Locked<Task<Void, Never>?>(nil)

    private static let file = "sensors-analytics-remote"
    private static let timeout = Duration.seconds(30)

    /// Creates a runner that continues from saved state.
    ///
    /// - Parameters:
    ///   - analytics: the analytics whose environment is used.
    ///   - place: the address of the configuration; empty for the default address.
    init(_ analytics: Analytics, place: String) {
        environment = analytics.delivery.environment
        self.place = place.isEmpty ? nil : place
        let kept = environment.contents(of: Self.file).flatMap {
            // A configuration that cannot be decoded is requested again.
            try? JSONDecoder().decode(SensorsAnalyticsRemoteConfigStateMachine.self, from: Data($0))
        }
        machine = Locked(kept ?? SensorsAnalyticsRemoteConfigStateMachine())
    }

    deinit {
        work.withLock { $0?.cancel() }
    }

    /// Starts observing the lifecycle, and handles the launch of the app.
    func start(_ sdk: SensorsAnalyticsSDK) {
        sdk.analytics.followLifeCycle { [weak self, weak sdk] changes in
            guard let self, let sdk else { return }
            self.lifeCycleChanged(changes, sdk)
        }
        report(sdk) { machine, now, environment in machine.started(boot: environment.boot, at: now) }
    }

    /// Requests the configuration now.
    func ask(_ sdk: SensorsAnalyticsSDK) {
        report(sdk) { machine, _, _ in machine.asked() }
    }

    private func lifeCycleChanged(_ changes: [LifeCycleChange], _ sdk: SensorsAnalyticsSDK) {
        for change in changes {
            switch change {
            case .didEnterBackground, .willSuspend, .willTerminate:
                isAway.withLock { $0 = true }
                work.withLock { $0?.cancel() }
                report(sdk) { machine, _, _ in machine.left() }
            case .didBecomeActive:
                let wasAway = isAway.withLock { isAway in
                    defer { isAway = false }
                    return isAway
                }
                guard wasAway else { continue }
                report(sdk) { machine, now, environment in machine.returned(boot: environment.boot, at: now) }
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
                sdk.remoteChanged(to: machine.withLock { $0.effective })
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
            place: place,
            appID: environment.appID,
            known: known
        )
        begin { [weak self, weak sdk, environment] in
            let answer = await Self.answer(to: request, environment)
            guard !Task.isCancelled, let self, let sdk else { return }
            let chance = environment.chance()
            self.report(sdk) { machine, now, environment in
                machine.answered(answer, boot: environment.boot, at: now, chance: chance)
            }
        }
    }

    private static func answer(
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
        begin { [weak self, weak sdk, environment] in
            await environment.sleep(until: end)
            guard !Task.isCancelled, let self, let sdk else { return }
            self.report(sdk) { machine, _, _ in machine.pauseEnded() }
        }
    }

    /// Starts an operation; only one is in progress at a time.
    ///
    /// It ends when it is done, when the app leaves the foreground, or with the runner.
    private func begin(_ body: @escaping @Sendable () async -> Void) {
        work.withLock { $0 = Task { await body() } }
    }

    private func save() {
        let state = machine.withLock { $0 }
        // Encoding succeeds; if it did not, the configuration would be requested again at the next launch.
        guard let bytes = try? JSONEncoder().encode(state) else { return }
        environment.keep([UInt8](bytes), as: Self.file)
    }
}
