// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension ClickHouseEventStore {
    /// The events at some places, by their places. Of what is not there, or was erased, there is none.
    ///
    /// - Complexity: O(places × the rows between two that can be found by the key).
    func events(at places: [EventPosition], _ block: UInt64) async throws(StoreError) -> [EventPosition: StoredEvent] {
        var found: [EventPosition: StoredEvent] = [:]
        var next = 0
        while next < places.count {
            let part = places[next..<min(places.count, next + KeySQL.maxKeys)]
            next += part.count
            for event in try await read(Array(part), block) { found[event.position] = event }
        }
        return found
    }

    private func read(_ places: [EventPosition], _ block: UInt64) async throws(StoreError) -> [StoredEvent] {
        let list = places.map { "\($0.rawValue)" }.joined(separator: ", ")
        let rows = try await self.list(
            "SELECT position, id, name, time, received, installation, writer, sequence, user, session, body, context FROM events FINAL "
                + "PREWHERE position IN (\(list)) WHERE \(KeySQL.counts(upTo: block))"
        ) { row throws(RowFault) in (event: try row.event(), context: try row.halves()) }
        let wanted = Set(rows.compactMap { Self.context($0.event, $0.context) })
        let contexts = try await contexts(Array(wanted), block)
        return rows.map { row in
            var event = row.event
            event.context = Self.context(row.event, row.context).flatMap { contexts[$0] } ?? []
            return event
        }
    }

    private static func context(_ event: StoredEvent, _ context: (high: UInt64, low: UInt64)) -> PersonTraits.Context? {
        guard context.high != 0 || context.low != 0 else { return nil }
        return PersonTraits.Context(installation: event.installation, high: context.high, low: context.low)
    }

    private func contexts(
        _ wanted: [PersonTraits.Context],
        _ block: UInt64
    ) async throws(StoreError) -> [PersonTraits.Context: [UInt8]] {
        guard !wanted.isEmpty else { return [:] }
        let list = wanted.map { context in
            "(\(KeySQL.literal(context.installation)), "
                + "\(SQLText.literal(InstallationID(high: context.high, low: context.low))))"
        }
        return try await self.list(
            "SELECT installation, context, any(body) FROM contexts WHERE block <= \(block) AND (installation, context) IN "
                + "(\(list.joined(separator: ", "))) GROUP BY installation, context"
        ) { row throws(RowFault) in
            (installation: try row.installation(), context: try row.halves(), body: try row.string())
        }.reduce(into: [:]) { contexts, row in
            let (high, low) = row.context
            contexts[PersonTraits.Context(installation: row.installation, high: high, low: low)] = row.body
        }
    }
}

extension RowCursor {
    /// An event without its context.
    fileprivate mutating func event() throws(RowFault) -> StoredEvent {
        let position = EventPosition(rawValue: try int64())
        let id = try halves()
        let (name, time, received) = (try text(), try int64(), try int64())
        let installation = try installation()
        let writer = try halves()
        let (sequence, user, session) = (try uint64(), try text(), try text())
        return StoredEvent(
            position: position,
            id: EventID(high: id.high, low: id.low),
            name: name,
            time: Timestamp(milliseconds: time),
            received: Timestamp(milliseconds: received),
            installation: installation,
            writer: writer.high == 0 && writer.low == 0 ? nil : WriterID(high: writer.high, low: writer.low),
            sequence: sequence == 0 ? nil : sequence,
            user: user.isEmpty ? nil : user,
            session: session.isEmpty ? nil : session,
            json: try string()
        )
    }
}
