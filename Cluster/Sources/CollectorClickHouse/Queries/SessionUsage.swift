// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The app usage in a session, added up from events in order of arrival.
///
/// An SQLite index adds up the usage in the same way, but as events arrive.
struct SessionUsage {
    /// One row of the usage table.
    struct Event {
        let position: Int64
        let time: Timestamp
        let fact: CapturedFact?

        /// Reads ``SessionUsage/columns``.
        init(_ row: inout RowCursor) throws(RowFault) {
            position = try row.int64()
            time = Timestamp(milliseconds: try row.int64())
            let usage = UsageRow(
                kind: try row.uint8(),
                name: try row.text(),
                detail: try row.text(),
                more: try row.text(),
                number: try row.int64(),
                flags: try row.uint8()
            )
            fact = usage.fact(at: time)
        }
    }

    /// The columns that a statement selects from each row.
    static let columns = "position, time, kind, name, detail, more, number, flags"

    /// The session's screens.
    private(set) var views = ScreenViews()
    /// The engagement time on screens, in milliseconds.
    private(set) var engagement: Int64 = 0
    /// The time in the foreground, in milliseconds.
    private(set) var foreground: Int64 = 0
    private var ends: [(launch: StoredLaunch, position: Int64)] = []

    /// Starts, ends, and crashes, in order of time; at equal times, in order of arrival.
    var launches: [StoredLaunch] {
        ends.sorted { ($0.launch.time, $0.position) < ($1.launch.time, $1.position) }.map(\.launch)
    }

    /// Adds the next event.
    mutating func add(_ event: Event) {
        switch event.fact {
        case .screen(let screen, let before)?:
            if let before, views.engage(nil, before, upTo: event.time, onlyUnreported: true) { engagement += before }
            views.show(screen, at: event.position)
        case .engagement(let screen, let time)?:
            engagement += time
            views.engage(screen, time, upTo: event.time, onlyUnreported: false)
        case .launch(let launch)?:
            foreground += launch.duration ?? 0
            ends.append((launch, event.position))
        case .click?, nil: break
        }
    }
}
