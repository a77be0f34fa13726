// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
public import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal

extension SimulatedDevice {
    // MARK: Starting

    /// The person starts the app, which does not run. The system says: did finish launching, did become active.
    ///
    /// - Parameter initialisation: when the app makes its analytics.
    /// - Returns: What the app works with.
    @discardableResult
    public func launch(
        initialising initialisation: SimulatedInitialisation = .duringLaunch
    ) async throws(SimulatedDeviceError) -> Analytics {
        try await launch("launch", as: .inactive, initialisation) { device in
            device.post(.didBecomeActive)
            device.app(is: .active)
        }
    }

    /// The system starts the app, which does not run, unseen: for a push message, or to fetch something. The system says:
    /// did finish launching.
    ///
    /// - Parameter initialisation: when the app makes its analytics.
    /// - Returns: What the app works with.
    @discardableResult
    public func launchInBackground(
        initialising initialisation: SimulatedInitialisation = .duringLaunch
    ) async throws(SimulatedDeviceError) -> Analytics {
        try await launch("launchInBackground", as: .background, initialisation) { _ in }
    }

    /// The person opens the app: starts it when it does not run, as ``launch(initialising:)`` does, and brings it back
    /// when it does. The system then says: will enter foreground, did become active.
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

    /// The person installs the app again, after ``uninstall()``.
    public func install() throws(SimulatedDeviceError) {
        try check("install", [.notInstalled])
        app(is: .notRunning)
    }

    /// The person deletes the app, whatever it is doing: its process ends without a word, and its files are gone.
    public func uninstall() throws(SimulatedDeviceError) {
        try check("uninstall", Set(SimulatedAppState.allCases).subtracting([.notInstalled]))
        endProcess { _ in MemoryStorage(remembersRemoved: true) }
        app(is: .notInstalled)
    }

    /// The store brings a new version of the app; a running one is killed for it.
    public func upgradeApp(to version: String) throws(SimulatedDeviceError) {
        try check("upgradeApp", Set(SimulatedAppState.allCases).subtracting([.notInstalled]))
        endProcess { $0.afterKill() }
        app(is: .notRunning)
        state.withLock { $0.appVersion = version }
    }

    // MARK: Parts

    private func launch(
        _ step: String,
        as launchState: SimulatedAppState,
        _ initialisation: SimulatedInitialisation,
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
            // Nobody hears this one: the thread has only begun.
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

    /// The app makes its analytics. When that fails it does not go on: a test that sees the error has seen enough.
    private func startProcess(_ step: String) throws(SimulatedDeviceError) {
        let (environment, version) = state.withLock { state -> (Dependencies, String) in
            state.processes += 1
            return (Self.dependencies(state, appID: appID, sensors), state.appVersion)
        }
        let process: SimulatedProcess
        do throws(TrackwayError) {
            process = try SimulatedProcess(in: environment, air, adapt: adaptation(version), making: making)
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

    /// Makes a configuration that of the app in this version, whose diagnostics the device hears.
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
            // The device does it itself, so that it is done when a step is.
            pacer: ManualSleeper(ManualClock(monotonic: MonotonicTime(milliseconds: .min))),
            random: SeededGenerator(seed: UInt64(state.processes)),
            facts: ContextFacts(
                app: ["id": .string(appID), "version": .string(state.appVersion)],
                device: ["platform": "Simulated", "os_version": .string(state.systemVersion)],
                boot: "boot-\(state.boots)"
            ),
            log: { _ in },
            write: { _ in },
            launchState: state.app.behavior
        )
        environment.snapshotSources = sensors.sources
        environment.sourceThread = { sensors.thread(for: $0) }
        return environment
    }
}

extension SimulatedAppState {
    /// The same in the words of the behaviour machines.
    fileprivate var behavior: AppState {
        switch self {
        case .notInstalled, .notRunning: .notRunning
        case .inactive: .inactive
        case .active: .active
        case .background: .background
        case .suspended: .suspended
        }
    }
}

/// When, and on which thread, the app on a ``SimulatedDevice`` makes its analytics.
public enum SimulatedInitialisation: Sendable, Hashable {
    /// While it is being launched, before the system says that it has been: what most apps do.
    case duringLaunch
    /// While it is being launched, on a thread of its own.
    case onAnotherThread
    /// So long after the system said that the app has been launched, so that nobody heard it: as apps do that first ask
    /// their servers for an address.
    case late(Duration)
}
