// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

// The events that tell of what the machines decided.
extension AppBehavior {
    func record(_ start: LaunchMachine.Start, at now: DeviceTime) -> BehaviorAction {
        let attributes: Attributes = [
            CapturedKey.isFirstTime: .boolean(start.isFirstOfProcess),
            CapturedKey.startKind: .string(start.kind.rawValue),
            CapturedKey.isFirstStart: .boolean(start.isFirstEver),
            CapturedKey.resumedFromBackground: .boolean(start.resumedFromBackground),
        ]
        return .record(name: CapturedName.appStart, attributes: attributes, at: now)
    }

    func record(_ exit: LaunchMachine.Exit) -> BehaviorAction {
        var attributes: Attributes = [CapturedKey.foregroundDuration: exit.duration.attributeValue]
        if exit.isRecovered { attributes[CapturedKey.isRecovered] = true }
        return .record(name: CapturedName.appEnd, attributes: attributes, at: exit.at)
    }

    func record(_ session: RecordedContext.Session, at now: DeviceTime) -> BehaviorAction {
        let attributes: Attributes = [
            CapturedKey.sessionID: .string(session.id),
            CapturedKey.sessionStart: .integer(session.start.milliseconds),
            CapturedKey.sessionNumber: .integer(session.number),
        ]
        return .record(name: CapturedName.sessionStart, attributes: attributes, at: now)
    }

    /// Tells of a first opening or an update; nil when nobody wants to know.
    func record(_ update: UpdateMachine.Action, at now: DeviceTime) -> BehaviorAction? {
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
    func record(_ engagement: Duration, isRecovered: Bool, at now: DeviceTime) -> BehaviorAction {
        var attributes: Attributes = [CapturedKey.engagementTime: engagement.attributeValue]
        if isRecovered { attributes[CapturedKey.isRecovered] = true }
        return .record(name: CapturedName.userEngagement, attributes: attributes, at: now)
    }

    /// Tells of a view. What the app says about it never hides what the SDK knows.
    func record(_ view: ScreenMachine.View, engagement: Duration?, at now: DeviceTime) -> BehaviorAction {
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
