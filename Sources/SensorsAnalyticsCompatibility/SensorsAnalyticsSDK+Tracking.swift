// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayEvents

extension SensorsAnalyticsSDK {
    /// Records an event.
    public func track(_ event: String) {
        track(event, withProperties: nil)
    }

    /// Records an event with properties.
    public func track(_ event: String, withProperties properties: SensorsAnalyticsProperties?) {
        track(event, withProperties: properties, withTrackType: .code)
    }

    /// Records an event, saying who asked for it.
    public func track(_ event: String, withTrackType type: SensorsAnalyticsTrackType) {
        track(event, withProperties: nil, withTrackType: type)
    }

    /// Records an event with properties, saying who asked for it.
    public func track(
        _ event: String,
        withProperties properties: SensorsAnalyticsProperties?,
        withTrackType type: SensorsAnalyticsTrackType
    ) {
        var attributes = Attributes(properties)
        if type == .auto { attributes["$lib_method"] = "autoTrack" }
        record(event, attributes)
    }

    /// Sends what waits, in the background.
    public func flush() {
        let analytics = analytics
        // Nobody waits for this call; `analytics.flush()` is there for those who do.
        Task { _ = await analytics.flush() }
    }

    /// Drops what waits to be sent.
    public func deleteAll() {
        let analytics = analytics
        Task { await analytics.discardWaiting(for: SAConfigOptions.destinationID) }
    }

    /// Records for the compatibility module's own destination only.
    func record(_ name: String, _ attributes: Attributes = [:]) {
        analytics.record(name, attributes, to: [SAConfigOptions.destinationID])
    }

    /// Records an event that no call of the app made. While the app launches it follows `$AppStart`.
    func recordAfterLaunch(_ name: String, _ attributes: Attributes) {
        analytics.recordAfterLaunch(name, attributes, to: [SAConfigOptions.destinationID])
    }

    /// The same as ``flush()``; while the app launches, after `$AppStart`.
    func flushAfterLaunch() {
        analytics.afterLaunch { [weak self] in self?.flush() }
    }
}

extension SensorsAnalyticsSDK {
    /// Tells which screen is shown: records `$AppViewScreen` with its address, and the address of the one before.
    public func trackViewScreen(_ url: String, withProperties properties: SensorsAnalyticsProperties?) {
        var attributes = Attributes(properties)
        attributes["$lib_method"] = "code"
        analytics.screen(attributes["$screen_name"]?.string ?? url, path: url, attributes)
    }

    /// The address of the screen that was shown last; nil before there was one.
    public func getLastScreenUrl() -> String? {
        let screen = analytics.recordedContext.screen
        return screen?.id ?? screen?.name
    }

    /// The address of the screen that is shown; nil before there was one.
    public func getCurrentScreenUrl() -> String? { getLastScreenUrl() }
}

extension SensorsAnalyticsSDK {
    /// Starts a timer. Timers of one name may cross: the name stands for the latest, the id for this one.
    ///
    /// - Returns: The timer's id.
    @discardableResult
    public func trackTimerStart(_ event: String) -> String? {
        analytics.startTimer(event).text
    }

    /// Ends a timer and records its event with `event_duration`; without such a timer the event has none.
    ///
    /// - Parameter event: the event's name, or a timer's id.
    public func trackTimerEnd(_ event: String) {
        trackTimerEnd(event, withProperties: nil)
    }

    /// Ends a timer and records its event with `event_duration` and these properties.
    public func trackTimerEnd(_ event: String, withProperties properties: SensorsAnalyticsProperties?) {
        let attributes = Attributes(properties)
        if let id = TimerID(text: event) {
            analytics.endTimer(id, attributes, to: [SAConfigOptions.destinationID])
        } else {
            analytics.endTimer(event, attributes, to: [SAConfigOptions.destinationID])
        }
    }

    /// Lets a timer stand still; once is enough.
    public func trackTimerPause(_ event: String) {
        if let id = TimerID(text: event) { analytics.pauseTimer(id) } else { analytics.pauseTimer(event) }
    }

    /// Lets a timer go on.
    public func trackTimerResume(_ event: String) {
        if let id = TimerID(text: event) { analytics.resumeTimer(id) } else { analytics.resumeTimer(event) }
    }

    /// Gives a timer up.
    public func removeTimer(_ event: String) {
        if let id = TimerID(text: event) { analytics.removeTimer(id) } else { analytics.removeTimer(event) }
    }

    /// Gives all timers up.
    public func clearTrackTimer() {
        analytics.clearTimers()
    }
}

// As the format's first client writes a timer's id: `load_01890A5D_AC96_774B_BCCE_B302099A8057_SATimer`.
extension TimerID {
    private static let ending = "_SATimer"
    private static let idLength = 36

    fileprivate var text: String {
        "\(name)_\(String(start.description.uppercased().map { $0 == "-" ? "_" : $0 }))\(Self.ending)"
    }

    /// Reads a timer's id; nil for anything else, such as an event's name.
    fileprivate init?(text: String) {
        guard text.hasSuffix(Self.ending) else { return nil }
        let rest = text.dropLast(Self.ending.count)
        guard rest.count > Self.idLength + 1, rest.dropLast(Self.idLength).hasSuffix("_"),
            let start = EventID(String(rest.suffix(Self.idLength).map { $0 == "_" ? "-" : $0 }))
        else { return nil }
        self.init(name: String(rest.dropLast(Self.idLength + 1)), start: start)
    }
}

/// Who asked for an event.
public enum SensorsAnalyticsTrackType: Sendable, Hashable {
    /// The app.
    case code
    /// What watches the app on its behalf.
    case auto
}
