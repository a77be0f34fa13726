// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The state machine that detects starts and exits of the app.
///
/// A foreground period begins with one start and ends with one exit, however many times the system announces them.
/// The start is cold or hot. A start in the background is reported too, without an exit. A start whose reason is still
/// unknown is pending. It is reported once the app is in the foreground, or once it is known that the user did not open
/// the app. The state outlives the process, so the exit of a killed process is reported at the next start.
package struct LaunchMachine: Sendable, Equatable, Codable {
    /// An action for the coordinator.
    package enum Action: Sendable, Equatable {
        /// Report a start.
        case start(Start)
        /// Report an exit.
        case exit(Exit)
    }

    /// One start of the app.
    package struct Start: Sendable, Equatable {
        /// The kind of start.
        package var kind: StartKind
        /// Whether this is the process's first start visible to the user.
        package var isFirstOfProcess: Bool
        /// Whether this is the first start of the installation.
        package var isFirstEver: Bool
        /// Whether the process was in the background before.
        package var resumedFromBackground: Bool

        /// Creates a start.
        package init(kind: StartKind, isFirstOfProcess: Bool, isFirstEver: Bool, resumedFromBackground: Bool) {
            self.kind = kind
            self.isFirstOfProcess = isFirstOfProcess
            self.isFirstEver = isFirstEver
            self.resumedFromBackground = resumedFromBackground
        }
    }

    /// One exit of the app: the end of a foreground period.
    package struct Exit: Sendable, Equatable {
        /// The duration of the period, including time without events.
        package var duration: Duration
        /// The time at which the period ended.
        package var at: DeviceTime
        /// Whether the exit is reported late, because the process was killed.
        package var isRecovered: Bool

        /// Creates an exit.
        package init(duration: Duration, at: DeviceTime, isRecovered: Bool) {
            self.duration = duration
            self.at = at
            self.isRecovered = isRecovered
        }
    }

    private enum State: Sendable, Equatable, Codable {
        /// The last process ended normally, or no process has ever started.
        case notRunning
        /// The process is running for an unknown reason, and nothing was reported.
        case pending
        /// The app is in the foreground.
        case foreground(ForegroundPeriod)
        /// The process is running or suspended in the background.
        ///
        /// It was launched in the background or moved to it.
        case background(isSuspended: Bool)
        /// The system announced, usually as its last report, that the process ends.
        case ending
    }

    private struct ForegroundPeriod: Sendable, Equatable, Codable {
        var since: DeviceTime
        /// The last time the process was known to run.
        ///
        /// If the process is killed, this is the time of the exit.
        var lastAlive: DeviceTime
        var isActive: Bool
    }

    private var state = State.notRunning
    private var hasEverStarted = false
    /// Whether this process has been visible to the user.
    private var hasBeenSeen = false

    /// Creates a machine for a new installation.
    package init() {}

    /// Creates a machine for a new installation that follows an older SDK.
    ///
    /// - Parameter wasStarted: Whether the older SDK recorded a start of the app.
    init(wasStarted: Bool) {
        hasEverStarted = wasStarted
    }

    /// The last known state of the app.
    package var appState: AppState {
        switch state {
        case .notRunning, .ending: .notRunning
        case .pending: .background
        case .foreground(let period): period.isActive ? .active : .inactive
        case .background(let isSuspended): isSuspended ? .suspended : .background
        }
    }

    /// Whether the app is in the foreground.
    package var isInForeground: Bool {
        if case .foreground = state { true } else { false }
    }

    /// Whether a start has not been reported yet.
    package var isPending: Bool { state == .pending }

    // MARK: Inputs

    /// Handles a process that began in this state, now or earlier.
    ///
    /// - Parameter isPending: Whether the reason for the launch is still undecided.
    package mutating func processStarted(
        in appState: AppState,
        isPending: Bool = false,
        at now: DeviceTime
    ) -> [Action] {
        var actions: [Action] = []
        if case .foreground(let period) = state {
            // The previous process ended without notice.
            actions.append(.exit(Self.exit(of: period, at: period.lastAlive, isRecovered: true)))
        }
        hasBeenSeen = false
        if isPending {
            state = .pending
            return actions
        }
        return actions + [makeStart(in: appState, at: now)]
    }

    /// Handles a start that the system, not the user, caused.
    package mutating func startedInBackground(at now: DeviceTime) -> [Action] {
        guard isPending else { return [] }
        return [makeStart(in: .background, at: now)]
    }

    private mutating func makeStart(in appState: AppState, at now: DeviceTime) -> Action {
        let kind: StartKind
        switch appState {
        case .active, .inactive, .notRunning:
            // A process that reports "not running" is in fact running. Until more is known, assume that the user opened
            // the app.
            state = .foreground(ForegroundPeriod(since: now, lastAlive: now, isActive: appState == .active))
            kind = .cold
        case .background, .suspended:
            state = .background(isSuspended: false)
            kind = .passive
        }
        let start = Start(
            kind: kind,
            isFirstOfProcess: kind == .cold,
            isFirstEver: !hasEverStarted,
            resumedFromBackground: false
        )
        hasEverStarted = true
        hasBeenSeen = kind == .cold
        return .start(start)
    }

    /// Handles a lifecycle change reported by the system.
    package mutating func lifecycleChanged(_ change: LifecycleChange, at now: DeviceTime) -> [Action] {
        switch change {
        case .didFinishLaunching:
            noteRunning(at: now)  // The start was reported when the process began; this is the same launch.
            return []
        case .didBecomeActive: return becameActive(at: now)
        case .willResignActive:
            setActive(false, at: now)
            return []
        case .didEnterBackground: return leaveForeground(for: .background(isSuspended: false), at: now)
        case .willEnterForeground:
            willEnterForeground(at: now)
            return []
        case .willSuspend: return leaveForeground(for: .background(isSuspended: true), at: now)
        case .willTerminate: return leaveForeground(for: .ending, at: now)
        }
    }

    /// Notes that the process is running.
    ///
    /// If the process is killed later, its exit is reported no earlier than now.
    package mutating func noteRunning(at now: DeviceTime) {
        guard case .foreground(var period) = state, now.elapsed(since: period.lastAlive) != nil else { return }
        period.lastAlive = now
        state = .foreground(period)
    }

    // MARK: Transitions

    private mutating func becameActive(at now: DeviceTime) -> [Action] {
        switch state {
        case .notRunning:
            return []  // The start of the process has not been reported to the machine yet.
        case .pending:
            return [makeStart(in: .active, at: now)]  // The user opened the app, even after a long wait.
        case .foreground:
            setActive(true, at: now)  // The app was inactive: an interruption ended, and the user never left.
            return []
        case .background, .ending:
            // The user opens the app, whether or not this was announced, and whether the app was launched in the
            // background or moved to it. This also covers a process that continues although its termination was
            // announced.
            state = .foreground(ForegroundPeriod(since: now, lastAlive: now, isActive: true))
            let start = Start(
                kind: .hot,
                isFirstOfProcess: !hasBeenSeen,
                isFirstEver: false,
                resumedFromBackground: true
            )
            hasBeenSeen = true
            return [.start(start)]
        }
    }

    private mutating func leaveForeground(for next: State, at now: DeviceTime) -> [Action] {
        switch (state, next) {
        case (.notRunning, _):
            return []
        case (.pending, _):
            return []  // The app was never in the foreground, so this is not an exit. It may still enter it.
        case (.foreground(let period), _):
            state = next
            return [.exit(Self.exit(of: period, at: now, isRecovered: false))]
        case (.background, .background(isSuspended: false)):
            return []  // Locking the screen during the transition to the home screen reports the background twice.
        case (.background, _):
            state = next
            return []
        case (.ending, _):
            return []  // The exit was reported already.
        }
    }

    private mutating func setActive(_ isActive: Bool, at now: DeviceTime) {
        noteRunning(at: now)
        guard case .foreground(var period) = state else { return }  // Some apps resign active again when suspended.
        period.isActive = isActive
        state = .foreground(period)
    }

    /// Handles the announcement that the app is about to become visible.
    ///
    /// The app may still return to the background, so only becoming active counts as a start.
    private mutating func willEnterForeground(at now: DeviceTime) {
        noteRunning(at: now)
        if case .background = state { state = .background(isSuspended: false) }
    }

    private static func exit(of period: ForegroundPeriod, at end: DeviceTime, isRecovered: Bool) -> Exit {
        // If the clocks cannot determine the duration, report zero rather than an invented value.
        Exit(duration: end.elapsed(since: period.since) ?? .zero, at: end, isRecovered: isRecovered)
    }
}

/// The kind of app start.
package enum StartKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The process began, and the user sees the app.
    case cold
    /// The app returned to the foreground.
    case hot
    /// The system started the process in the background, invisible to the user.
    case passive
}
