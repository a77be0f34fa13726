// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// An event of the Sensors Analytics format under the name it has with us. Events that apps name themselves pass as they
/// are.
struct SensorsCapturedEvent {
    /// Its name.
    private(set) var name: String
    /// Its attributes.
    private(set) var attributes: JSONValue.Object

    /// Translates an event; `properties` are those that are not preset.
    init(_ name: String, _ properties: JSONValue.Object) {
        self.name = name
        attributes = properties
        switch name {
        case "$AppStart": translateStart(isPassive: false)
        case "$AppStartPassively": translateStart(isPassive: true)
        case "$AppEnd":
            self.name = CapturedName.appEnd
            move(seconds: CapturedKey.eventDuration, to: CapturedKey.foregroundDuration)
        case "$AppViewScreen":
            self.name = CapturedName.screenView
            translateScreen()
        case "$AppPageLeave":
            self.name = CapturedName.userEngagement
            move(seconds: CapturedKey.eventDuration, to: CapturedKey.engagementTime)
        case "AppCrashed":
            self.name = CapturedName.appException
            translateException()
        default: break
        }
    }

    private mutating func translateStart(isPassive: Bool) {
        name = CapturedName.appStart
        let isFirst = attributes.take("$is_first_time")?.boolean ?? false
        let isResumed = attributes.take("$resume_from_background")?.boolean ?? false
        attributes.putNew(CapturedKey.isFirstTime, .boolean(!isResumed))
        attributes.putNew(CapturedKey.startKind, .string(isPassive ? "passive" : isResumed ? "hot" : "cold"))
        attributes.putNew(CapturedKey.isFirstStart, .boolean(isFirst))
        attributes.putNew(CapturedKey.resumedFromBackground, .boolean(isResumed))
    }

    private mutating func translateScreen() {
        for (theirs, ours) in [
            ("$screen_name", CapturedKey.screenName), ("$url", CapturedKey.screenID),
            ("$referrer", CapturedKey.previousScreenID),
        ] {
            attributes.putNew(ours, attributes.take(theirs))
        }
    }

    private mutating func translateException() {
        guard let reason = attributes.take("app_crashed_reason")?.string else { return }
        let lines = reason.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        attributes.putNew(CapturedKey.exceptionMessage, .string(lines.first.map(String.init) ?? ""))
        if lines.count > 1 { attributes.putNew(CapturedKey.exceptionStack, .string(String(lines[1]))) }
    }

    /// Seconds under one key become whole milliseconds under another.
    private mutating func move(seconds key: String, to target: String) {
        guard let seconds = attributes[key]?.double else { return }
        // No duration of an app is longer than this, and beyond it the product is no whole number any more.
        guard seconds.isFinite, abs(seconds) < 1e12 else { return }
        attributes.remove([key])
        attributes.putNew(target, .integer(Int64((seconds * 1000).rounded())))
    }
}
