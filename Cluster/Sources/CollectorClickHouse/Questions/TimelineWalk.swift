// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Goes through the stretches of a timeline, as an index does: told of places in their order, it says which belong to the answer, and
/// where it ends. A value.
struct TimelineWalk {
    /// The places that belong to the answer, of the stretch that is gone through.
    private(set) var found: [TimelinePlace] = []
    /// The last place that was looked at; nil when there is nothing behind it.
    private(set) var end: TimelinePlace?
    /// Behind which place it goes on.
    private(set) var after: TimelinePlace?
    /// How many places were looked at, in all stretches.
    private(set) var searched = 0
    private var isOver = false
    private let query: TimelineQuery
    private let words: [SearchWord]

    /// Before the first stretch.
    init(_ query: TimelineQuery) {
        self.query = query
        words = query.words.map { SearchWord($0) }
    }

    /// A stretch begins.
    mutating func begin() {
        (found, end, after, isOver) = ([], nil, query.after, false)
    }

    /// How many places it wants next; nil when the stretch is over.
    ///
    /// - Parameter count: So many where each of them has to be looked at.
    func wanted(_ count: Int) -> Int? {
        if isOver { return nil }
        // One more than wanted says that there is more.
        return query.isFiltered ? count : max(0, query.limit) + 1
    }

    /// The next places, with their events where these have to be looked at.
    ///
    /// - Parameter isLast: Whether there are none behind them.
    mutating func look(
        at places: [TimelinePlace],
        _ events: [EventPosition: StoredEvent],
        _ meter: inout SearchMeter,
        isLast: Bool
    ) {
        for place in places {
            searched += 1
            if !query.isFiltered || (events[place.position].map(holds) ?? false) { found.append(place) }
            if found.count > query.limit || (query.isFiltered && meter.isOver()) {
                (end, isOver) = (place, true)
                return
            }
        }
        after = places.last ?? after
        isOver = isLast
    }

    private func holds(_ event: StoredEvent) -> Bool {
        if !query.names.isEmpty, !query.names.contains(where: { $0.utf8.elementsEqual(event.name.utf8) }) {
            return false
        }
        if let installation = query.installation, event.installation != installation { return false }
        if let session = query.session {
            guard let known = event.session, known.utf8.elementsEqual(session.utf8) else { return false }
        }
        let isSaid = event.json.withUnsafeBytes { json in
            event.context.withUnsafeBytes { context in
                words.allSatisfy { $0.occurs(in: json) || $0.occurs(in: context) }
            }
        }
        guard isSaid, !query.conditions.isEmpty else { return isSaid }
        // Admission checked the text: what cannot be read says nothing.
        let context = event.context.isEmpty ? nil : try? JSONValue.parse(event.context)
        let ofContext = ColumnValues(context: context)
        let values = event.json.withUnsafeBytes { ColumnValues(event: $0, global: ColumnValues(global: context)) }
        return query.conditions.allSatisfy { condition in
            switch condition.field {
            case .attribute(let name): condition.holds(of: values[name])
            case .context(let path):
                condition.holds(of: ofContext[String(decoding: ColumnValues.name(of: path), as: UTF8.self)])
            }
        }
    }
}
