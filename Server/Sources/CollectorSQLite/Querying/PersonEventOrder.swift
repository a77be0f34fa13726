// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// The order of one person's events: latest first by the device's time.
///
/// Events with the same time are in reverse order of arrival.
///
/// Runs are read in the order of their latest times. An event is next once no unread run can contain a later one. The
/// value can be kept between transactions, and then continues without reading anything again.
struct PersonEventOrder: Sendable {
    /// A part of the person's events: the rows with one number in a time range.
    struct Part: Sendable {
        /// The person number of the rows (`users.number`).
        let number: Int64
        /// The time range, in milliseconds since 1970.
        let times: ClosedRange<Int64>
        /// Whether the events were recorded before the user signed in.
        let isVisit: Bool
    }

    /// The place of an event.
    struct Place: Comparable, Sendable {
        /// The event's time and position.
        let cursor: TimelineCursor
        /// The index of the event's part.
        let part: Int32

        static func < (left: Place, right: Place) -> Bool { left.cursor < right.cursor }
    }

    /// The result of a step.
    enum Step: Sendable {
        /// The next event.
        case place(Place)
        /// The limit was reached before the next event was found.
        case paused
        /// There are no more events.
        case end
    }

    /// An unread run, the next one of its part.
    private struct Run: Comparable {
        let places: ClosedRange<Int64>
        let earliest: Int64
        let latest: Int64
        let part: Int

        static func < (left: Run, right: Run) -> Bool { left.latest < right.latest }
    }

    /// The number of rows read: of runs, and of events in runs.
    private(set) var rowsRead = 0
    private let parts: [Part]
    private let end: Int64
    private let names: [[UInt8]]
    private let maximumHeld: Int
    /// The place after which the order begins.
    private var after: TimelineCursor?
    /// The number of parts whose first run was read.
    private var begun = 0
    /// The next run of each part.
    private var runs = MaxHeap<Run>()
    /// The events of the runs read so far.
    private var found = MaxHeap<Place>()
    /// The last place before those that were not held, because there were too many; nil if all are held.
    private var floor: TimelineCursor?

    /// Creates the order of the events of a person's parts.
    ///
    /// - Parameters:
    ///   - after: The place after which to begin; nil for the latest event.
    ///   - end: The position before which events are read; nil for all.
    ///   - names: The names of the events; empty for any name.
    ///   - maximumHeld: The maximum number of places held between steps. If more events are in runs that overlap in
    ///     time, their runs are read again after half as many events.
    init(
        of parts: [Part],
        after: TimelineCursor? = nil,
        before end: EventPosition? = nil,
        names: [String] = [],
        maximumHeld: Int = 500_000
    ) {
        self.parts = parts
        self.after = after
        self.end = end?.rawValue ?? .max
        self.names = names.map { Array($0.utf8) }
        self.maximumHeld = max(2, maximumHeld)
    }

    /// Returns the next event.
    ///
    /// - Parameter limit: The value of ``rowsRead`` from which no further runs are read.
    /// - Complexity: O(log) if the event is in a run that was read; otherwise O(events of the runs that may contain
    ///   it).
    mutating func next(_ rows: RunRows, limit: Int = .max) throws -> Step {
        while true {
            while begun < parts.count {
                guard rowsRead < limit else { return .paused }
                try readFirstRun(of: begun, rows)
                begun += 1
            }
            if let run = runs.first, isNeeded(run) {
                guard rowsRead < limit else { return .paused }
                _ = runs.popFirst()
                try read(run, rows)
                continue
            }
            if let place = found.popFirst() { return .place(place) }
            guard let floor else { return .end }
            (after, self.floor, begun, runs) = (floor, nil, 0, MaxHeap())
        }
    }

    /// Whether a run may contain the next event.
    private func isNeeded(_ run: Run) -> Bool {
        // A run that ends at the same time may have an event at that time.
        if let first = found.first { return first.cursor.time.milliseconds <= run.latest }
        return floor.map { $0.time.milliseconds <= run.latest } ?? true
    }

    private mutating func readFirstRun(of part: Int, _ rows: RunRows) throws {
        rowsRead += 1
        let run = try rows.first(of: parts[part].number, in: range(of: part), before: end)
        if let run { runs.insert(Run(places: run.places, earliest: run.earliest, latest: run.latest, part: part)) }
    }

    private func range(of part: Int) -> ClosedRange<Int64> {
        let times = parts[part].times
        // A part that begins after the place has no further events; those at its start are then skipped.
        return times.lowerBound...max(times.lowerBound, min(times.upperBound, after?.time.milliseconds ?? .max))
    }

