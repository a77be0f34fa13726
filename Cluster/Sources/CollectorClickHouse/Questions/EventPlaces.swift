// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Between which places the events of a query lie, and what must hold of them there, as SQL. In words that versions from 18.16 on take.
///
/// Whose events lie where is looked up by a key; between those places events are read, and what is not meant is left out.
struct EventPlaces {
    /// A stretch of places, and how many events of the key it has at most.
    struct Stretch {
        let first: Int64
        let last: Int64
        let events: UInt64
    }

    /// At most so many stretches stand in one statement.
    static let stretchesAtOnce = 200

    let block: UInt64
    let query: EventQuery
    /// From when on events are kept by when they arrived; nil for all.
    private let kept: Timestamp?

    /// The places of a query's events up to a block; nil when nobody can have any.
    ///
    /// - Parameter kept: From when on events are kept by when they arrived; nil for all.
    init?(_ query: EventQuery, upTo block: UInt64, kept: Timestamp?) {
        for text in [query.user, query.session, query.project] where text?.isEmpty ?? false { return nil }
        self.query = query
        self.block = block
        self.kept = kept
    }

    var isBackwards: Bool { query.order == .newestFirst }

    /// Whether it is known by a key where they lie, or everything has to be gone through.
    var isKeyed: Bool { query.session != nil || query.user != nil || query.installation != nil }

    private var key: (kind: ArrivalSums.PlaceKind, whose: [UInt8]) {
        if let session = query.session { return (.session, Array(session.utf8)) }
        if let user = query.user { return (.user, Array(user.utf8)) }
        if let installation = query.installation {
            var key = RowBinary()
            key.id(installation)
            return (.installation, key.bytes)
        }
        return (.all, [])
    }

    /// The statement that gives the next stretches in the query's order: first and last place, and how many events.
    ///
    /// - Parameter cursor: Where the stretches before end; nil at the beginning.
    func stretches(behind cursor: Int64?, limit: Int) -> String {
        "SELECT min(first), max(last), sum(events) \(rows(behind: cursor)) GROUP BY block "
            + "ORDER BY block \(isBackwards ? "DESC" : "ASC") LIMIT \(limit)"
    }

    /// The statement that gives all stretches as one.
    var span: String { "SELECT min(first), max(last), sum(events) \(rows(behind: nil))" }

    private func rows(behind cursor: Int64?) -> String {
        var parts = [
            "kind = \(key.kind.rawValue)", "whose = \(SQLText.literal(key.whose))", "block <= \(block)",
            "installation NOT IN (SELECT installation FROM erasures)",
        ]
        if let installation = query.installation { parts.append("installation = \(SQLText.literal(installation))") }
        if let from = query.from { parts.append("latest >= \(from.milliseconds)") }
        if let to = query.to { parts.append("earliest < \(to.milliseconds)") }
        if let kept { parts.append("arrived >= \(kept.milliseconds)") }
        if let cursor { parts.append(isBackwards ? "first < \(cursor)" : "last > \(cursor)") }
        return "FROM places FINAL WHERE \(parts.joined(separator: " AND "))"
    }

    /// `FROM events … WHERE …` of the events in some stretches that the query means.
    func events(in stretches: [Stretch]) -> String {
        var ranges: [String] = []
        if isKeyed {
            ranges = stretches.map { "(position >= \($0.first) AND position <= \($0.last))" }
        } else if let first = stretches.map(\.first).min(), let last = stretches.map(\.last).max() {
            // Everything lies without a gap.
            ranges = ["(position >= \(first) AND position <= \(last))"]
        }
        var parts = ["block <= \(block)", "(\(ranges.joined(separator: " OR ")))"]
        if let after = query.after { parts.append("position \(isBackwards ? "<" : ">") \(after.rawValue)") }
        if let name = query.name { parts.append("name = \(SQLText.literal(name))") }
        if let installation = query.installation { parts.append("installation = \(SQLText.literal(installation))") }
        if let user = query.user { parts.append("user = \(SQLText.literal(user))") }
        if let session = query.session { parts.append("session = \(SQLText.literal(session))") }
        if let from = query.from { parts.append("time >= \(from.milliseconds)") }
        if let to = query.to { parts.append("time < \(to.milliseconds)") }
        if let kept { parts.append("received >= \(kept.milliseconds)") }
        var others = ["installation NOT IN (SELECT installation FROM erasures)"]
        if let project = query.project {
            let value = QuestionValue.text(Array(project.utf8)).columnBytes
            others.append(
                "(installation, context) IN (SELECT installation, context FROM contexts WHERE block <= \(block) "
                    + "AND \(Self.value(ColumnValues.name(of: ["app", "project"]))) = \(SQLText.literal(value)))"
            )
        }
        if let run = query.run { others.append(Self.isOfRun(run)) }
        // Old versions fail where the places are in PREWHERE, and some of the parts are merged while they are read.
        return "FROM events FINAL WHERE \((parts + others).joined(separator: " AND "))"
    }

    /// The order of the query.
    var order: String { "ORDER BY position \(isBackwards ? "DESC" : "ASC")" }

    /// The value under a name, as an expression over a row of events or contexts.
    static func value(_ name: [UInt8]) -> String { "values[indexOf(names, \(SQLText.literal(name)))]" }

    /// The tag of an event, else that of all events in its context, is this text, or written as this text.
    private static func isOfRun(_ run: String) -> String {
        var wanted: [QuestionValue] = [.text(Array(run.utf8)), .structure(Array(run.utf8))]
        if let whole = Int64(run), String(whole) == run { wanted.append(.number(.integer(whole))) }
        if let number = Double(run), number.isFinite, "\(number)" == run {
            wanted.append(.number(JSONNumber.double(number).simplest))
        }
        // Truth is a number to those who wrote the rule.
        if run == "1" || run == "0" { wanted.append(.boolean(run == "1")) }
        let list = wanted.map { SQLText.literal($0.columnBytes) }.joined(separator: ", ")
        return "\(value(Array(RunTag.attribute.utf8))) IN (\(list))"
    }
}
