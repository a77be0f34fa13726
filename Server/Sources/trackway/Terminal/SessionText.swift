// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

/// Sessions for a person.
struct SessionText: Sendable {
    /// Colours.
    var style: Style
    /// The zone in which times are shown.
    var zone: TimeZone

    /// A text; times are shown in the machine's own zone unless another is given.
    init(style: Style, zone: TimeZone = .current) {
        self.style = style
        self.zone = zone
    }

    /// A table, or with `paths` each session with its screens below it.
    func lines(_ sessions: [CollectorSession], paths: Bool) -> [String] {
        guard !sessions.isEmpty else {
            return ["No session is known yet.", "A session begins when an app with Trackway is opened."]
        }
        let format = EventLineFormat(style: style, zone: zone)
        var table = Table([
            ("start", .left), ("no.", .right), ("lasted", .right), ("events", .right), ("screens", .right),
            ("used", .right), ("who", .left),
        ])
        for session in sessions {
            table.append([
                format.date(session.start), session.number.map(String.init) ?? "–",
                TimeSpan(from: session.start, to: session.last).text,
                session.events.grouped, UInt64(session.screens.count).grouped,
                TimeSpan(milliseconds: session.engagement).text, who(session),
            ])
        }
        let rows = table.lines(style: style)
        guard paths else { return rows }
        return [rows[0]] + zip(rows.dropFirst(), sessions).flatMap { row, session in [row, "  " + path(session)] }
    }

    private func who(_ session: CollectorSession) -> String {
        EventLineFormat.plain(
            session.users.isEmpty ? session.installation ?? "–" : session.users.joined(separator: ", ")
        )
    }

    private func path(_ session: CollectorSession) -> String {
        guard !session.screens.isEmpty else { return style.faint("no screens") }
        return session.screens.map { screen in
            let name = EventLineFormat.plain(screen.name)
            guard screen.engagement > 0 else { return name }
            return name + " " + style.faint(TimeSpan(milliseconds: screen.engagement).text)
        }.joined(separator: " → ")
    }
}
