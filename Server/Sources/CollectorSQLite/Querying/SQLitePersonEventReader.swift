// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads a person's events from the index, each page in a transaction of its own.
///
/// The parts of the person's events are found once, so later sign-ins do not change them.
final class SQLitePersonEventReader: PersonEventReader {
    /// The owner of the events with one person number.
    private struct Owner: Hashable {
        let user: String?
        let installation: InstallationID?
    }

    private struct State: Sendable {
        var order: PersonEventOrder
        var eventsRead = 0
        /// The number of erased events when the owners were last checked.
        var erased: Int64
    }

    /// The number of rows after which a page ends, for each event that it may have.
    private static let rowsPerEvent = 4

    private let store: SQLiteEventStore
    private let parts: [PersonEventOrder.Part]
    /// The owner of each part.
    private let owners: [Owner]
    private let end: EventPosition
    private let limit: Int
    private let maximumHeld: Int
    /// The number of times that the index had been emptied when the owners were read.
    private let clearings: Int
    /// The number of erased events when the owners were read.
    private let erased: Int64
    /// The state between pages; nil while a page is read, and after an error.
    private let state: Locked<State?>

    /// The number of rows read so far: of runs, and of events.
    var rowsRead: Int { state.withLock { $0.map { $0.order.rowsRead + $0.eventsRead } ?? 0 } }

    /// Creates a reader of a person's events; nil if the person has none.
    ///
    /// - Parameters:
    ///   - end: The position before which events are read.
    ///   - limit: The maximum number of events in a page.
    ///   - maximumHeld: The maximum number of places held between pages.
    init?(
        _ store: SQLiteEventStore,
        of person: PersonKey,
        before end: EventPosition,
        limit: Int,
        maximumHeld: Int = 500_000,
        _ db: Database
    ) throws {
        let erased = try IndexProgress(db).erased
        clearings = store.clearings
        guard let parts = try TimelineRows.parts(of: person, db) else { return nil }
        self.parts = parts
        owners = try Self.owners(of: parts, db)
        (self.store, self.end, self.limit, self.maximumHeld) = (store, end, limit, maximumHeld)
        let order = PersonEventOrder(of: parts, before: end, maximumHeld: maximumHeld)
        self.erased = erased
        state = Locked(State(order: order, erased: erased))
    }

    private init(_ reader: SQLitePersonEventReader, names: [String]) {
        (store, parts, owners) = (reader.store, reader.parts, reader.owners)
        (end, limit, maximumHeld) = (reader.end, reader.limit, reader.maximumHeld)
        (clearings, erased) = (reader.clearings, reader.erased)
        let order = PersonEventOrder(of: parts, before: end, names: names, maximumHeld: maximumHeld)
        state = Locked(State(order: order, erased: erased))
    }

    func next() async throws(StoreError) -> PersonEventPage? {
        try await store.read { [self] db in
            // The first query begins the transaction. An index that is emptied later is still complete here.
            let erased = try IndexProgress(db).erased
            guard store.clearings == clearings else {
                throw StoreError.behind(
                    "The index \(store.path) was rebuilt before all events of the person were read."
                )
            }
            guard var current = take() else { return nil }
            guard let page = try page(&current, erased: erased, db) else { return nil }
            put(current)
            return page
        }
    }

    /// Removes the state, so that only the caller has it and changes it in place.
    private func take() -> State? {
        state.withLock { state in
            defer { state = nil }
            return state
        }
    }

    private func put(_ next: State) { state.withLock { $0 = next } }

    func restarted(names: [String]) -> any PersonEventReader { SQLitePersonEventReader(self, names: names) }

    private func page(_ state: inout State, erased: Int64, _ db: Database) throws -> PersonEventPage? {
        if erased != state.erased {
            // An erasure may have removed the numbers, or given them to other people.
            guard try Self.owners(of: parts, db) == owners else { return nil }
            state.erased = erased
        }
        let rows = try RunRows(db)
        let rowLimit = state.order.rowsRead + limit * Self.rowsPerEvent
        var page = PersonEventPage(entries: [], isLast: false)
        var bytes = 0
        while page.entries.count < limit, bytes < ResponseBudget.bytes {
            switch try state.order.next(rows, limit: rowLimit) {
            case .paused:
                return page
            case .end:
                page.isLast = true
                return page
            case .place(let place):
                state.eventsRead += 1
                // An erased or expired event is skipped.
                guard let event = try EventRows.at(place.cursor.position, db) else { continue }
                let index = Int(place.part)
                guard isOwned(event, by: owners[index]) else { continue }
                page.entries.append(Timeline.Entry(event, isVisit: parts[index].isVisit))
                bytes += event.responseBytes
            }
        }
        return page
    }

    private func isOwned(_ event: StoredEvent, by owner: Owner) -> Bool {
        guard let user = owner.user else { return event.user == nil && event.installation == owner.installation }
        return event.user.map { ByteText($0) == ByteText(user) } ?? false
    }

    /// Returns the owner of each part.
    private static func owners(of parts: [PersonEventOrder.Part], _ db: Database) throws -> [Owner] {
        let row = try RawStatement(
            db,
            "SELECT u.id, i.id FROM users u LEFT JOIN installations i ON i.number = u.installation WHERE u.number = ?"
        )
        return try parts.map { part in
            row.bind(1, part.number)
            defer { row.reset() }
            guard try row.step() else { return Owner(user: nil, installation: nil) }
            let user = row.optionalText(0)
            return Owner(user: user, installation: user == nil ? row.id(1) : nil)
        }
    }
}
