// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform

/// Drives ``AppBehavior``: one input at a time, its orders carried out in their order before the next one.
///
/// One process of an installation captures, the one that holds the lock beside the file; the others record what their app
/// records, in the session they find there. Locks are taken in the order driver, context store, journal; nothing calls the app,
/// the settings or the control machine while it holds one of them.
package final class BehaviorDriver: Sendable {
    enum Phase: Sendable {
        /// Nothing is captured.
        case off
        /// The start has not been recorded yet. Without a time it counts as of when it will be: before, nobody was
        /// allowed to watch.
        case pending(since: DeviceTime?)
        /// This process captures.
        case acting(any StorageLock)
        /// Another process does, or this one has stepped aside because the system is about to stop it.
        case watching
    }

    struct State: Sendable {
        var phase = Phase.off
        /// What the app does, whoever captures.
        var app: AppState
        var settings: BehaviorSettings
        var behavior = AppBehavior()
        /// What was last read from the file, or written to it, by this process.
        var kept: [UInt8]?
        /// Session and screen of the process before, while it may have left crashes behind that nobody wanted to know of.
        var former: SessionAndScreen?
        /// When the process before this one recorded last, until this one has begun.
        var lastSign: DeviceTime?
        /// The file could not be written or read, and the app was told.
        var isFailing = false
        var wantsFlush = false
        /// No more heartbeats: the app has shut the SDK down, or let go of it.
        var isOver = false

        var isPending: Bool { if case .pending = phase { true } else { false } }
        var isActing: Bool { if case .acting = phase { true } else { false } }
        var isBeating: Bool { !isOver && app.isForeground && isActing }
    }

    /// Where events happened.
    struct SessionAndScreen: Sendable {
        var session: RecordedContext.Session?
        var screen: RecordedContext.Screen?
    }

    /// What holds for the whole of one input.
    struct Turn: Sendable {
        let now: DeviceTime
        /// What the app's closure adds to events now.
        let dynamic: Attributes
    }

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct ScreenWatcher: Sendable {
        var report: @Sendable (RecordedContext.Screen) -> Void = { _ in }
    }

    let contextStore: ContextStore
    let file: BehaviorFile
    let control: ControlDriver
    let installation: @Sendable () -> InstallationID
    let dynamic: DynamicAttributes
    /// What processes that crashed left behind.
    let crashes: CrashReports
    let beats: AsyncStream<Void>
    let flushes: AsyncStream<Void>
    /// The writer of this process.
    let writer: @Sendable () -> WriterID
    private let clock: any EventClock
    private let boot: String
    private let state: Locked<State>
    private let watcher = Locked(ScreenWatcher())
    private let announceBeats: AsyncStream<Void>.Continuation
    private let announceFlush: AsyncStream<Void>.Continuation

    /// Makes a driver; the start it notes is recorded with the first event, or the first thing that happens.
    init(
        _ settings: BehaviorSettings,
        launchState: AppState,
        file: BehaviorFile,
        crashes: CrashReports,
        contextStore: ContextStore,
        control: ControlDriver,
        dynamic: DynamicAttributes,
        clock: any EventClock,
        boot: String,
        installation: @escaping @Sendable () -> InstallationID,
        writer: @escaping @Sendable () -> WriterID
    ) {
        self.writer = writer
        self.file = file
        self.crashes = crashes
        self.contextStore = contextStore
        self.control = control
        self.dynamic = dynamic
        self.clock = clock
        self.boot = boot
        self.installation = installation
        // Announcements carry nothing, so one that waits stands for any number.
        (beats, announceBeats) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (flushes, announceFlush) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        var state = State(app: launchState, settings: settings)
        if settings.capture.isCapturing {
            state.phase = .pending(since: DeviceTime(clock.now(), boot: boot))
            state.lastSign = file.lastSign()
        }
        self.state = Locked(state)
        setGate()
    }

    /// The time now.
    var now: DeviceTime { DeviceTime(clock.now(), boot: boot) }

    /// The state now.
    var current: State { state.withLock { $0 } }

    /// Lets `body` change the state and record, as one step in the order of all steps; records the start first, if that
    /// is still to be done.
    ///
    /// - Parameter records: whether events may come of it, so that the app's closure is asked for attributes, before any
    ///   lock is taken.
    func step(records: Bool = true, _ body: (inout State, inout ContextTransaction, Turn) -> Void) {
        let turn = Turn(now: now, dynamic: records ? dynamic.current() : [:])
        let (sideEffects, isBeating, wantsFlush) = state.withLock {
            state -> (ContextTransaction.SideEffects, Bool, Bool) in
            let (_, sideEffects) = contextStore.performUnreported { transaction in
                begin(&state, &transaction, turn)
                body(&state, &transaction, turn)
            }
            defer { state.wantsFlush = false }
            return (sideEffects, state.isBeating, state.wantsFlush)
        }
        setGate()
        contextStore.report(sideEffects)
        if isBeating { announceBeats.yield() }
        if wantsFlush { announceFlush.yield() }
    }

    /// Has somebody told of every screen that is shown, captured or not, after it was recorded.
    func reportScreens(_ report: @escaping @Sendable (RecordedContext.Screen) -> Void) {
        watcher.withLock { $0.report = report }
    }

    /// Tells of a screen. Holds no lock.
    func told(of screen: RecordedContext.Screen) {
        watcher.withLock { $0 }.report(screen)
    }

    /// Lets `body` change the state alone.
    func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        setGate()
    }

    /// Brings recording in step: while the start is pending, the first event brings it about. Asked inside the gate's lock,
    /// so that of two changes at the same time the later one counts.
    private func setGate() {
        control.setGate(.startPending) { state.withLock { $0.isPending } }
    }
}
