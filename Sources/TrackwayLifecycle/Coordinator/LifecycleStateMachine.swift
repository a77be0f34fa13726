// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The coordinator of the state machines that observe app usage.
///
/// Its inputs are changes in the app; its outputs are events in the order in which to record them.
///
/// Only one process at a time coordinates an installation. The value holds the complete state and is persisted at every
/// ``LifecycleAction/save``, so the next process continues where a killed one stopped. Among the actions, `save`
/// precedes the events of a start, so that no number is used twice, and follows the events of an exit, so that no event
/// is lost.
package struct LifecycleStateMachine: Sendable, Codable, Equatable {
    private var settings = LifecycleSettings()
    private var uniqueID = ""
    private var launch = LaunchMachine()
    private var sessions = SessionMachine()
    private var screens = ScreenMachine()
    private var engagement = EngagementMachine()
    private var updates = UpdateMachine()
    /// The process start that has not been reported yet.
    private var pending: ProcessStart?

    /// Creates the state of a new installation.
    package init() {}

    /// Creates the state of a new installation that follows an older SDK.
    ///
    /// First-time events that the older SDK recorded are not reported again, and session numbers continue.
    package init(continuing former: LegacyLifecycle) {
        launch = LaunchMachine(wasStarted: former.wasOpened)
        sessions = SessionMachine(continuing: former)
        updates = UpdateMachine(continuing: former)
    }

    /// The session of new events; nil if none or not captured.
    package var session: RecordedContext.Session? {
        settings.capture.contains(.sessions) ? sessions.current : nil
    }

    /// The screen of new events.
    package var screen: RecordedContext.Screen? { screens.current }

    /// The last known state of the app.
    package var appState: AppState { launch.appState }

    // MARK: Inputs

    /// Handles the beginning of a process; the first input of every process.
    ///
    /// - Parameter now: The time at which the process began. This may be long before the call: a late report does not
    ///   change the time of the start.
    package mutating func processStarted(_ start: ProcessStart, at now: DeviceTime) -> [LifecycleAction] {
        let orders = launch.processStarted(in: start.state, isPending: start.isPending, at: now)
        var actions: [LifecycleAction] = []
        for case .exit(let exit) in orders {
            actions += recover(exit, capture: start.settings.capture)
        }
        settings = start.settings
        uniqueID = start.sessionPrefix
        screens.processStarted()
        engagement.screenCleared()
        pending = start
        for case .start(let start) in orders {
            actions += begin(start, at: now)
        }
        guard launch.isPending else { return actions }
        // Until the kind of start is known, events are recorded as in a background process.
        sessions.startedInBackground(at: now, limits: settings.sessionLimits)
        return actions + [.background(true), .save, .context(session: session, screen: nil)]
    }

    /// Handles a pending start that the system, not the user, caused.
    ///
    /// - Parameter began: The time at which the process began.
    package mutating func startedInBackground(began: DeviceTime) -> [LifecycleAction] {
        var actions: [LifecycleAction] = []
        for case .start(let start) in launch.startedInBackground(at: began) {
            actions += begin(start, at: began)
        }
        return actions
    }

    /// Whether the start of this process has not been reported yet.
    package var isPending: Bool { launch.isPending }

    /// Handles a lifecycle change reported by the system or the app.
    package mutating func lifecycleChanged(_ change: LifecycleChange, at now: DeviceTime) -> [LifecycleAction] {
        let before = launch
        let orders = launch.lifecycleChanged(change, at: now)
        var actions: [LifecycleAction] = []
        for order in orders {
            switch order {
            case .start(let start): actions += begin(start, at: now)
            case .exit(let exit): actions += end(exit)
            }
        }
        if launch.isInForeground { sessions.noteUserPresence(at: now) }
        // The app returned from an interruption such as another window: this is user activity, but not a start.
        if orders.isEmpty, change == .didBecomeActive { actions += userActed(at: now) }
        return orders.isEmpty && actions.isEmpty && launch != before ? [.save] : actions
    }

    /// Notes user activity without beginning a session.
    ///
    /// The time of the activity may be in the past.
    package mutating func noteActivity(at time: DeviceTime) {
        guard launch.isInForeground else { return }
        sessions.noteActivity(at: time, limits: settings.sessionLimits)
    }

    /// Returns whether ``userActed(at:)`` would begin a new session.
    ///
    /// - Parameter before: The user's latest activity, if it has not been noted yet.
    package func endsSession(at now: DeviceTime, after before: DeviceTime?) -> Bool {
        guard launch.isInForeground, settings.sessionLimits.canEndInForeground else { return false }
        var sessions = sessions
        if let before { sessions.noteActivity(at: before, limits: settings.sessionLimits) }
        return sessions.isOverInForeground(at: now, settings.sessionLimits)
    }

    /// Handles user activity in the foreground.
    ///
    /// If the session is over according to the settings, its screen view ends and a new session begins with the current
    /// screen before the user's action is recorded.
    package mutating func userActed(at now: DeviceTime) -> [LifecycleAction] {
        guard launch.isInForeground else { return [] }
        let limits = settings.sessionLimits
        // Engagement ends with the user's last activity, so it is measured before the new session begins.
        let left =
            sessions.isOverInForeground(at: now, limits)
            ? leaveScreen(at: now, isRecovered: false, capture: settings.capture) : []
        let orders = sessions.userActed(at: now, uniqueID: uniqueID, limits: limits)
        guard !orders.isEmpty else { return [] }
        launch.noteRunning(at: now)
        engagement.screenCleared()
        let views = screens.sessionBegan(at: now)
        return [.save] + left + [.context(session: session, screen: nil)] + announceSession(at: now)
            + views.flatMap { show($0, at: now) }
    }

    /// Handles a screen that the platform detected or the app named.
    package mutating func screenShown(_ screen: ScreenView, at now: DeviceTime) -> [LifecycleAction] {
        guard launch.isInForeground else {
            screens.screenReportedInBackground(screen, at: now)
            return [.save]
        }
        let renewed = userActed(at: now)
        launch.noteRunning(at: now)
        sessions.noteUserPresence(at: now)
        let orders = screens.screenReported(screen, shouldRecord: shouldRecord(screen), at: now)
        return renewed + orders.flatMap { show($0, at: now) } + [.save]
    }

    /// Notes that the process was still running in the foreground.
    ///
    /// If the process is killed later, it counts as having run at least until now.
    package mutating func noteHeartbeat(at now: DeviceTime) -> [LifecycleAction] {
        guard launch.isInForeground else { return [] }
        launch.noteRunning(at: now)
        sessions.noteUserPresence(at: now)
        return [.save]
    }

    /// Handles settings changed by the app or a back end.
    package mutating func settingsChanged(_ settings: LifecycleSettings, at now: DeviceTime) -> [LifecycleAction] {
        guard settings != self.settings else { return [] }
        let before = session
        self.settings = settings
        var actions: [LifecycleAction] = []
        if session != before { actions.append(.context(session: session, screen: screen)) }
        sessions.limitsChanged(to: settings.sessionLimits, at: now)
        if launch.isInForeground {
            launch.noteRunning(at: now)
            sessions.noteUserPresence(at: now)
            actions += announceSession(at: now)
        }
        return [.save] + actions
    }

    /// Handles the sign-in of another user.
    ///
    /// The session continues; the id of the next session is based on the new user.
    package mutating func uniqueIDChanged(to uniqueID: String) -> [LifecycleAction] {
        guard uniqueID != self.uniqueID else { return [] }
        self.uniqueID = uniqueID
        return [.save]
    }

    /// Discards the app's attributes for the current screen, because the user changed.
    package mutating func personChanged() -> [LifecycleAction] {
        let before = screens
        screens.personChanged()
        return screens == before ? [] : [.save]
    }

    // MARK: Starts and exits

    /// Handles a start of the app, or its return to the foreground.
    private mutating func begin(_ start: LaunchMachine.Start, at now: DeviceTime) -> [LifecycleAction] {
        let sessionBefore = sessions.current
        var noticed: [UpdateMachine.Action] = []
        if let process = pending {
            // An update is reported with the first reported start, so that it is not lost in a process whose start is
            // never reported.
            noticed = updates.processStarted(appVersion: process.appVersion, systemVersion: process.systemVersion)
            pending = nil
        }
        var views: [ScreenMachine.Action] = []
        if start.kind == .passive {
            sessions.startedInBackground(at: now, limits: settings.sessionLimits)
        } else {
            noticed += updates.appOpened()
            let orders = sessions.userArrived(at: now, uniqueID: uniqueID, limits: settings.sessionLimits)
            if orders.isEmpty, screens.current != nil {
                engagement.screenResumed(at: now)
            }
            for case .begin in orders {
                engagement.screenCleared()
                views += screens.sessionBegan(at: now)
            }
        }
        // The first events of a session do not contain the previous session's screen, even if that screen is shown
        // again immediately.
        let isNewSession = sessions.current != sessionBefore
        let shown = isNewSession ? nil : screen
        var actions: [LifecycleAction] = [.background(start.kind == .passive), .save]
        if isNewSession || start.kind != .hot { actions.append(.context(session: session, screen: shown)) }
        actions += noticed.compactMap { record($0, at: now) }
        if settings.capture.contains(.launches) { actions.append(record(start, at: now)) }
        guard start.kind != .passive else { return actions }
        actions += announceSession(at: now)
        actions += views.flatMap { show($0, at: now) }
        let capture = settings.capture
        let arrived = screens.userArrived(at: now) { $0.isManual || capture.contains(.screens) }
        return actions + arrived.flatMap { show($0, at: now) }
    }

    /// Handles an exit: the app left the foreground or terminated in it.
    private mutating func end(_ exit: LaunchMachine.Exit) -> [LifecycleAction] {
        sessions.userLeft(at: exit.at)
        return [.background(true), .openWindow]
            + records(of: exit, capture: settings.capture)
            + [.save, .flush, .closeWindow]
    }

    /// Recovers the exit of a process that was killed in the foreground.
    ///
    /// The exit is recorded with the session and screen of that process.
    private mutating func recover(_ exit: LaunchMachine.Exit, capture: CaptureOptions) -> [LifecycleAction] {
        let context = LifecycleAction.context(session: session, screen: screen)
        let records = records(of: exit, capture: capture)
        return records.isEmpty ? [] : [context] + records
    }

    private mutating func records(of exit: LaunchMachine.Exit, capture: CaptureOptions) -> [LifecycleAction] {
        var records = leaveScreen(at: exit.at, isRecovered: exit.isRecovered, capture: capture)
        if capture.contains(.launches) { records.append(record(exit)) }
        return records
    }

    /// Records the session's start if it is captured and not yet recorded.
    private mutating func announceSession(at now: DeviceTime) -> [LifecycleAction] {
        guard settings.capture.contains(.sessions), let session = sessions.markAnnounced() else { return [] }
        return [record(session, at: now)]
    }

    // MARK: Screens

    /// Returns whether to record a screen.
    ///
    /// Screens named by the app are always recorded.
    private func shouldRecord(_ view: ScreenView) -> Bool {
        view.isManual || settings.capture.contains(.screens)
    }

    /// Shows another screen.
    ///
    /// The previous screen is left under its own context before the new one begins.
    private mutating func show(_ order: ScreenMachine.Action, at now: DeviceTime) -> [LifecycleAction] {
        switch order {
        case .view(let view):
            let left = leaveScreen(at: now, isRecovered: false, capture: settings.capture)
            let shown = record(view, engagement: engagement.lastEngagement, at: now)
            engagement.screenShown(at: now)
            return left + [.context(session: session, screen: view.screen), shown]
        }
    }

    /// Leaves the current screen, if any.
    private mutating func leaveScreen(at now: DeviceTime, isRecovered: Bool, capture: CaptureOptions)
        -> [LifecycleAction]
    {
        // With an idle timeout, the time after the last activity does not count.
        let end = sessions.lastActivity(before: now, settings.sessionLimits)
        return engagement.screenLeft(at: end).compactMap { order in
            switch order {
            case .engaged(let duration):
                capture.contains(.engagement) ? record(duration, isRecovered: isRecovered, at: end) : nil
            }
        }
    }

    // MARK: Events for the machines' decisions

    private func record(_ start: LaunchMachine.Start, at now: DeviceTime) -> LifecycleAction {
        let attributes: Attributes = [
            CapturedKey.isFirstTime: .boolean(start.isFirstOfProcess),
            CapturedKey.startKind: .string(start.kind.rawValue),
            CapturedKey.isFirstStart: .boolean(start.isFirstEver),
            CapturedKey.resumedFromBackground: .boolean(start.resumedFromBackground),
        ]
        return .record(name: CapturedName.appStart, attributes: attributes, at: now)
    }

    private func record(_ exit: LaunchMachine.Exit) -> LifecycleAction {
        var attributes: Attributes = [CapturedKey.foregroundDuration: exit.duration.attributeValue]
        if exit.isRecovered { attributes[CapturedKey.isRecovered] = true }
        return .record(name: CapturedName.appEnd, attributes: attributes, at: exit.at)
    }

    private func record(_ session: RecordedContext.Session, at now: DeviceTime) -> LifecycleAction {
        let attributes: Attributes = [
            CapturedKey.sessionID: .string(session.id),
            CapturedKey.sessionStart: .integer(session.start.milliseconds),
            CapturedKey.sessionNumber: .integer(session.number),
        ]
        return .record(name: CapturedName.sessionStart, attributes: attributes, at: now)
    }

    /// Returns a first-opening or update event; nil if not captured.
    private func record(_ update: UpdateMachine.Action, at now: DeviceTime) -> LifecycleAction? {
        let (name, attributes, option): (String, Attributes, CaptureOptions) =
            switch update {
            case .firstOpened: (CapturedName.firstOpen, [:], .launches)
            case .appUpdated(let version):
                (CapturedName.appUpdate, [CapturedKey.previousAppVersion: .string(version)], .updates)
            case .systemUpdated(let version):
                (CapturedName.osUpdate, [CapturedKey.previousOSVersion: .string(version)], .updates)
            }
        guard settings.capture.contains(option) else { return nil }
        return .record(name: name, attributes: attributes, at: now)
    }

    /// Returns the event of an engagement.
    private func record(_ engagement: Duration, isRecovered: Bool, at now: DeviceTime) -> LifecycleAction {
        var attributes: Attributes = [CapturedKey.engagementTime: engagement.attributeValue]
        if isRecovered { attributes[CapturedKey.isRecovered] = true }
        return .record(name: CapturedName.userEngagement, attributes: attributes, at: now)
    }

    /// Returns the event of a screen view.
    ///
    /// The SDK's values override the app's.
    private func record(_ view: ScreenMachine.View, engagement: Duration?, at now: DeviceTime) -> LifecycleAction {
        var attributes = view.attributes
        attributes[CapturedKey.screenName] = .string(view.screen.name)
        attributes[CapturedKey.screenID] = view.screen.id.map { .string($0) }
        attributes[CapturedKey.screenUniqueID] = view.screen.uniqueID.map { .string($0) }
        attributes[CapturedKey.previousScreenName] = view.previous.map { .string($0.name) }
        attributes[CapturedKey.previousScreenID] = view.previous?.id.map { .string($0) }
        attributes[CapturedKey.previousScreenUniqueID] = view.previous?.uniqueID.map { .string($0) }
        attributes[CapturedKey.entrances] = .integer(view.isEntrance ? 1 : 0)
        attributes[CapturedKey.previousTimestamp] = view.previousTimestamp.map { .integer($0.milliseconds) }
        attributes[CapturedKey.engagementTime] = engagement?.attributeValue
        return .record(name: CapturedName.screenView, attributes: attributes, at: now)
    }
}

