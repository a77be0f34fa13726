// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Conducts the machines of an app's behaviour: what happens to the app goes in, events to record come out, in the order
/// in which they are to be recorded.
///
/// One process at a time conducts an installation. The value is the whole memory of its behaviour: kept at every ``BehaviorAction/save``,
/// it goes on in the next process where a killed one left off. In what it orders, `save` comes before the events of a
/// start, so that no number is given twice, and after those of an exit, so that none is lost.
package struct AppBehavior: Sendable, Codable, Hashable {
    private var settings = BehaviorSettings()
    private var uniqueID = ""
    private var launch = LaunchMachine()
    private var sessions = SessionMachine()
    private var screens = ScreenMachine()
    private var engagement = EngagementMachine()
    private var updates = UpdateMachine()
    /// The process whose start is still to be told.
    private var pending: ProcessStart?

    /// An installation that never ran.
    package init() {}

    /// An installation of ours that never ran, of an app that an older SDK knew: what that one saw does not happen for the first
    /// time now, and sessions are counted on.
    package init(continuing former: FormerBehavior) {
        launch = LaunchMachine(wasStarted: former.wasOpened)
        sessions = SessionMachine(continuing: former)
        updates = UpdateMachine(continuing: former)
    }

    /// The session that events carry; nil when there is none, or when sessions are not captured.
    package var session: RecordedContext.Session? {
        settings.capture.contains(.sessions) ? sessions.current : nil
    }

    /// The screen that events carry.
    package var screen: RecordedContext.Screen? { screens.current }

    /// The state of the app, as far as it was told.
    package var appState: AppState { launch.appState }

    // MARK: Inputs

    /// A process began; the first input of each.
    ///
    /// - Parameter now: When it began, which may be a while ago: late telling does not make a start late.
    package mutating func processStarted(_ start: ProcessStart, at now: DeviceTime) -> [BehaviorAction] {
        let orders = launch.processStarted(in: start.state, isPending: start.isPending, at: now)
        var actions: [BehaviorAction] = []
        for case .exit(let exit) in orders {
            actions += recover(exit, capture: start.settings.capture)
        }
        settings = start.settings
        uniqueID = start.sessionPrefix
        screens.processStarted()
        engagement.screenForgotten()
        pending = start
        for case .start(let start) in orders {
            actions += begin(start, at: now)
        }
        guard launch.isPending else { return actions }
        // What happens until then is recorded as in a process that nobody sees.
        sessions.startedUnseen(at: now, limits: settings.sessionLimits)
        return actions + [.background(true), .save, .context(session: session, screen: nil)]
    }

    /// A start that was pending turned out to be the system's own: nobody opens the app.
    ///
    /// - Parameter began: When the process began.
    package mutating func startedUnseen(began: DeviceTime) -> [BehaviorAction] {
        var actions: [BehaviorAction] = []
        for case .start(let start) in launch.startedUnseen(at: began) {
            actions += begin(start, at: began)
        }
        return actions
    }

    /// Whether the start of this process is still to be told.
    package var isPending: Bool { launch.isPending }

    /// The system, or the app in its place, said something about the life of the app.
    package mutating func lifeCycleChanged(_ change: LifeCycleChange, at now: DeviceTime) -> [BehaviorAction] {
        let before = launch
        let orders = launch.changed(change, at: now)
        var actions: [BehaviorAction] = []
        for order in orders {
            switch order {
            case .start(let start): actions += begin(start, at: now)
            case .exit(let exit): actions += end(exit)
            }
        }
        if launch.isInForeground { sessions.userSeen(at: now) }
        // Back from an interruption in front of the app, such as another window: no start, and yet activity.
        if orders.isEmpty, change == .didBecomeActive { actions += userActed(at: now) }
        return orders.isEmpty && actions.isEmpty && launch != before ? [.save] : actions
    }

    /// The user did something at this time, which may be a while ago. Begins no session.
    package mutating func noteActivity(at time: DeviceTime) {
        guard launch.isInForeground else { return }
        sessions.noteActivity(at: time, limits: settings.sessionLimits)
    }

    /// Whether ``userActed(at:)`` would begin a new session.
    ///
    /// - Parameter before: The user's latest activity, when that was not noted yet.
    package func endsSession(at now: DeviceTime, after before: DeviceTime?) -> Bool {
        guard launch.isInForeground, settings.sessionLimits.endInForeground else { return false }
        var sessions = sessions
        if let before { sessions.noteActivity(at: before, limits: settings.sessionLimits) }
        return sessions.isOverInForeground(at: now, settings.sessionLimits)
    }

    /// The user does something in the foreground. If the session is over by the settings, its screen is left, and a new session
    /// begins with the screen that is shown, before what the user does is recorded.
    package mutating func userActed(at now: DeviceTime) -> [BehaviorAction] {
        guard launch.isInForeground else { return [] }
        let limits = settings.sessionLimits
        // Its engagement ends where the user's activity did, so it is measured before the new session begins.
        let left =
            sessions.isOverInForeground(at: now, limits)
            ? leaveScreen(at: now, isRecovered: false, capture: settings.capture) : []
        let orders = sessions.userActed(at: now, uniqueID: uniqueID, limits: limits)
        guard !orders.isEmpty else { return [] }
        launch.wasAlive(at: now)
        engagement.screenForgotten()
        let views = screens.sessionBegan(at: now)
        return [.save] + left + [.context(session: session, screen: nil)] + announceSession(at: now)
            + views.flatMap { show($0, at: now) }
    }

    /// A screen was shown: the platform found it, or the app named it.
    package mutating func screenShown(_ screen: ScreenView, at now: DeviceTime) -> [BehaviorAction] {
        guard launch.isInForeground else {
            screens.announcedUnseen(screen, at: now)
            return [.save]
        }
        let renewed = userActed(at: now)
        launch.wasAlive(at: now)
        sessions.userSeen(at: now)
        let orders = screens.announced(screen, isWanted: isWanted(screen), at: now)
        return renewed + orders.flatMap { show($0, at: now) } + [.save]
    }

    /// Some time in the foreground went by: should the process be killed, it lived at least until now.
    package mutating func heartbeat(at now: DeviceTime) -> [BehaviorAction] {
        guard launch.isInForeground else { return [] }
        launch.wasAlive(at: now)
        sessions.userSeen(at: now)
        return [.save]
    }

    /// The app, or a back-end, chose other settings.
    package mutating func settingsChanged(_ settings: BehaviorSettings, at now: DeviceTime) -> [BehaviorAction] {
        guard settings != self.settings else { return [] }
        let before = session
        self.settings = settings
        var actions: [BehaviorAction] = []
        if session != before { actions.append(.context(session: session, screen: screen)) }
        sessions.limitsChanged(to: settings.sessionLimits, at: now)
        if launch.isInForeground {
            launch.wasAlive(at: now)
            sessions.userSeen(at: now)
            actions += announceSession(at: now)
        }
        return [.save] + actions
    }

    /// Another user is signed in. The session goes on; the next one is named after the new user.
    package mutating func uniqueIDChanged(to uniqueID: String) -> [BehaviorAction] {
        guard uniqueID != self.uniqueID else { return [] }
        self.uniqueID = uniqueID
        return [.save]
    }

    /// The person who used the app left. The screen that is shown stays, without what the app said about it.
    package mutating func personChanged() -> [BehaviorAction] {
        let before = screens
        screens.personChanged()
        return screens == before ? [] : [.save]
    }

    // MARK: Starts and exits

    /// The app was started, or came back.
    private mutating func begin(_ start: LaunchMachine.Start, at now: DeviceTime) -> [BehaviorAction] {
        let sessionBefore = sessions.current
        var noticed: [UpdateMachine.Action] = []
        if let process = pending {
            // With the first start that is told, so that a process whose start never is takes no news away.
            noticed = updates.processStarted(appVersion: process.appVersion, systemVersion: process.systemVersion)
            pending = nil
        }
        var views: [ScreenMachine.Action] = []
        if start.kind == .passive {
            sessions.startedUnseen(at: now, limits: settings.sessionLimits)
        } else {
            noticed += updates.opened()
            let orders = sessions.userArrived(at: now, uniqueID: uniqueID, limits: settings.sessionLimits)
            if orders.isEmpty, screens.current != nil {
                engagement.screenResumed(at: now)
            }
            for case .begin in orders {
                engagement.screenForgotten()
                views += screens.sessionBegan(at: now)
            }
        }
        // The first events of a session are not under the screen of the one before, even if it is shown again at once.
        let isNewSession = sessions.current != sessionBefore
        let shown = isNewSession ? nil : screen
        var actions: [BehaviorAction] = [.background(start.kind == .passive), .save]
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

    /// The app left the foreground, or ends there.
    private mutating func end(_ exit: LaunchMachine.Exit) -> [BehaviorAction] {
        sessions.userLeft(at: exit.at)
        return [.background(true), .openWindow]
            + records(of: exit, capture: settings.capture)
            + [.save, .flush, .closeWindow]
    }

    /// The process before this one was killed in the foreground: its exit is told under its own session and screen.
    private mutating func recover(_ exit: LaunchMachine.Exit, capture: CaptureOptions) -> [BehaviorAction] {
        let context = BehaviorAction.context(session: session, screen: screen)
        let records = records(of: exit, capture: capture)
        return records.isEmpty ? [] : [context] + records
    }

    private mutating func records(of exit: LaunchMachine.Exit, capture: CaptureOptions) -> [BehaviorAction] {
        var records = leaveScreen(at: exit.at, isRecovered: exit.isRecovered, capture: capture)
        if capture.contains(.launches) { records.append(record(exit)) }
        return records
    }

    /// Tells of the session's start unless it was told, or is not to be.
    private mutating func announceSession(at now: DeviceTime) -> [BehaviorAction] {
        guard settings.capture.contains(.sessions), let session = sessions.announce() else { return [] }
        return [record(session, at: now)]
    }

    // MARK: Screens

    /// Screens the app names are always wanted.
    private func isWanted(_ view: ScreenView) -> Bool {
        view.isManual || settings.capture.contains(.screens)
    }

    /// Another screen is shown: the one before is left under its own context, then the new one begins.
    private mutating func show(_ order: ScreenMachine.Action, at now: DeviceTime) -> [BehaviorAction] {
        switch order {
        case .view(let view):
            let left = leaveScreen(at: now, isRecovered: false, capture: settings.capture)
            let shown = record(view, engagement: engagement.lastOfScreen, at: now)
            engagement.screenShown(at: now)
            return left + [.context(session: session, screen: view.screen), shown]
        }
    }

    /// The user leaves the screen that is shown, if one is.
    private mutating func leaveScreen(at now: DeviceTime, isRecovered: Bool, capture: CaptureOptions)
        -> [BehaviorAction]
    {
        // With an idle timeout the time after the last activity does not count.
        let end = sessions.activeUntil(now, settings.sessionLimits)
        return engagement.screenLeft(at: end).compactMap { order in
            switch order {
            case .engaged(let duration):
                capture.contains(.engagement) ? record(duration, isRecovered: isRecovered, at: end) : nil
            }
        }
    }

    // MARK: The events that tell of what the machines decided

    private func record(_ start: LaunchMachine.Start, at now: DeviceTime) -> BehaviorAction {
        let attributes: Attributes = [
            CapturedKey.isFirstTime: .boolean(start.isFirstOfProcess),
            CapturedKey.startKind: .string(start.kind.rawValue),
            CapturedKey.isFirstStart: .boolean(start.isFirstEver),
            CapturedKey.resumedFromBackground: .boolean(start.resumedFromBackground),
        ]
        return .record(name: CapturedName.appStart, attributes: attributes, at: now)
    }

    private func record(_ exit: LaunchMachine.Exit) -> BehaviorAction {
        var attributes: Attributes = [CapturedKey.foregroundDuration: exit.duration.attributeValue]
        if exit.isRecovered { attributes[CapturedKey.isRecovered] = true }
        return .record(name: CapturedName.appEnd, attributes: attributes, at: exit.at)
    }

    private func record(_ session: RecordedContext.Session, at now: DeviceTime) -> BehaviorAction {
        let attributes: Attributes = [
            CapturedKey.sessionID: .string(session.id),
            CapturedKey.sessionStart: .integer(session.start.milliseconds),
            CapturedKey.sessionNumber: .integer(session.number),
        ]
        return .record(name: CapturedName.sessionStart, attributes: attributes, at: now)
    }

    /// Tells of a first opening or an update; nil when nobody wants to know.
    private func record(_ update: UpdateMachine.Action, at now: DeviceTime) -> BehaviorAction? {
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

    /// Tells of an engagement.
    private func record(_ engagement: Duration, isRecovered: Bool, at now: DeviceTime) -> BehaviorAction {
        var attributes: Attributes = [CapturedKey.engagementTime: engagement.attributeValue]
        if isRecovered { attributes[CapturedKey.isRecovered] = true }
        return .record(name: CapturedName.userEngagement, attributes: attributes, at: now)
    }

    /// Tells of a view. What the app says about it never hides what the SDK knows.
    private func record(_ view: ScreenMachine.View, engagement: Duration?, at now: DeviceTime) -> BehaviorAction {
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

/// What is known when a process begins.
package struct ProcessStart: Sendable, Hashable, Codable {
    /// The state the app is in; background when the system launched it there.
    package var state: AppState
    /// The app's version, when it has one.
    package var appVersion: String?
    /// The system's version, when it is known.
    package var systemVersion: String?
    /// The user's unique id, whose last eight characters begin the ids of sessions.
    package var sessionPrefix: String
    /// What is captured.
    package var settings: BehaviorSettings
    /// Whether nobody can tell yet if the user opens the app.
    package var isPending: Bool

    /// A start of these parts.
    package init(
        state: AppState,
        isPending: Bool = false,
        appVersion: String? = nil,
        systemVersion: String? = nil,
        sessionPrefix: String,
        settings: BehaviorSettings = BehaviorSettings()
    ) {
        self.state = state
        self.isPending = isPending
        self.appVersion = appVersion
        self.systemVersion = systemVersion
        self.sessionPrefix = sessionPrefix
        self.settings = settings
    }
}

/// An order of the coordinator to its driver. Orders of one input are carried out one after the other.
package enum BehaviorAction: Sendable, Hashable {
    /// Record an event with this moment, under the context as the latest ``context(session:screen:)`` set it.
    case record(name: String, attributes: Attributes, at: DeviceTime)
    /// From now on events carry this session and this screen.
    case context(session: RecordedContext.Session?, screen: RecordedContext.Screen?)
    /// The app left the foreground, or came back.
    case background(Bool)
    /// Ask the system for time to finish; records, ``flush`` and ``closeWindow`` follow.
    case openWindow
    /// Send what waits.
    case flush
    /// Give the time back, once the flush before it is over.
    case closeWindow
    /// Keep the coordinator as it is now.
    case save
}
