// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reading which screens were shown and in which order, and what was clicked there.
enum ScreenRows {
    /// The screens, the steps between them, and their elements.
    ///
    /// The rows come installation by installation, and within one session by session in the order of time, whatever order
    /// the batches came in. What is outside every session (number 0) is one path of its installation. Of everybody's so many
    /// are looked at as the query says, those that arrived last: there may be millions.
    ///
    /// - Complexity: O(screens shown in the time), one walk; memory O(names and steps counted separately, and the screens of
    ///   one installation).
    static func flow(_ query: ScreenQuery, _ db: Database) throws -> ScreenFlow {
        let statement = try RawStatement(
            db,
            """
            SELECT installation, session, name, engagement FROM \(rows("screens", of: query))
            ORDER BY installation, session, time, position
            """
        )
        if let installation = query.installation { statement.bind(1, installation) }
        if let from = query.from { statement.bind(2, from.milliseconds) }
        defer { statement.reset() }
        var tally = ScreenTally()
        while try statement.step() {
            tally.add(
                statement.text(2),
                installation: statement.integer(0),
                session: statement.integer(1),
                engagement: statement.integer(3)
            )
        }
        var flow = tally.flow(limit: max(0, query.limit))
        flow.elements = try elements(query, db)
        if query.installation == nil, try hasMore(than: query, db) { flow.latest = query.maxViews }
        return flow
    }

    /// The rows of a table that a query means: those of an installation lie in its runs, of all the last ones are meant. Its first
    /// parameter is the installation's id, its second the time from which on.
    private static func rows(_ table: String, of query: ScreenQuery) -> String {
        let rows =
            if query.installation != nil {
                """
                (SELECT \(table).* FROM runs CROSS JOIN \(table) ON \(table).position BETWEEN runs.first AND runs.last
                WHERE runs.installation = (SELECT number FROM installations WHERE id = ?1))
                """
            } else {
                "(SELECT * FROM \(table) ORDER BY position DESC LIMIT \(query.maxViews))"
            }
        return query.from == nil ? rows : rows + " WHERE time >= ?2"
    }

    /// Whether there are views in the query's time beyond those that are looked at.
    ///
    /// - Complexity: O(views that are looked at), in an index.
    private static func hasMore(than query: ScreenQuery, _ db: Database) throws -> Bool {
        let statement = try RawStatement(db, "SELECT 1 FROM screens WHERE time >= ?1 LIMIT 1 OFFSET ?2")
        statement.bind(1, query.from?.milliseconds ?? .min)
        statement.bind(2, Int64(query.maxViews))
        defer { statement.reset() }
        return try statement.step()
    }

    /// The elements by clicks.
    ///
    /// - Complexity: O(clicks in the time), one walk; memory O(elements counted separately).
    private static func elements(_ query: ScreenQuery, _ db: Database) throws -> [ScreenFlow.Element] {
        let statement = try RawStatement(
            db,
            """
            SELECT installation, screen, element, type FROM \(rows("clicks", of: query))
            ORDER BY installation, position
            """
        )
        if let installation = query.installation { statement.bind(1, installation) }
        if let from = query.from { statement.bind(2, from.milliseconds) }
        defer { statement.reset() }
        var tally = ClickTally()
        while try statement.step() {
            tally.add(
                ClickTally.Name(screen: statement.text(1), element: statement.text(2), type: statement.optionalText(3)),
                installation: statement.integer(0)
            )
        }
        return tally.elements(limit: max(0, query.limit))
    }
}

/// Sums of clicks. They are added installation by installation.
private struct ClickTally {
    struct Name: Hashable {
        let screen: String
        let element: String
        let type: String?
    }

    private struct Sum {
        var clicks: UInt64 = 0
        var installations: UInt64 = 0
        /// The installation counted last: rows of one installation are adjacent.
        var lastInstallation: Int64?
    }

    /// The most elements that are counted separately: anybody with a key may send any number of them.
    private static let maxNames = 10_000

    private var sums: [Name: Sum] = [:]

