// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Options for the calendar of queries that name no time zone.
struct CalendarOptions: ParsableArguments {
    @Option(
        help: """
            Time zone of queries that name none, such as Europe/Berlin; the page uses it for every user. Default: UTC, \
            and on the page each browser's.
            """
    )
    var timeZone: String?

    @Option(
        name: .customLong("week-start"),
        help: "First day of the week: monday, sunday, or saturday."
    )
    var weekStartName = WeekStart.monday.rawValue

    /// Checks that the time zone and the day exist.
    func validate() throws {
        guard WeekStart(rawValue: weekStartName) != nil else {
            let days = WeekStart.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--week-start: “\(weekStartName)” is not one of \(days)")
        }
        let time = Timestamp(milliseconds: 0)
        guard let timeZone, SystemZones.offsets(timeZone, time..<time.advanced(by: .seconds(1))) == nil else { return }
        throw ValidationError(
            "--time-zone: “\(timeZone)” is not the name of a time zone; write UTC, or a name such as Europe/Berlin"
        )
    }

    /// The calendar.
    var calendar: ProjectCalendar {
        ProjectCalendar(timeZone: timeZone, weekStart: WeekStart(rawValue: weekStartName) ?? .monday)
    }
}
