// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Lets screens that the app names take the place of those that the platform finds.
///
/// An app that names a screen usually does so while the platform finds one too: the same appearance, reported twice, in either
/// order. A named screen therefore stands for one found screen, and while the named one is shown, that one is passed over:
///
/// 1. the one it is known to belong to: its controller's, or that of the controller that was about to appear when the name came, or
/// 2. the one that was found last, when nothing was about to appear.
///
/// Any other found screen is a new one, however soon it follows, and ends the named screen's standing for something.
struct ScreenPrecedence: Sendable, Hashable {
    private struct Sighting: Sendable, Hashable, Codable {
        var screen: RecordedContext.Screen
    }

    private enum State: Sendable, Hashable, Codable {
        /// The screen that is shown was found, or there is none.
        case found
        /// A named screen is shown, and stands for this one.
        case named(standsFor: RecordedContext.Screen)
        /// A named screen is shown, and stands for the one with this unique id.
        case namedFor(uniqueID: String)
        /// A named screen is shown, and stands for no other.
        case namedAlone
    }

    private var state = State.found
    private var lastFound: Sighting?

    init() {}

    /// The unique id of the screen that the platform found last.
    var uniqueIDOfLastFound: String? { lastFound?.screen.uniqueID }

    /// The app named a screen.
    mutating func named(standingFor standing: ScreenView.Standing) {
        switch standing {
        case .screen(let uniqueID): state = .namedFor(uniqueID: uniqueID)
        case .nothing: state = .namedAlone
        case .lastFound: state = lastFound.map { .named(standsFor: $0.screen) } ?? .namedAlone
        }
    }

    /// The screen that the app named is known to have gone: it stands for nothing any more.
    mutating func namedWent() {
        state = .found
    }

    /// The platform found a screen.
    ///
    /// - Returns: True when it is to be recorded.
    mutating func found(_ screen: RecordedContext.Screen) -> Bool {
        lastFound = Sighting(screen: screen)
        switch state {
        case .named(let standsFor) where standsFor.isSame(as: screen):
            return false
        case .namedFor(let uniqueID) where uniqueID == screen.uniqueID:
            state = .named(standsFor: screen)
            return false
        case .found, .named, .namedFor, .namedAlone:
            state = .found
            return true
        }
    }

    /// The platform found a screen that is not to be recorded.
    mutating func noted(_ screen: RecordedContext.Screen) {
        lastFound = Sighting(screen: screen)
    }
}

extension ScreenPrecedence: Codable {
    private enum Key: String, CodingKey {
        case state
        case lastFound
    }

    /// Reads what was kept. What an older version kept of a name that it had given no screen yet has no meaning any more.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // What cannot be read is of no use after the process that kept it.
        state = (try? container.decode(State.self, forKey: .state)) ?? .found
        lastFound = try container.decodeIfPresent(Sighting.self, forKey: .lastFound)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(state, forKey: .state)
        try container.encodeIfPresent(lastFound, forKey: .lastFound)
    }
}

extension RecordedContext.Screen {
    /// True when showing one after the other is no change: names and unique ids are the same.
    func isSame(as other: RecordedContext.Screen) -> Bool {
        name == other.name && uniqueID == other.uniqueID
    }
}