/// The data available when a process begins.
package struct ProcessStart: Sendable, Equatable, Codable {
    /// The app's state; background if the system launched it in the background.
    package var state: AppState
    /// The app's version, if it has one.
    package var appVersion: String?
    /// The system's version, if known.
    package var systemVersion: String?
    /// The user's unique id; its last eight characters begin session ids.
    package var sessionPrefix: String
    /// The capture settings.
    package var settings: LifecycleSettings
    /// Whether the reason for the launch is still undecided.
    package var isPending: Bool

    /// Creates a process start.
    package init(
        state: AppState,
        isPending: Bool = false,
        appVersion: String? = nil,
        systemVersion: String? = nil,
        sessionPrefix: String,
        settings: LifecycleSettings = LifecycleSettings()
    ) {
        self.state = state
        self.isPending = isPending
        self.appVersion = appVersion
        self.systemVersion = systemVersion
        self.sessionPrefix = sessionPrefix
        self.settings = settings
    }
}

/// An action of the coordinator for its caller.
///
/// The actions of one input are performed in order.
package enum LifecycleAction: Sendable, Equatable {
    /// Record an event with this time under the latest ``context(session:screen:)``.
    case record(name: String, attributes: Attributes, at: DeviceTime)
    /// Record subsequent events with this session and screen.
    case context(session: RecordedContext.Session?, screen: RecordedContext.Screen?)
    /// The app left the foreground (true) or returned to it (false).
    case background(Bool)
    /// Request background execution time; records, ``flush`` and ``closeWindow`` follow.
    case openWindow
    /// Send pending events.
    case flush
    /// End the background execution time after the preceding flush has finished.
    case closeWindow
    /// Persist the coordinator's current state.
    case save
}
