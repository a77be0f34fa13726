// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

// What a start, an exit and a recovered exit consist of.
extension AppBehavior {
    /// The app was started, or came back.
    mutating func begin(
        _ start: LaunchMachine.Start,
        updates updated: [UpdateMachine.Action],
        at now: DeviceTime
    ) -> [BehaviorAction] {
        let sessionBefore = sessions.current
        var noticed = updated
        var views: [ScreenMachine.Action] = []
        if start.kind == .passive {
            sessions.startedUnseen(at: now, timeout: settings.sessionTimeout)
        } else {
            noticed += updates.opened()
            let orders = sessions.userArrived(at: now, uniqueID: uniqueID, timeout: settings.sessionTimeout)
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
    mutating func end(_ exit: LaunchMachine.Exit) -> [BehaviorAction] {
        sessions.userSeen(at: exit.at)
        return [.background(true), .openWindow]
            + records(of: exit, capture: settings.capture)
            + [.save, .flush, .closeWindow]
    }

    /// The process before this one was killed in the foreground: its exit is told under its own session and screen.
    mutating func recover(_ exit: LaunchMachine.Exit, capture: CaptureOptions) -> [BehaviorAction] {
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
    mutating func announceSession(at now: DeviceTime) -> [BehaviorAction] {
        guard settings.capture.contains(.sessions), let session = sessions.announce() else { return [] }
        return [record(session, at: now)]
    }
}
