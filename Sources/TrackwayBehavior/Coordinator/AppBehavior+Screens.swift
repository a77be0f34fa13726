// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

// What showing and leaving a screen consist of.
extension AppBehavior {
    /// Screens the app names are always wanted.
    func isWanted(_ view: ScreenView) -> Bool {
        view.isManual || settings.capture.contains(.screens)
    }

    /// Another screen is shown: the one before is left under its own context, then the new one begins.
    mutating func show(_ order: ScreenMachine.Action, at now: DeviceTime) -> [BehaviorAction] {
        switch order {
        case .view(let view):
            let left = leaveScreen(at: now, isRecovered: false, capture: settings.capture)
            let shown = record(view, engagement: engagement.lastOfScreen, at: now)
            engagement.screenShown(at: now)
            return left + [.context(session: session, screen: view.screen), shown]
        }
    }

    /// The user leaves the screen that is shown, if one is.
    mutating func leaveScreen(at now: DeviceTime, isRecovered: Bool, capture: CaptureOptions) -> [BehaviorAction] {
        engagement.screenLeft(at: now).compactMap { order in
            switch order {
            case .engaged(let duration):
                capture.contains(.engagement) ? record(duration, isRecovered: isRecovered, at: now) : nil
            }
        }
    }
}
