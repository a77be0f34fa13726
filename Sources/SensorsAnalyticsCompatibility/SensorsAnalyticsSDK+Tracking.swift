// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore

extension SensorsAnalyticsSDK {
    /// Records an event.
    public func track(_ event: String) {
        track(event, withProperties: nil)
    }

    /// Records an event with properties.
    public func track(_ event: String, withProperties properties: SensorsAnalyticsProperties?) {
        track(event, withProperties: properties, withTrackType: .code)
    }

    /// Records an event with the given origin.
    public func track(_ event: String, withTrackType type: SensorsAnalyticsTrackType) {
        track(event, withProperties: nil, withTrackType: type)
    }

    /// Records an event with properties and the given origin.
    public func track(
        _ event: String,
        withProperties properties: SensorsAnalyticsProperties?,
        withTrackType type: SensorsAnalyticsTrackType
    ) {
        var attributes = Attributes(properties)
        if type == .auto { attributes["$lib_method"] = "autoTrack" }
        record(event, attributes)
    }

    /// Sends pending events in the background.
    public func flush() {
        let analytics = analytics
        // This call does not wait. To wait, call `analytics.flush()`.
        Task { _ = await analytics.flush() }
    }

    /// Drops pending events.
    public func deleteAll() {
        let analytics = analytics
        Task { await analytics.discardPendingEvents(for: SAConfigOptions.destinationID) }
    }

    /// Records an event for the compatibility module's destination only.
    func record(_ name: String, _ attributes: Attributes = [:]) {
        analytics.record(name, attributes, to: [SAConfigOptions.destinationID])
    }

    /// Records an event that the app did not request.
    ///
    /// While the app launches, the event is recorded after `$AppStart`.
    func recordAfterLaunch(_ name: String, _ attributes: Attributes) {
        analytics.recordAfterLaunch(name, attributes, to: [SAConfigOptions.destinationID])
    }

    /// Sends pending events; during the app's launch, only after `$AppStart`.
    func flushAfterLaunch() {
        analytics.afterLaunch { [weak self] in self?.flush() }
    }
}

extension SensorsAnalyticsSDK {
    /// Records `$AppViewScreen` with the addresses of this and the previous screen.
    public func trackViewScreen(_ url: String, withProperties properties: SensorsAnalyticsProperties?) {
        var attributes = Attributes(properties)
        attributes["$lib_method"] = "code"
        analytics.screen(attributes["$screen_name"]?.string ?? url, path: url, attributes)
    }

    /// The address of the last screen shown; nil before the first.
    public func getLastScreenUrl() -> String? {
        let screen = analytics.recordedContext.screen
        return screen?.id ?? screen?.name
    }

    /// The address of the current screen; nil before the first.
    public func getCurrentScreenUrl() -> String? { getLastScreenUrl() }
}

extension SensorsAnalyticsSDK {
    /// Starts a timer.
    ///
    /// Timers with the same name may overlap: the name refers to the latest timer, and the ID refers to this one.
    ///
    /// - Returns: The timer's ID.
    @discardableResult
    public func trackTimerStart(_ event: String) -> String? {
        analytics.startTimer(event).text
    }

    /// Ends a timer and records its event with `event_duration`.
    ///
    /// Without such a timer, the event has no `event_duration`.
    ///
    /// - Parameter event: The event's name, or a timer's ID.
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

    /// Pauses a timer; pausing it again has no effect.
    public func trackTimerPause(_ event: String) {
        if let id = TimerID(text: event) { analytics.pauseTimer(id) } else { analytics.pauseTimer(event) }
    }

    /// Resumes a timer.
    public func trackTimerResume(_ event: String) {
        if let id = TimerID(text: event) { analytics.resumeTimer(id) } else { analytics.resumeTimer(event) }
    }

    /// Removes a timer.
    public func removeTimer(_ event: String) {
        if let id = TimerID(text: event) { analytics.removeTimer(id) } else { analytics.removeTimer(event) }
    }

    /// Removes all timers.
    public func clearTrackTimer() {
        analytics.clearTimers()
    }
}

// Timer IDs have the form used by the format's first client: `load_01890A5D_AC96_774B_BCCE_B302099A8057_SATimer`.
extension TimerID {
    private static let suffix = "_SATimer"
    private static let idLength = 36

    fileprivate var text: String {
        "\(name)_\(String(start.description.uppercased().map { $0 == "-" ? "_" : $0 }))\(Self.suffix)"
    }

    /// Decodes a timer's ID.
    ///
    /// The result is nil for any other text, such as an event's name.
    fileprivate init?(text: String) {
        guard text.hasSuffix(Self.suffix) else { return nil }
        let rest = text.dropLast(Self.suffix.count)
        guard rest.count > Self.idLength + 1, rest.dropLast(Self.idLength).hasSuffix("_"),
            let start = EventID(String(rest.suffix(Self.idLength).map { $0 == "_" ? "-" : $0 }))
        else { return nil }
        self.init(name: String(rest.dropLast(Self.idLength + 1)), start: start)
    }
}

/// The origin of an event.
public enum SensorsAnalyticsTrackType: Sendable, Hashable {
    /// The app's own code.
    case code
    /// Automatic tracking on the app's behalf.
    case auto
}