    mutating func add(_ name: Name, installation: Int64) {
        guard sums[name] != nil || sums.count < Self.maxNames else { return }
        var sum = sums[name] ?? Sum()
        sum.clicks += 1
        if sum.lastInstallation != installation {
            sum.installations += 1
            sum.lastInstallation = installation
        }
        sums[name] = sum
    }

    /// The elements clicked most.
    func elements(limit: Int) -> [ScreenFlow.Element] {
        let all = sums.map { name, sum in
            ScreenFlow.Element(
                screen: name.screen,
                element: name.element,
                type: name.type,
                clicks: sum.clicks,
                installations: sum.installations
            )
        }
        let sorted = all.sorted {
            ($1.clicks, $0.screen, $0.element, $0.type ?? "") < ($0.clicks, $1.screen, $1.element, $1.type ?? "")
        }
        return Array(sorted.prefix(limit))
    }
}

/// Sums of screens. They are added installation by installation, session by session, in the order of time.
private struct ScreenTally {
    private struct Sum {
        let name: String
        var views: UInt64 = 0
        var entrances: UInt64 = 0
        var exits: UInt64 = 0
        var engagement: Int64 = 0
        var installations: UInt64 = 0
        /// The installation counted last: rows of one installation are adjacent.
        var lastInstallation: Int64?
    }

    /// From one screen to the next, as indexes of `sums`.
    private struct Step: Hashable {
        let from: Int
        let to: Int
    }

    private struct Path: Equatable {
        let installation: Int64
        let session: Int64
    }

    /// The most names, and the most steps, that are counted separately: anybody with a key may send any number of them.
    private static let maxNames = 10_000
    private static let maxSteps = 100_000

    private var sums: [Sum] = []
    private var numbers: [String: Int] = [:]
    private var steps: [Step: UInt64] = [:]
    private var path: Path?
    /// The screen shown last on `path`; nil when its name is not counted.
    private var last: Int?

    mutating func add(_ name: String, installation: Int64, session: Int64, engagement: Int64) {
        let screen = number(of: name)
        let here = Path(installation: installation, session: session)
        if here != path {
            endPath()
            path = here
            if let screen { sums[screen].entrances += 1 }
        } else if let last, let screen {
            count(Step(from: last, to: screen))
        }
        if let screen {
            sums[screen].views += 1
            // Any number may have been sent.
            let (sum, isOver) = sums[screen].engagement.addingReportingOverflow(engagement)
            sums[screen].engagement = isOver ? (engagement < 0 ? .min : .max) : sum
            if sums[screen].lastInstallation != installation {
                sums[screen].installations += 1
                sums[screen].lastInstallation = installation
            }
        }
        last = screen
    }

    /// The screens shown most, and the steps taken most.
    mutating func flow(limit: Int) -> ScreenFlow {
        endPath()
        let screens = sums.sorted { ($1.views, $0.name) < ($0.views, $1.name) }.prefix(limit)
        let taken = steps.map { step, count in
            ScreenFlow.Step(from: sums[step.from].name, to: sums[step.to].name, count: count)
        }
        return ScreenFlow(
            screens: screens.map { sum in
                ScreenFlow.Totals(
                    name: sum.name,
                    views: sum.views,
                    entrances: sum.entrances,
                    exits: sum.exits,
                    engagement: sum.engagement,
                    installations: sum.installations
                )
            },
            steps: Array(taken.sorted { ($1.count, $0.from, $0.to) < ($0.count, $1.from, $1.to) }.prefix(limit))
        )
    }

    /// A path ends with the screen it showed last.
    private mutating func endPath() {
        if let last { sums[last].exits += 1 }
        last = nil
        path = nil
    }

    private mutating func count(_ step: Step) {
        guard steps[step] != nil || steps.count < Self.maxSteps else { return }
        steps[step, default: 0] += 1
    }

    private mutating func number(of name: String) -> Int? {
        if let known = numbers[name] { return known }
        guard sums.count < Self.maxNames else { return nil }
        sums.append(Sum(name: name))
        numbers[name] = sums.count - 1
        return sums.count - 1
    }
}
