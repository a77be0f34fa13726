// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// The positions of one person's events, latest first by the device's time.
///
/// Events with the same time are in reverse order of arrival.
///
/// Runs are read in the order of their latest times. Events are sorted once no unread run can contain later events.
struct PersonEventPositions {
    private let runs: RawStatement
    private let events: RawStatement
    private let times: ClosedRange<Int64>
    private let after: TimelineCursor?
    /// The sorted positions of the runs read so far, latest last.
    private var ready: [TimelineCursor] = []
    /// The next run to read: its position range and its latest time.
    private var next: (places: ClosedRange<Int64>, latest: Int64)?
    private var hasBegun = false

    /// Finds the positions of a person (`users.number`) in a time range.
    ///
    /// Both ends of the range are inclusive. Only positions that follow `after` in this order are read.
    ///
    /// - Complexity: O(log runs) to begin, and O(the person's events in the runs of the time range) while reading.
    init(of person: Int64, in times: ClosedRange<Int64>, after: TimelineCursor?, _ db: Database) throws {
        self.times = times
        self.after = after
        runs = try RawStatement(
            db,
            """
            SELECT first, last, latest FROM runs INDEXED BY runs_by_person_time
            WHERE person = ?1 AND latest >= ?2 AND latest <= ?3 AND earliest <= ?4 ORDER BY latest DESC
            """
        )
        events = try RawStatement(db, "SELECT time, position FROM events WHERE position >= ? AND position <= ?")
        let end = min(times.upperBound, after?.time.milliseconds ?? .max)
        let (bound, isOver) = end.addingReportingOverflow(RunTable.span)
        runs.bind(1, person)
        runs.bind(2, times.lowerBound)
        runs.bind(3, isOver ? .max : bound)
        runs.bind(4, end)
    }

    /// Returns the next position, or nil at the end.
    mutating func step() throws -> TimelineCursor? {
        if !hasBegun {
            hasBegun = true
            try advance()
        }
        // A run that ends at the same time may have an event at that time.
        while let run = next, ready.last.map({ $0.time.milliseconds <= run.latest }) ?? true {
            try take(run.places)
            try advance()
        }
        return ready.popLast()
    }

    /// Ends reading before the last position.
    func end() {
        runs.reset()
        events.reset()
    }

    private mutating func advance() throws {
        next = try runs.step() ? (runs.integer(0)...runs.integer(1), runs.integer(2)) : nil
    }

    private mutating func take(_ places: ClosedRange<Int64>) throws {
        events.bind(1, places.lowerBound)
        events.bind(2, places.upperBound)
        while try events.step() {
            let place = TimelineCursor(
                time: Timestamp(milliseconds: events.integer(0)),
                position: EventPosition(rawValue: events.integer(1))
            )
            guard times.contains(place.time.milliseconds), after.map({ place < $0 }) ?? true else { continue }
            ready.append(place)
        }
        ready.sort()
    }
}
