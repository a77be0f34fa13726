// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayCore
import TrackwayLifecycle

/// A simulated app on a device, run as its driver would run it.
///
/// Recorded events are stored with their context.
struct TestApp {
    /// One recorded event.
    struct Recorded: Hashable {
        var name: String
        var attributes: Attributes
        var at: DeviceTime
        var session: RecordedContext.Session?
        var screen: RecordedContext.Screen?
    }

    var device = TestDevice()
    var behavior = LifecycleStateMachine()
    /// The state that would survive a kill.
    var disk = LifecycleStateMachine()
    var events: [Recorded] = []
    var orders: [String] = []
    var isInBackground = false
    var settings = LifecycleSettings()
    var appVersion: String? = "1.0"
    var systemVersion: String? = "18.0"
    var uniqueID = "0E6614B7-2D2C-4774-AB2F-B0A9E6C3BFAC"
    /// The number of actions before the process is killed; nil for never.
    var remainingActions: Int?
    private(set) var session: RecordedContext.Session?
    private(set) var screen: RecordedContext.Screen?

    var names: [String] { events.map(\.name) }

    // MARK: Inputs

    mutating func start(in state: AppState = .inactive, isPending: Bool = false) {
        session = nil
        screen = nil
        let start = ProcessStart(
            state: state,
            isPending: isPending,
            appVersion: appVersion,
            systemVersion: systemVersion,
            sessionPrefix: uniqueID,
            settings: settings
        )
        carryOut(behavior.processStarted(start, at: device.now))
    }

    mutating func change(_ changes: LifecycleChange...) {
        for change in changes { carryOut(behavior.lifecycleChanged(change, at: device.now)) }
    }

    mutating func launchTimedOut(began: DeviceTime) {
        carryOut(behavior.startedInBackground(began: began))
    }

    mutating func open() {
        start()
        change(.didFinishLaunching, .didBecomeActive)
    }

    mutating func leave() {
        change(.willResignActive, .didEnterBackground)
    }

    mutating func comeBack() {
        change(.willEnterForeground, .didBecomeActive)
    }

    mutating func show(_ name: String, id: String? = nil, uniqueID: String? = nil, manual: Bool = false) {
        show(
            ScreenView(screen: .init(name: name, id: id, uniqueID: uniqueID), isManual: manual)
        )
    }

    mutating func show(_ view: ScreenView) {
        carryOut(behavior.screenShown(view, at: device.now))
    }

    mutating func userActs() {
        carryOut(behavior.userActed(at: device.now))
    }

    mutating func heartbeat() {
        carryOut(behavior.noteHeartbeat(at: device.now))
    }

    mutating func choose(_ settings: LifecycleSettings) {
        self.settings = settings
        carryOut(behavior.settingsChanged(settings, at: device.now))
    }

    mutating func pass(_ duration: Duration) {
        device.pass(duration)
    }

    /// Kills the process and discards all unsaved state.
    mutating func kill() {
        behavior = disk
        remainingActions = nil
    }

    /// Clears the recorded events and actions.
    mutating func clear() {
        events = []
        orders = []
    }

    // MARK: The driver

    private mutating func carryOut(_ actions: [LifecycleAction]) {
        for action in actions {
            if let left = remainingActions {
                guard left > 0 else { return }
                remainingActions = left - 1
            }
            switch action {
            case .record(let name, let attributes, let moment):
                orders.append(name)
                events.append(
                    Recorded(name: name, attributes: attributes, at: moment, session: session, screen: screen)
                )
            case .context(let session, let screen):
                orders.append("context")
                self.session = session
                self.screen = screen
            case .background(let isInBackground):
                orders.append(isInBackground ? "background" : "foreground")
                self.isInBackground = isInBackground
            case .openWindow: orders.append("openWindow")
            case .flush: orders.append("flush")
            case .closeWindow: orders.append("closeWindow")
            case .save:
                orders.append("save")
                disk = behavior
            }
        }
    }
}
