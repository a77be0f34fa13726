// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

extension RecordedEvent {
    /// A short description of the event.
    ///
    /// The description contains the event's name and, for events that the SDK captures, the most important detail:
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

    private static func time(_ value: AttributeValue?) -> String? {
        guard let milliseconds = value?.integer else { return nil }
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}

/// Reads an installation's recorded events from storage without changing anything.
public enum RecordedEvents {
    /// Returns every intact event in a folder.
    ///
    /// Writers are ordered by id, and the events of each writer are in the order of recording.
    ///
    /// - Throws: `JournalError` when the journal is missing or cannot be read.
    /// - Complexity: O(size of the journal).
    public static func read(
        in folder: String,
        of storage: any JournalStorage = DiskStorage()
    ) throws(JournalError) -> [RecordedEvent] {
        let inspector = JournalInspector(folder: folder, storage: storage)
        var events: [RecordedEvent] = []
        for writer in try inspector.inspect().writers {
            var contexts: [UInt32: JSONValue] = [:]
            try inspector.records(of: writer.id) { record, payload, route in
                if record.kind == .context {
                    // A context that is not JSON would be a bug in the SDK; the missing context reveals it.
                    contexts[record.context] = try? JSONValue.parse(payload)
                } else if record.kind == .event {
                    // An unreadable event is missing from the result, so assertions about it fail.
                    guard let event = try? Event(json: payload) else { return true }
                    let context = contexts[record.context] ?? .null
                    events.append(
                        RecordedEvent(
                            event: event,
                            context: context,
                            sequence: record.sequence,
                            writer: writer.id,
                            route: route
                        )
                    )
                }
                return true
            }
        }
        return events
    }
}
