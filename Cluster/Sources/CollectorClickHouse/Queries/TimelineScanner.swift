// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Traverses the ranges of a timeline, as an SQLite index does.
///
/// A value type: the caller passes in cursors in order, and reads which of them belong to the response and where the
/// response ends.
struct TimelineScanner {
    /// The cursors in the current range that belong to the response.
    private(set) var found: [TimelineCursor] = []
    /// The last cursor that was read; nil if there is nothing after it.
    private(set) var end: TimelineCursor?
    /// The cursor after which the traversal continues.
    private(set) var after: TimelineCursor?
    /// The number of cursors that were read in all ranges.
    private(set) var searched = 0
    private var isOver = false
    private let query: TimelineQuery
    private let words: [SearchWord]

    /// Creates a scanner in its initial state.
    init(_ query: TimelineQuery) {
        self.query = query
        words = query.words.map { SearchWord($0) }
    }

    /// Begins a range.
    mutating func begin() {
        (found, end, after, isOver) = ([], nil, query.after, false)
    }

    /// Returns the number of cursors to pass in next; nil at the end of the range.
    ///
    /// - Parameter count: The number to return if each event must be checked against the query.
    func nextCount(_ count: Int) -> Int? {
        if isOver { return nil }
        // One more cursor than requested shows whether there are more.
        return query.isFiltered ? count : max(0, query.limit) + 1
    }

    /// Continues with the next cursors, and with their events if these must be checked.
    ///
    /// - Parameter isLast: Whether these are the last cursors.
    mutating func scan(
        _ cursors: [TimelineCursor],
        _ events: [EventPosition: StoredEvent],
        _ meter: inout SearchMeter,
        isLast: Bool
    ) {
        for cursor in cursors {
            searched += 1
            if !query.isFiltered || (events[cursor.position].map(matches) ?? false) { found.append(cursor) }
            if found.count > query.limit || (query.isFiltered && meter.isOver()) {
                (end, isOver) = (cursor, true)
                return
            }
        }
        after = cursors.last ?? after
        isOver = isLast
    }

    private func matches(_ event: StoredEvent) -> Bool {
        if !query.names.isEmpty, !query.names.contains(where: { $0.utf8.elementsEqual(event.name.utf8) }) {
            return false
        }
        if let installation = query.installation, event.installation != installation { return false }
        if let session = query.session {
            guard let known = event.session, known.utf8.elementsEqual(session.utf8) else { return false }
        }
        let containsWords = event.json.withUnsafeBytes { json in
            event.context.withUnsafeBytes { context in
                words.allSatisfy { $0.occurs(in: json) || $0.occurs(in: context) }
            }
        }
        guard containsWords, !query.conditions.isEmpty else { return containsWords }
        // Admission validated the text. Content that cannot be parsed has no values.
        let context = event.context.isEmpty ? nil : try? JSONValue.parse(event.context)
        let contextValues = ColumnValues(context: context)
        let values = event.json.withUnsafeBytes { ColumnValues(event: $0, global: ColumnValues(global: context)) }
        return query.conditions.allSatisfy { condition in
            condition.holds { field in
                switch field {
                case .attribute(let name): values[name]
                case .context(let path): contextValues[String(decoding: ColumnValues.name(of: path), as: UTF8.self)]
                // ``PeopleSupport`` rejects these fields before a query runs.
                case .person, .cohort: nil
                }
            }
        }
    }
}
