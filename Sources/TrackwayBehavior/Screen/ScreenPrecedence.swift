// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Lets screens that the app names stand for those that the platform finds.
///
/// An app that names a screen usually does so while the platform finds one too: the same appearance, told twice, in either
/// order. A named screen therefore stands for one found screen, and while it is shown that one is passed over:
///
/// 1. the screen found last before it, and
/// 2. when that was found a second or more before, or nothing was: the first other screen found in less than a second
///    after it, instead.
///
/// Any other found screen is a new one, and ends the named screen's standing for something.
struct ScreenPrecedence: Sendable, Hashable, Codable {
    private struct Sighting: Sendable, Hashable, Codable {
        var screen: RecordedContext.Screen
        var at: DeviceTime
    }

    private enum State: Sendable, Hashable, Codable {
        /// The screen that is shown was found, or there is none.
        case found
        /// A named screen is shown, and which found one it stands for is still open.
        case namedRecently(since: DeviceTime)
        /// A named screen is shown, and stands for the screen found last before it, or for one found since.
        case named(standsFor: RecordedContext.Screen)
    }

    /// How far apart the two tellings of one appearance can be: systems tell of a screen at the end of its animation.
    static let window = Duration.seconds(1)

    private var state = State.found
    private var lastFound: Sighting?

    /// The unique id of the screen that the platform found last.
    var uniqueIDOfLastFound: String? { lastFound?.screen.uniqueID }

    /// The app named a screen.
    mutating func named(at now: DeviceTime) {
        if let lastFound, Self.isOneAppearance(lastFound.at, now) {
            state = .named(standsFor: lastFound.screen)
        } else {
            state = .namedRecently(since: now)
        }
    }

    /// The screen that the app named is known to have gone: it stands for nothing any more.
    mutating func namedWent() {
        state = .found
    }

    /// The platform found a screen.
    ///
    /// - Returns: True when it is to be recorded.
    mutating func found(_ screen: RecordedContext.Screen, at now: DeviceTime) -> Bool {
        let before = lastFound?.screen
        lastFound = Sighting(screen: screen, at: now)
        switch state {
        case .found:
            return true
        case .namedRecently(let since) where Self.isOneAppearance(since, now):
            state = .named(standsFor: screen)
            return false
        case .namedRecently:
            guard before?.isSame(as: screen) != true else {
                state = .named(standsFor: screen)
                return false
            }
            state = .found
            return true
        case .named(let standsFor):
            guard !standsFor.isSame(as: screen) else { return false }
            state = .found
            return true
        }
    }

    /// The platform found a screen that nobody wants to have recorded.
    mutating func noted(_ screen: RecordedContext.Screen, at now: DeviceTime) {
        lastFound = Sighting(screen: screen, at: now)
    }

    private static func isOneAppearance(_ first: DeviceTime, _ second: DeviceTime) -> Bool {
        guard let apart = second.elapsed(since: first) else { return false }
        return apart < window
    }
}

extension RecordedContext.Screen {
    /// True when showing one after the other is no change: names and unique ids are the same.
    func isSame(as other: RecordedContext.Screen) -> Bool {
        name == other.name && uniqueID == other.uniqueID
    }
}
