// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The precedence of screens named by the app over detected ones.
///
/// Detected screens are reported by the platform. An app that names a screen usually does so while the platform detects
/// one too: the same appearance is reported twice, in either order. A named screen therefore stands for one detected
/// screen, which is skipped while the named one is shown:
///
/// 1. the screen that it is known to belong to, which is that of its own view controller or of the view controller that
///    was about to appear when the screen was named, or
/// 2. the last detected screen, if none was about to appear.
///
/// Any other detected screen is a new one, however soon it follows, and ends this association.
struct ScreenPrecedence: Sendable, Equatable {
    private struct DetectedScreen: Sendable, Equatable, Codable {
        var screen: RecordedContext.Screen
    }

    private enum State: Sendable, Equatable, Codable {
        /// No named screen is shown: the current screen, if any, was detected.
        case found
        /// A named screen is shown and represents this detected screen.
        case named(standsFor: RecordedContext.Screen)
        /// A named screen is shown and represents this unique id.
        case namedFor(uniqueID: String)
        /// A named screen is shown and represents no detected screen.
        case namedAlone
    }

    private var state = State.found
    private var lastFound: DetectedScreen?

    init() {}

    /// The unique id of the last detected screen.
    var uniqueIDOfLastFound: String? { lastFound?.screen.uniqueID }

    /// Handles a screen that the app named.
    mutating func screenNamed(replacing replaced: ScreenView.ReplacedScreen) {
        switch replaced {
        case .screen(let uniqueID): state = .namedFor(uniqueID: uniqueID)
        case .nothing: state = .namedAlone
        case .lastFound: state = lastFound.map { .named(standsFor: $0.screen) } ?? .namedAlone
        }
    }

    /// Handles the disappearance of the named screen.
    ///
    /// The named screen no longer stands for a detected screen.
    mutating func namedScreenDisappeared() {
        state = .found
    }

    /// Handles a screen that the platform detected.
    ///
    /// - Returns: Whether to record the screen.
    mutating func screenDetected(_ screen: RecordedContext.Screen) -> Bool {
        lastFound = DetectedScreen(screen: screen)
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

    /// Notes a detected screen that is not to be recorded.
    mutating func noteUnrecorded(_ screen: RecordedContext.Screen) {
        lastFound = DetectedScreen(screen: screen)
    }
}

extension ScreenPrecedence: Codable {
    private enum Key: String, CodingKey {
        case state
        case lastFound
    }

    /// Reads a stored value.
    ///
    /// Older versions stored a state for a name without a screen; it is ignored.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // A state that cannot be read is not needed after the process that wrote it has ended.
        state = (try? container.decode(State.self, forKey: .state)) ?? .found
        lastFound = try container.decodeIfPresent(DetectedScreen.self, forKey: .lastFound)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(state, forKey: .state)
        try container.encodeIfPresent(lastFound, forKey: .lastFound)
    }
}

extension RecordedContext.Screen {
    /// Returns whether both screens have the same name and unique id.
    ///
    /// If so, showing one after the other is not a change.
    func isSame(as other: RecordedContext.Screen) -> Bool {
        name == other.name && uniqueID == other.uniqueID
    }
}
