// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
public import Trackway
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

extension SimulatedDevice {
    // MARK: Starting

    /// Launches the app, which must not be running.
    ///
    /// The system reports: did finish launching, did become active.
    ///
    /// - Parameter initialisation: When the app creates its analytics.
    /// - Returns: The app's analytics.
    @discardableResult
    public func launch(
        initialising initialisation: SimulatedInitialization = .duringLaunch
    ) async throws(SimulatedDeviceError) -> Analytics {
        try await launch("launch", as: .inactive, initialisation) { device in
            device.post(.didBecomeActive)
            device.app(is: .active)
        }
    }

    /// Launches the app in the background; it must not be running.
    ///
    /// The system launches an app like this for a push message, or to fetch data. It reports: did finish launching.
    ///
    /// - Parameter initialisation: When the app creates its analytics.
    /// - Returns: The app's analytics.
    @discardableResult
    public func launchInBackground(
        initialising initialisation: SimulatedInitialization = .duringLaunch
    ) async throws(SimulatedDeviceError) -> Analytics {
        try await launch("launchInBackground", as: .background, initialisation) { _ in }
    }

    /// Opens the app.
    ///
    /// An app that is not running is launched as by ``launch(initialising:)``. Otherwise, the app returns to the
    /// foreground, and the system reports: will enter foreground, did become active.
    public func open() async throws(SimulatedDeviceError) {
        if app == .notRunning {
            try await launch()
            return
        }
        try check("open", [.notRunning, .background, .suspended])
        post(.willEnterForeground)
        app(is: .inactive)
        post(.didBecomeActive)
        app(is: .active)
        await settle()
    }

    // MARK: Installing

    /// Installs the app again after ``uninstall()``.
    public func install() throws(SimulatedDeviceError) {
        try check("install", [.notInstalled])
        app(is: .notRunning)
    }

    /// Uninstalls the app in any state.
    ///
    /// Its process ends without notification, and its files are deleted.
    public func uninstall() throws(SimulatedDeviceError) {
        try check("uninstall", Set(SimulatedAppState.allCases).subtracting([.notInstalled]))
        endProcess { _ in MemoryStorage(remembersRemoved: true) }
        app(is: .notInstalled)
    }

    /// Installs a new version of the app; a running app is killed.
    public func upgradeApp(to version: String) throws(SimulatedDeviceError) {
        try check("upgradeApp", Set(SimulatedAppState.allCases).subtracting([.notInstalled]))
        endProcess { $0.afterKill() }
        app(is: .notRunning)
        state.withLock { $0.appVersion = version }
    }

    // MARK: Helpers

    private func launch(
        _ step: String,
        as launchState: SimulatedAppState,
        _ initialisation: SimulatedInitialization,
        _ becomeActive: (SimulatedDevice) -> Void
    ) async throws(SimulatedDeviceError) -> Analytics {
        try check(step, [.notRunning])
        app(is: launchState)
        switch initialisation {
        case .duringLaunch:
            try startProcess(step)
            post(.didFinishLaunching)
            becomeActive(self)
        case .onAnotherThread:
            // The other thread has only just started, so no observer exists yet and this notification is missed.
            post(.didFinishLaunching)
            try await startProcessOnAnotherThread(step).get()
            becomeActive(self)
        case .late(let delay):
            post(.didFinishLaunching)
            becomeActive(self)
            wait(delay)
            try startProcess(step)
        }
        guard let analytics else { throw SimulatedDeviceError(step: step, in: app, needs: [.active]) }
        await settle()
        return analytics
    }

    private func startProcessOnAnotherThread(_ step: String) async -> Result<Void, SimulatedDeviceError> {
        await withCheckedContinuation { made in
            DispatchQueue(label: "trackway.simulated-app").async {
                do throws(SimulatedDeviceError) {
                    try self.startProcess(step)
                    made.resume(returning: .success(()))
                } catch {
                    made.resume(returning: .failure(error))
                }
            }
        }
    }

    /// Creates the app's analytics.
    ///
    /// If the creation fails, the app's process ends, and the error is thrown.
    private func startProcess(_ step: String) throws(SimulatedDeviceError) {
        let (environment, version) = state.withLock { state -> (Dependencies, String) in
            state.processes += 1
            return (Self.dependencies(state, appID: appID, sensors), state.appVersion)
        }
        let process: SimulatedProcess
        do throws(TrackwayError) {
            process = try SimulatedProcess(
                in: environment,
                simulatedNetwork,
                adapt: adaptation(version),
                making: making
            )
        } catch {
            app(is: .notRunning)
            throw SimulatedDeviceError(step: step, error)
        }
        let writer = process.analytics.storage.journal.writer
        state.withLock { state in
            state.process = process
            state.history.began(writer)
        }
        startTicking()
        setUp(process.analytics)
    }

    /// Adapts a configuration to the app's version, and collects its diagnostics.
    private func adaptation(_ version: String) -> @Sendable (inout Configuration) -> Void {
        let state = state
        return { configuration in
            let handler = configuration.onDiagnostic
            configuration.appVersion = version
            configuration.onDiagnostic = { diagnostic in
                state.withLock { $0.diagnostics.append(diagnostic) }
                handler?(diagnostic)
            }
        }
    }

    private static func dependencies(_ state: State, appID: String, _ sensors: SimulatedSensors) -> Dependencies {
        var environment = Dependencies(
            clock: state.clock,
            ids: EventIDGenerator(),
            storage: state.storage,
            folder: folder,
            segmentBytes: 65_536,
            transport: ScriptedTransport(),
            sleeper: ManualSleeper(state.clock),
            // This clock never moves: the device performs the paced work itself, so that the work is complete when a
            // step returns.
            pacer: ManualSleeper(ManualClock(monotonic: MonotonicTime(milliseconds: .min))),
            random: SeededGenerator(seed: UInt64(state.processes)),
            facts: ContextFacts(
                app: ["id": .string(appID), "version": .string(state.appVersion)],
                device: ["platform": "Simulated", "os_version": .string(state.systemVersion)],
                boot: "boot-\(state.boots)"
            ),
            log: { _ in },
            write: { _ in },
            launchState: state.app.appState
        )
        environment.snapshotSources = sensors.sources
        environment.sourceThread = { sensors.thread(for: $0) }
        return environment
    }
}

extension SimulatedAppState {
    /// The corresponding state of the lifecycle state machines.
    fileprivate var appState: AppState {
        switch self {
        case .notInstalled, .notRunning: .notRunning
        case .inactive: .inactive
        case .active: .active
        case .background: .background
        case .suspended: .suspended
        }
    }
}

/// When, and on which thread, a simulated app creates its analytics.
public enum SimulatedInitialization: Sendable, Hashable {
    /// During launch, as in most apps.
    ///
    /// The system reports afterward that the launch has finished.
    case duringLaunch
    /// During launch, on another thread.
    case onAnotherThread
    /// At this interval after the system reported the launch.
    ///
    /// The analytics miss that report. For example, an app first requests an address from its servers.
    case late(Duration)
}
