// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Decides what counts as a start and as an exit of the app.
///
/// A stretch in the foreground begins with one start and ends with one exit, however often a system announces either: a
/// start is cold or hot, and an exit belongs to the stretch. A start in the background is told too, and stands alone. A
/// start of which nobody can tell yet whom it is for is pending: it is told once the app is in front, or once it is known
/// that nobody opened it. The state outlives the process, so that the exit of a killed one is told at the next start.
package struct LaunchMachine: Sendable, Hashable, Codable {
    /// An order to the coordinator.
    package enum Action: Sendable, Hashable {
        /// Tell of a start.
        case start(Start)
        /// Tell of an exit.
        case exit(Exit)
    }

    /// One start of the app.
    package struct Start: Sendable, Hashable {
        /// How it was started.
        package var kind: StartKind
        /// True for the first start of the process that the user sees.
        package var isFirstOfProcess: Bool
        /// True for the first start of the installation.
        package var isFirstEver: Bool
        /// True when the process was in the background before.
        package var resumedFromBackground: Bool

        /// A start of these parts.
        package init(kind: StartKind, isFirstOfProcess: Bool, isFirstEver: Bool, resumedFromBackground: Bool) {
            self.kind = kind
            self.isFirstOfProcess = isFirstOfProcess
            self.isFirstEver = isFirstEver
            self.resumedFromBackground = resumedFromBackground
        }
    }

    /// One exit of the app: the end of a stretch in the foreground.
    package struct Exit: Sendable, Hashable {
        /// How long the stretch lasted, time without events included.
        package var duration: Duration
        /// When it ended.
        package var at: DeviceTime
        /// True when nobody could tell of it at its time, because the process was killed.
        package var isRecovered: Bool

        /// An exit of these parts.
        package init(duration: Duration, at: DeviceTime, isRecovered: Bool) {
            self.duration = duration
            self.at = at
            self.isRecovered = isRecovered
        }
    }

    private enum State: Sendable, Hashable, Codable {
        /// No process was started since the last one ended in an orderly way, or ever.
        case notRunning
        /// The process runs, and nobody can tell yet whether for the user. Nothing was told of it.
        case pending
        /// The user sees the app.
        case foreground(Stretch)
        /// The process runs, or is frozen, and the user does not see it: launched that way, or gone there.
        case background(isSuspended: Bool)
        /// The system said that the process ends. Usually that is the last we hear of it.
        case ending
    }

    private struct Stretch: Sendable, Hashable, Codable {
        var since: DeviceTime
        /// The last moment the process was known to run, for the exit that a kill takes away.
        var lastAlive: DeviceTime
        var isActive: Bool
    }

    private var state = State.notRunning
    private var hasEverStarted = false
    /// The user has seen this process.
    private var hasBeenSeen = false

    /// An installation that never ran.
    package init() {}

    /// An installation of ours that never ran; the app was started before all the same, if an older SDK saw it.
    init(wasStarted: Bool) {
        hasEverStarted = wasStarted
    }

    /// The state of the app, as far as the machine was told.
    package var appState: AppState {
        switch state {
        case .notRunning, .ending: .notRunning
        case .pending: .background
        case .foreground(let stretch): stretch.isActive ? .active : .inactive
        case .background(let isSuspended): isSuspended ? .suspended : .background
        }
    }

    /// True while the user sees the app.
    package var isInForeground: Bool {
        if case .foreground = state { true } else { false }
    }

    /// True while a start is still to be told.
    package var isPending: Bool { state == .pending }

    // MARK: Inputs

    /// A process began, and the app is in this state. It may have been launched some time before.
    ///
    /// - Parameter isPending: whether nobody can tell yet if the user opens the app.
    package mutating func processStarted(
        in appState: AppState,
        isPending: Bool = false,
        at now: DeviceTime
    ) -> [Action] {
        var actions: [Action] = []
        if case .foreground(let stretch) = state {
            // The process before this one ended without a word.
            actions.append(.exit(Self.exit(of: stretch, at: stretch.lastAlive, isRecovered: true)))
        }
        hasBeenSeen = false
        if isPending {
            state = .pending
            return actions
        }
        return actions + [started(in: appState, at: now)]
    }

    /// Nobody opened the app, and nobody is about to: the system started it for itself.
    package mutating func startedUnseen(at now: DeviceTime) -> [Action] {
        guard isPending else { return [] }
        return [started(in: .background, at: now)]
    }

    private mutating func started(in appState: AppState, at now: DeviceTime) -> Action {
        let kind: StartKind
        switch appState {
        case .active, .inactive, .notRunning:
            // A process that can say "not running" runs, and before it knows more the user who opens it is the best guess.
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

    /// The system said something about the life of the app.
    package mutating func changed(_ change: LifeCycleChange, at now: DeviceTime) -> [Action] {
        switch change {
        case .didFinishLaunching:
            wasAlive(at: now)  // The start was told with the process; a launch that is announced later is the same one.
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

    /// The process runs: should it be killed, the exit happened no earlier than now.
    package mutating func wasAlive(at now: DeviceTime) {
        guard case .foreground(var stretch) = state, now.elapsed(since: stretch.lastAlive) != nil else { return }
        stretch.lastAlive = now
        state = .foreground(stretch)
    }

    // MARK: Transitions

    private mutating func becameActive(at now: DeviceTime) -> [Action] {
        switch state {
        case .notRunning:
            return []  // Nobody told of a process yet; its start will.
        case .pending:
            return [started(in: .active, at: now)]  // It was for the user, however long the process waited for that.
        case .foreground:
            setActive(true, at: now)  // From inactive: an interruption is over. The user never left.
            return []
        case .background, .ending:
            // Announced before or not, launched in the background or gone there: the user opens the app. Neither does a
            // process that was told to end and went on stay silent.
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
            return []  // It was never in front, so it leaves nothing; and it may still come there.
        case (.foreground(let stretch), _):
            state = next
            return [.exit(Self.exit(of: stretch, at: now, isRecovered: false))]
        case (.background, .background(isSuspended: false)):
            return []  // Locking the screen while going home announces the background twice.
        case (.background, _):
            state = next
            return []
        case (.ending, _):
            return []  // It left already.
        }
    }

    private mutating func setActive(_ isActive: Bool, at now: DeviceTime) {
        wasAlive(at: now)
        guard case .foreground(var stretch) = state else { return }  // Going to sleep, some apps resign once more.
        stretch.isActive = isActive
        state = .foreground(stretch)
    }

    /// The app is about to be seen, but is not yet: it may still turn back. Only becoming active is a start.
    private mutating func awoke(at now: DeviceTime) {
        wasAlive(at: now)
        if case .background = state { state = .background(isSuspended: false) }
    }

    private static func exit(of stretch: Stretch, at end: DeviceTime, isRecovered: Bool) -> Exit {
        // No time at all when the clocks cannot tell: less is better than made up.
        Exit(duration: end.elapsed(since: stretch.since) ?? .zero, at: end, isRecovered: isRecovered)
    }
}

/// How an app was started.
package enum StartKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The process began, and the user sees it.
    case cold
    /// The app came back to the foreground.
    case hot
    /// The system began the process in the background; nobody sees it.
    case passive
}
