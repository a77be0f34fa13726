// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Decides what counts as a start or an exit of the app.
///
/// A foreground period begins with one start and ends with one exit, however many times the system announces them.
/// A start is cold or hot, and an exit belongs to the period. A start in the background is reported too, without an
/// exit. A start whose reason is still unknown is pending. It is reported once the app is in the foreground, or once it
/// is known that the user did not open it. The state outlives the process, so the exit of a killed process is reported
/// at the next start.
package struct LaunchMachine: Sendable, Hashable, Codable {
    /// An action for the coordinator.
    package enum Action: Sendable, Hashable {
        /// Report a start.
        case start(Start)
        /// Report an exit.
        case exit(Exit)
    }

    /// One start of the app.
    package struct Start: Sendable, Hashable {
        /// The kind of start.
        package var kind: StartKind
        /// Whether this is the process's first start that the user sees.
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
    package struct Exit: Sendable, Hashable {
        /// The duration of the period, including time without events.
        package var duration: Duration
        /// When the period ended.
        package var at: DeviceTime
        /// Whether it is reported late, because the process was killed.
        package var isRecovered: Bool

        /// Creates an exit.
        package init(duration: Duration, at: DeviceTime, isRecovered: Bool) {
            self.duration = duration
            self.at = at
            self.isRecovered = isRecovered
        }
    }

    private enum State: Sendable, Hashable, Codable {
        /// The last process ended normally, or none ever started.
        case notRunning
        /// The process runs, its launch reason is unknown, and nothing was reported.
        case pending
        /// The app is in the foreground.
        case foreground(Stretch)
        /// The process runs, or is frozen, in the background.
        ///
        /// It was launched there or moved there.
        case background(isSuspended: Bool)
        /// The system announced the end of the process, usually its last report.
        case ending
    }

    private struct Stretch: Sendable, Hashable, Codable {
        var since: DeviceTime
        /// The last time the process was known to run.
        ///
        /// It is used for the exit if the process is killed.
        var lastAlive: DeviceTime
        var isActive: Bool
    }

    private var state = State.notRunning
    private var hasEverStarted = false
    /// Whether the user has seen this process.
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
        case .foreground(let stretch): stretch.isActive ? .active : .inactive
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

    /// Handles a process that began in this state, possibly some time ago.
    ///
    /// - Parameter isPending: Whether the reason for the launch is still undecided.
    package mutating func processStarted(
        in appState: AppState,
        isPending: Bool = false,
        at now: DeviceTime
    ) -> [Action] {
        var actions: [Action] = []
        if case .foreground(let stretch) = state {
            // The previous process ended without notice.
            actions.append(.exit(Self.exit(of: stretch, at: stretch.lastAlive, isRecovered: true)))
        }
        hasBeenSeen = false
        if isPending {
            state = .pending
            return actions
        }
        return actions + [started(in: appState, at: now)]
    }

    /// Handles a start that the system caused.
    ///
    /// The user did not open the app.
    package mutating func startedInBackground(at now: DeviceTime) -> [Action] {
        guard isPending else { return [] }
        return [started(in: .background, at: now)]
    }

    private mutating func started(in appState: AppState, at now: DeviceTime) -> Action {
        let kind: StartKind
        switch appState {
        case .active, .inactive, .notRunning:
            // A process that reports "not running" is running. Until more is known, assume that the user opened it.
            state = .foreground(Stretch(since: now, lastAlive: now, isActive: appState == .active))
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
    package mutating func changed(_ change: LifeCycleChange, at now: DeviceTime) -> [Action] {
        switch change {
        case .didFinishLaunching:
            noteRunning(at: now)  // The start was reported with the process; this is the same launch.
            return []
        case .didBecomeActive: return becameActive(at: now)
        case .willResignActive:
            setActive(false, at: now)
            return []
        case .didEnterBackground: return left(for: .background(isSuspended: false), at: now)
        case .willEnterForeground:
            awoke(at: now)
            return []
        case .willSuspend: return left(for: .background(isSuspended: true), at: now)
        case .willTerminate: return left(for: .ending, at: now)
        }
    }

    /// Notes that the process is running.
    ///
    /// If it is killed, the exit happened no earlier than now.
    package mutating func noteRunning(at now: DeviceTime) {
        guard case .foreground(var stretch) = state, now.elapsed(since: stretch.lastAlive) != nil else { return }
        stretch.lastAlive = now
        state = .foreground(stretch)
    }

    // MARK: Transitions

    private mutating func becameActive(at now: DeviceTime) -> [Action] {
        switch state {
        case .notRunning:
            return []  // No process was reported yet; its start will be.
        case .pending:
            return [started(in: .active, at: now)]  // The user opened the app, even after a long wait.
        case .foreground:
            setActive(true, at: now)  // From inactive: an interruption ended. The user never left.
            return []
        case .background, .ending:
            // The user opens the app, whether or not this was announced, and whether it was launched in the background
            // or moved there. This also covers a process that continues although its termination was announced.
            state = .foreground(Stretch(since: now, lastAlive: now, isActive: true))
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

    private mutating func left(for next: State, at now: DeviceTime) -> [Action] {
        switch (state, next) {
        case (.notRunning, _):
            return []
        case (.pending, _):
            return []  // It was never in the foreground, so this is not an exit. It may still get there.
        case (.foreground(let stretch), _):
            state = next
            return [.exit(Self.exit(of: stretch, at: now, isRecovered: false))]
        case (.background, .background(isSuspended: false)):
            return []  // Locking the screen while going to the home screen reports the background twice.
        case (.background, _):
            state = next
            return []
        case (.ending, _):
            return []  // The exit was reported already.
        }
    }

    private mutating func setActive(_ isActive: Bool, at now: DeviceTime) {
        noteRunning(at: now)
        guard case .foreground(var stretch) = state else { return }  // Some apps resign again when they are suspended.
        stretch.isActive = isActive
        state = .foreground(stretch)
    }

    /// Handles the announcement that the app is about to become visible.
    ///
    /// It may still return to the background, so only becoming active is a start.
    private mutating func awoke(at now: DeviceTime) {
        noteRunning(at: now)
        if case .background = state { state = .background(isSuspended: false) }
    }

    private static func exit(of stretch: Stretch, at end: DeviceTime, isRecovered: Bool) -> Exit {
        // If the clocks cannot determine the duration, report zero rather than an invented value.
        Exit(duration: end.elapsed(since: stretch.since) ?? .zero, at: end, isRecovered: isRecovered)
    }
}

/// The kind of a start.
package enum StartKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The process began, and the user sees it.
    case cold
    /// The app returned to the foreground.
    case hot
    /// The system started the process in the background, invisible to the user.
    case passive
}
