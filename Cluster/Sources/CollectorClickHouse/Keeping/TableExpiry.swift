// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides which weeks of events the tables let go of by age. A value: it is asked for its ``order``, and told what came of it.
///
/// A week goes as a whole, when all of it arrived longer ago than is wanted. That the tables keep events from a week on only is recorded
/// before anything is dropped: from then on readers leave out what is before, nobody writes it again, and an audit does not miss it. Whoever
/// is killed between leaves a record and weeks that are there still, and these go the next time. Two at once do the same.
///
/// Weeks are those by which ``ColumnTable/events`` is divided: numbers of weeks since 1970, which begin on Thursdays.
package struct TableExpiry: Sendable {
    /// What is to be done next.
    package enum Order: Sendable, Hashable {
        /// See what there is.
        case look
        /// Record that events are kept from this week on.
        case record(Int64)
        /// Let those who began before that come to their end.
        case settle
        /// Drop a week.
        case drop(Int64)
        /// Nothing more.
        case end
    }

    /// What there is.
    package struct Look: Sendable, Hashable {
        /// The time by the server's clock.
        package var now: Timestamp
        /// The weeks that have events.
        package var weeks: [StoredWeek]
        /// The week from which on events are kept, as it is recorded; nil when nothing ever went.
        package var kept: Int64?

        /// A look.
        package init(now: Timestamp, weeks: [StoredWeek], kept: Int64?) {
            self.now = now
            self.weeks = weeks
            self.kept = kept
        }
    }

    /// Why nothing goes.
    package enum Fault: Sendable, Hashable {
        /// The server's clock and this machine's are that far apart.
        case clocks(Duration)
        /// It is recorded that events are kept from a week on that has not passed yet.
        case early(Int64)
    }

    /// The shortest time that events are kept: the week that is now, and the one before it, never go.
    package static let shortest = Duration.seconds(2 * 7 * 86_400)
    /// Clocks that are further apart than this tell nothing about age.
    package static let tolerance = Duration.seconds(3_600)

    private enum State: Sendable, Hashable {
        case looking
        case recording(Int64)
        case settling
        case dropping
        case ended
    }

    private let now: Timestamp
    private let age: Duration
    private let isTrial: Bool
    private var state = State.looking
    private var rest: [StoredWeek] = []
    /// Why nothing goes; nil when nothing speaks against it.
    package private(set) var fault: Fault?
    /// The week from which on events are kept, as it is recorded, or would be; nil for all.
    package private(set) var kept: Int64?
    /// The weeks that went, or would go.
    package private(set) var expired: [StoredWeek] = []
    /// Weeks with events that are yet to come: the clock of whoever took these was wrong.
    package private(set) var ahead: [StoredWeek] = []

    /// One that has just begun.
    ///
    /// - Parameters:
    ///   - now: The time by this machine's clock.
    ///   - age: How long ago what goes arrived at least; ``shortest`` where it is shorter.
    ///   - isTrial: Whether nothing goes, and it is only told.
    package init(at now: Timestamp, age: Duration, isTrial: Bool = false) {
        self.now = now
        self.age = max(age, Self.shortest)
        self.isTrial = isTrial
    }

    /// What is to be done next.
    package var order: Order {
        switch state {
        case .looking: .look
        case .recording(let week): .record(week)
        case .settling: .settle
        case .dropping: rest.first.map { .drop($0.number) } ?? .end
        case .ended: .end
        }
    }

    // MARK: What came of it

    /// This is there.
    package mutating func looked(_ look: Look) {
        guard case .looking = state else { return }
        kept = look.kept
        let weeks = look.weeks.sorted { $0.number < $1.number }
        ahead = weeks.filter { $0.number > Self.week(of: now) + 1 }
        let distance = now.duration(to: look.now)
        let isApart = distance > Self.tolerance || distance < .zero - Self.tolerance
        if isApart { fault = .clocks(distance) }
        if let kept, !Self.isPlausible(kept, at: now) { fault = .early(kept) }
        guard fault == nil else { return end() }
        // The earlier clock counts, so that what one of them takes for young stays.
        let wanted = Self.week(of: min(now, look.now).advanced(by: .zero - age))
        let first = max(wanted, look.kept ?? .min)
        rest = weeks.filter { $0.number < first }
        if isTrial {
            expired = rest
            if first > look.kept ?? 0 { kept = first }
            return end()
        }
        // Also where there is nothing to drop: tables may be filled anew from records that are as old.
        if first > look.kept ?? 0 {
            state = .recording(first)
        } else {
            goOn()
        }
    }

    /// It is recorded that events are kept from the week on.
    package mutating func recorded() {
        guard case .recording(let week) = state else { return }
        kept = week
        state = rest.isEmpty ? .ended : .settling
    }

    /// Whoever began before that has come to the end.
    package mutating func settled() {
        guard case .settling = state else { return }
        goOn()
    }

    /// The week is dropped.
    package mutating func dropped() {
        guard case .dropping = state, let week = rest.first else { return }
        expired.append(week)
        rest.removeFirst()
        goOn()
    }

    private mutating func goOn() { state = rest.isEmpty ? .ended : .dropping }

    private mutating func end() {
        rest = []
        state = .ended
    }

    // MARK: Weeks

    /// The week of a moment.
    package static func week(of moment: Timestamp) -> Int64 { moment.milliseconds / BlockCutter.millisecondsOfWeek }

    /// The moment at which a week begins.
    package static func beginning(of week: Int64) -> Timestamp {
        let (start, isOver) = week.multipliedReportingOverflow(by: BlockCutter.millisecondsOfWeek)
        return Timestamp(milliseconds: isOver ? .max : start)
    }

    /// Whether it can be true that events are kept from a week on only: neither the week that is now nor the one before it ever goes.
    package static func isPlausible(_ kept: Int64, at now: Timestamp) -> Bool { kept < week(of: now) }
}

/// A week of which the tables have events.
package struct StoredWeek: Sendable, Hashable {
    /// Its number, counted from 1970.
    package var number: Int64
    /// How many rows it has; those that were written twice count twice until they are merged.
    package var rows: UInt64
    /// How many bytes they take on the disk.
    package var bytes: UInt64

    /// A week.
    package init(number: Int64, rows: UInt64 = 0, bytes: UInt64 = 0) {
        self.number = number
        self.rows = rows
        self.bytes = bytes
    }
}
