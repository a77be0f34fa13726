// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How captured events are called here. This dialect lent the SDK its words, so little differs.
enum ClickstreamVocabulary {
    /// A start in the background: the document's start is one that can be seen.
    static let passiveStart = "_app_start_passively"

    /// What captured events say beyond the document; it stays on the device.
    private static let unspoken: [String: Set<String>] = [
        CapturedName.appStart: [
            CapturedKey.startKind, CapturedKey.isFirstStart, CapturedKey.resumedFromBackground,
        ],
        CapturedName.appEnd: [CapturedKey.foregroundDuration, CapturedKey.isRecovered],
        CapturedName.userEngagement: [CapturedKey.isRecovered],
        CapturedName.sessionStart: [CapturedKey.sessionNumber],
        CapturedName.profileSet: [CapturedKey.signedIn],
    ]

    /// The event's name in this dialect.
    static func name(of event: Event) -> String {
        if event.name == CapturedName.appStart, event.attributes[CapturedKey.startKind]?.string == "passive" {
            return passiveStart
        }
        return event.name
    }

    /// True for an attribute of a captured event that the document does not have.
    static func isUnspoken(_ key: String, in event: Event) -> Bool {
        // The first start is the first that can be seen.
        if key == CapturedKey.isFirstTime, name(of: event) == passiveStart { return true }
        return unspoken[event.name]?.contains(key) ?? false
    }

    /// True for what names a screen: a screen view's own is the one that was shown.
    static func isScreen(_ key: String) -> Bool {
        key == CapturedKey.screenName || key == CapturedKey.screenUniqueID
    }

    /// True for an attribute that may be as long as it is: a crash is told once, and half a stack tells nothing.
    static func isExempt(_ key: String, in event: String) -> Bool {
        event == CapturedName.appException
            && (key == CapturedKey.exceptionMessage || key == CapturedKey.exceptionStack)
    }
}
