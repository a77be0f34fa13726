// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

extension RecordedEvent {
    /// The event in a few words: its name and, for events that the SDK records by itself, what matters most about it.
    ///
    /// ```
    /// _app_start cold          _screen_view Home        _app_update from 1.0
    /// _app_end 20s             _user_engagement 1500ms  _os_update from 17.0
    /// _app_end 20s recovered   _session_start 2         purchase
    /// _app_state Home          _device_properties
    /// ```
    public var story: String {
        let own = event.attributes
        let words: [String?]
        switch event.name {
        case CapturedName.appStart:
            words = [own[CapturedKey.startKind]?.string]
        case CapturedName.appEnd:
            words = [Self.time(own[CapturedKey.foregroundDuration])]
        case CapturedName.userEngagement:
            words = [Self.time(own[CapturedKey.engagementTime])]
        case CapturedName.sessionStart:
            words = [session.map { "\($0.number)" }]
        case CapturedName.screenView:
            words = [own[CapturedKey.screenName]?.string]
        case CapturedName.appUpdate:
            words = [own[CapturedKey.previousAppVersion]?.string.map { "from \($0)" }]
        case CapturedName.osUpdate:
            words = [own[CapturedKey.previousOSVersion]?.string.map { "from \($0)" }]
        case CapturedName.appState:
            words = [own["window_root_view_controller_titles"]?.array?.first?.string]
        default:
            words = []
        }
        let isRecovered = own[CapturedKey.isRecovered]?.boolean == true
        return ([event.name] + words.compactMap { $0 } + (isRecovered ? ["recovered"] : [])).joined(separator: " ")
    }

    /// The session the event belongs to; nil when there was none.
    public var session: RecordedContext.Session? { RecordedContext(context).session }

    /// The screen that was shown; nil when there was none.
    public var screen: RecordedContext.Screen? { RecordedContext(context).screen }

    private static func time(_ value: AttributeValue?) -> String? {
        guard let milliseconds = value?.integer else { return nil }
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}