    /// Adds a run's events, and finds the next run of its part.
    private mutating func read(_ run: Run, _ rows: RunRows) throws {
        let (number, times) = (parts[run.part].number, parts[run.part].times)
        var places: [Place] = []
        try rows.events(in: run.places.lowerBound...min(run.places.upperBound, end - 1)) { cursor, name in
            rowsRead += 1
            guard times.contains(cursor.time.milliseconds), after.map({ cursor < $0 }) ?? true,
                floor.map({ $0 < cursor }) ?? true,
                names.isEmpty || names.contains(where: { $0.elementsEqual(name) })
            else { return }
            places.append(Place(cursor: cursor, part: Int32(clamping: run.part)))
        }
        found.insert(places)
        if found.count > maximumHeld {
            found.removeAll(exceptLargest: maximumHeld / 2)
            floor = found.elements.last?.cursor
        }
        rowsRead += 1
        let last = (run.latest, run.earliest, run.places.lowerBound)
        guard let next = try rows.next(of: number, in: range(of: run.part), before: end, after: last) else { return }
        runs.insert(Run(places: next.places, earliest: next.earliest, latest: next.latest, part: run.part))
    }
}

/// The statements that read a person's runs and their events.
///
/// They belong to one connection, and none is open between calls.
struct RunRows {
    /// A run: its positions and times.
    typealias Run = (places: ClosedRange<Int64>, earliest: Int64, latest: Int64)

    private let first: RawStatement
    private let tied: RawStatement
    private let earlier: RawStatement
    private let events: RawStatement

    init(_ db: Database) throws {
        let runs = "SELECT first, last, earliest, latest FROM runs INDEXED BY runs_by_person_time WHERE person = ?1"
        let order = "ORDER BY latest DESC, earliest DESC, first DESC LIMIT 1"
        let range = "AND latest >= ?2 AND earliest <= ?3 AND first < ?4"
        first = try RawStatement(db, "\(runs) \(range) AND latest <= ?5 \(order)")
        tied = try RawStatement(
            db,
            "\(runs) AND latest = ?2 AND earliest = ?3 AND first < ?4 ORDER BY first DESC LIMIT 1"
        )
        earlier = try RawStatement(db, "\(runs) \(range) AND (latest, earliest) < (?5, ?6) \(order)")
        events = try RawStatement(db, "SELECT time, position, name FROM events WHERE position >= ? AND position <= ?")
    }

    /// Returns the run with the latest time that may have events in a time range.
    ///
    /// - Parameter end: The position before which the run begins.
    func first(of person: Int64, in times: ClosedRange<Int64>, before end: Int64) throws -> Run? {
        let (bound, isOver) = times.upperBound.addingReportingOverflow(RunTable.span)
        bind(first, person, times, end)
        first.bind(5, isOver ? .max : bound)
        return try run(first)
    }

    /// Returns the run that follows another one.
    ///
    /// - Parameter last: The other run's latest time, earliest time and first position.
    func next(
        of person: Int64,
        in times: ClosedRange<Int64>,
        before end: Int64,
        after last: (latest: Int64, earliest: Int64, position: Int64)
    ) throws -> Run? {
        tied.bind(1, person)
        tied.bind(2, last.latest)
        tied.bind(3, last.earliest)
        tied.bind(4, last.position)
        if let run = try run(tied) { return run }
        bind(earlier, person, times, end)
        earlier.bind(5, last.latest)
        earlier.bind(6, last.earliest)
        return try run(earlier)
    }

    /// Calls `body` with the place and the name of each event in a range of positions.
    ///
    /// The bytes of the name are valid during the call.
    func events(
        in places: ClosedRange<Int64>,
        _ body: (TimelineCursor, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        events.bind(1, places.lowerBound)
        events.bind(2, places.upperBound)
        defer { events.reset() }
        while try events.step() {
            let cursor = TimelineCursor(
                time: Timestamp(milliseconds: events.integer(0)),
                position: EventPosition(rawValue: events.integer(1))
            )
            try events.withBytes(2) { try body(cursor, $0) }
        }
    }

    private func bind(_ statement: RawStatement, _ person: Int64, _ times: ClosedRange<Int64>, _ end: Int64) {
        statement.bind(1, person)
        statement.bind(2, times.lowerBound)
        statement.bind(3, times.upperBound)
        statement.bind(4, end)
    }

    private func run(_ statement: RawStatement) throws -> Run? {
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let places = statement.integer(0)...statement.integer(1)
        return (places, statement.integer(2), statement.integer(3))
    }
}
