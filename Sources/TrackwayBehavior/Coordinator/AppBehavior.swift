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
    var settings = BehaviorSettings()
    var uniqueID = ""
    var launch = LaunchMachine()
    var sessions = SessionMachine()
    var screens = ScreenMachine()
    var engagement = EngagementMachine()
    var updates = UpdateMachine()

    /// An installation that never ran.
    package init() {}

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
        let orders = launch.processStarted(in: start.state, at: now)
        var actions: [BehaviorAction] = []
        for case .exit(let exit) in orders {
            actions += recover(exit, capture: start.settings.capture)
        }
        settings = start.settings
        uniqueID = start.sessionPrefix
        screens.processStarted()
        engagement.screenForgotten()
        let updated = updates.processStarted(appVersion: start.appVersion, systemVersion: start.systemVersion)
        for case .start(let start) in orders {
            actions += begin(start, updates: updated, at: now)
        }
        return actions
    }

    /// The system, or the app in its place, said something about the life of the app.
    package mutating func lifeCycleChanged(_ change: LifeCycleChange, at now: DeviceTime) -> [BehaviorAction] {
        let before = launch
        let orders = launch.changed(change, at: now)
        var actions: [BehaviorAction] = []
        for order in orders {
            switch order {
            case .start(let start): actions += begin(start, updates: [], at: now)
            case .exit(let exit): actions += end(exit)
            }
        }
        if launch.isInForeground { sessions.userSeen(at: now) }
        return orders.isEmpty && launch != before ? [.save] : actions
    }

    /// A screen was shown: the platform found it, or the app named it.
    package mutating func screenShown(_ screen: ScreenView, at now: DeviceTime) -> [BehaviorAction] {
        guard launch.isInForeground else {
            screens.announcedUnseen(screen, at: now)
            return [.save]
        }
        launch.wasAlive(at: now)
        sessions.userSeen(at: now)
        let orders = screens.announced(screen, isWanted: isWanted(screen), at: now)
        return orders.flatMap { show($0, at: now) } + [.save]
    }

    /// Half a minute in the foreground went by: should the process be killed, it lived at least until now.
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
}
