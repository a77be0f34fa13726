// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Reads all events of one person, latest first by device time.
///
/// Each page continues where the previous one ended, so the time for all pages is proportional to the number of events.
public protocol PersonEventReader: Sendable {
    /// Returns the next events, or nil if data of the person was erased meanwhile.
    ///
    /// A page may be empty although more events follow. Make one call at a time, and none after the last page, nil or
    /// an error.
    func next() async throws(StoreError) -> PersonEventPage?
    /// Returns a reader that begins again with the same person's events of some names; empty for any name.
    func restarted(names: [String]) -> any PersonEventReader
}

/// A page of a person's events.
public struct PersonEventPage: Sendable, Hashable {
    /// The events.
    public var entries: [Timeline.Entry]
    /// Whether no events follow.
    public var isLast: Bool

    /// Creates a page.
    public init(entries: [Timeline.Entry], isLast: Bool) {
        (self.entries, self.isLast) = (entries, isLast)
    }
}

extension EventStore {
    /// The default for stores whose timelines continue without reading events again.
    public func eventReader(
        of person: PersonKey,
        before end: EventPosition,
        limit: Int
    ) async throws(StoreError) -> (any PersonEventReader)? {
        TimelineEventReader(store: self, person: person, end: end, limit: limit)
    }
}

/// Reads a person's events as the pages of a timeline.
private final class TimelineEventReader: PersonEventReader {
    private let store: any EventStore
    private let end: EventPosition
    private let query: Locked<TimelineQuery>

    convenience init(store: any EventStore, person: PersonKey, end: EventPosition, limit: Int) {
        var query = TimelineQuery(person, limit: limit)
        query.maximumVisits = .max
        self.init(store: store, end: end, query)
    }

    private init(store: any EventStore, end: EventPosition, _ query: TimelineQuery) {
        (self.store, self.end) = (store, end)
        self.query = Locked(query)
    }

    func next() async throws(StoreError) -> PersonEventPage? {
        guard let page = try await store.timeline(query.withLock { $0 }) else { return nil }
        query.withLock { $0.after = page.next }
        let entries = page.entries.filter { $0.event.position < end }
        return PersonEventPage(entries: entries, isLast: page.next == nil)
    }

    func restarted(names: [String]) -> any PersonEventReader {
        var query = query.withLock { $0 }
        (query.names, query.after) = (names, nil)
        return TimelineEventReader(store: store, end: end, query)
    }
}
