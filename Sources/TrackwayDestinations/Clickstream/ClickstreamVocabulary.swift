// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The names of captured events in this format.
///
/// The SDK's vocabulary follows this format, so few names differ.
enum ClickstreamVocabulary {
    /// The name of a start in the background.
    ///
    /// The documentation defines only visible starts.
    static let passiveStart = "_app_start_passively"

    /// Attributes of captured events that the documentation does not define.
    ///
    /// They are not sent.
    private static let undocumented: [String: Set<String>] = [
        CapturedName.appStart: [
            CapturedKey.startKind, CapturedKey.isFirstStart, CapturedKey.resumedFromBackground,
        ],
        CapturedName.appEnd: [CapturedKey.foregroundDuration, CapturedKey.isRecovered],
        CapturedName.userEngagement: [CapturedKey.isRecovered],
        CapturedName.sessionStart: [CapturedKey.sessionNumber],
        CapturedName.profileSet: [CapturedKey.signedIn],
    ]

    /// Returns the event's name in this format.
    static func name(of event: Event) -> String {
        if event.name == CapturedName.appStart, event.attributes[CapturedKey.startKind]?.string == "passive" {
            return passiveStart
        }
        return event.name
    }

    /// Whether an attribute of a captured event is undocumented.
    static func isUndocumented(_ key: String, in event: Event) -> Bool {
        // Only a visible start counts as the first start.
        if key == CapturedKey.isFirstTime, name(of: event) == passiveStart { return true }
        return undocumented[event.name]?.contains(key) ?? false
    }

    /// Whether an attribute identifies a screen.
    ///
    /// In a screen view event, the event's own value identifies the screen that was shown.
    static func isScreen(_ key: String) -> Bool {
        key == CapturedKey.screenName || key == CapturedKey.screenUniqueID
    }

    /// Whether an attribute may have any length.
    ///
    /// A crash is reported only once, and a truncated stack is useless.
    static func isExemptFromLimits(_ key: String, in event: String) -> Bool {
        event == CapturedName.appException
            && (key == CapturedKey.exceptionMessage || key == CapturedKey.exceptionStack)
    }
}
