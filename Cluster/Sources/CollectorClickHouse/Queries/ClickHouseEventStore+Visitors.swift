// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Anonymous events, and the people they belong to.
extension ClickHouseEventStore {
    /// Returns the users of the installations' anonymous events.
    ///
    /// Installations whose anonymous events belong to no user are omitted.
    func histories(
        of installations: some Collection<InstallationID>,
        _ block: UInt64
    ) async throws(StoreError) -> [InstallationID: VisitorHistory] {
        var histories: [InstallationID: VisitorHistory] = [:]
        for part in Self.parts(Array(installations)) {
            let list = part.map { SQLText.literal($0) }.joined(separator: ", ")
            for row in try await self.list(
                "SELECT anonymous, ends, owners FROM (\(PersonSQL.periods(upTo: block, where: "installation IN (\(list))")))",
                { row throws(RowFault) in
                    (
                        installation: try row.id(InstallationID.self),
                        ends: try row.array { cell throws(RowFault) in try cell.int64() },
                        owners: try row.array { cell throws(RowFault) in ByteText(try cell.text()) }
                    )
                }
            ) {
                histories[row.installation] = VisitorHistory(zip(row.owners, row.ends).map { (user: $0, end: $1) })
            }
        }
        return histories
    }

    /// Returns the parts of visitors' events that belong to people, by person.
    ///
    /// A user's parts are ordered by the user's last use of the installation, latest first.
    ///
    /// - Parameter people: The people, with their own activity.
    func visitorParts(
        of people: some Collection<KnownPerson>,
        _ block: UInt64
    ) async throws(StoreError) -> [PersonKey.Bytes: [VisitorPart]] {
        let histories = try await histories(of: Set(people.flatMap { $0.devices.compactMap(\.installation) }), block)
        var visitors: [InstallationID: KnownPerson.DeviceActivity] = [:]
        for part in Self.parts(Array(histories.keys)) {
            for row in try await deviceActivity(of: part.map { .visitor($0) }, block) {
                if let installation = row.activity.installation { visitors[installation] = row.activity }
            }
        }
        let merged = merged
        return people.reduce(into: [:]) { parts, person in
            parts[person.key.bytes] = person.devices.flatMap { device in
                guard let installation = device.installation, let visitor = visitors[installation] else {
                    return [VisitorPart]()
                }
                let parts = merged.keys(of: [person.key]).flatMap { key in
                    histories[installation]?.parts(of: key, visitor) ?? []
                }
                return parts.sorted { $0.times.lowerBound < $1.times.lowerBound }
            }
        }
    }

    /// Returns the person that a link to a person leads to; nil if the person has no events.
    ///
    /// A visitor whose events all belong to one user leads to the user.
    func resolved(_ person: PersonKey, _ block: UInt64) async throws(StoreError) -> PersonKey? {
        guard case .visitor(let installation) = person else { return merged.root(of: person) }
        guard let history = try await histories(of: [installation], block)[installation] else { return person }
        guard let visitor = try await deviceActivity(of: [person], block).first?.activity else { return nil }
        switch history.history.owner(of: visitor.first...max(visitor.first, visitor.last)) {
        case .visitor, .several(includesVisitor: true): return person
        case .several(includesVisitor: false): return nil
        case .user: return history.owner(at: visitor.first).map { .user(merged.root(of: $0.text)) }
        }
    }

    // MARK: Sums

    /// Returns the activity of each part, in order; nil for parts without events.
    ///
    /// A user's sessions are not counted again if the user also has own events in them.
    func activities(
        of parts: [(person: PersonKey, part: VisitorPart)],
        _ block: UInt64
    ) async throws(StoreError) -> [KnownPerson.DeviceActivity?] {
        let wholeSessions = try await sessionCounts(of: parts.filter(\.part.isWhole), block)
        var shared: [InstallationID: SharedVisitor] = [:]
        var counted: [PartKey: Set<ByteText>] = [:]
        var activities: [KnownPerson.DeviceActivity?] = []
        for (person, part) in parts {
            guard part.isWhole else {
                var visitor = shared[part.installation]
                if visitor == nil { visitor = try await sharedVisitor(of: part, block) }
                shared[part.installation] = visitor
                let key = PartKey(person: person.bytes, installation: part.installation)
                activities.append(
                    activity(of: part, person, visitor ?? SharedVisitor(), &counted[key, default: []])
                )
                continue
            }
            let visitor = part.visitor
            activities.append(
                KnownPerson.DeviceActivity(
                    installation: part.installation,
                    first: visitor.first,
                    last: visitor.last,
                    events: visitor.events,
                    sessions: wholeSessions[part.installation] ?? 0
                )
            )
        }
        return activities
    }

    /// Returns the number of sessions of visitors in which the user has no own events, by installation.
    private func sessionCounts(
        of parts: [(person: PersonKey, part: VisitorPart)],
        _ block: UInt64
    ) async throws(StoreError) -> [InstallationID: UInt64] {
        var counts: [InstallationID: UInt64] = [:]
        let visible = KeySQL.visibleRows(upTo: block)
        let merged = merged
        for keys in Self.parts(parts) {
            let installations = keys.map { SQLText.literal($0.part.installation) }.joined(separator: ", ")
            var condition = "installation IN (\(installations)) AND user = '' AND session != ''"
            let pairs = keys.flatMap { key in
                merged.keys(of: [key.person]).compactMap { person in
                    if case .user(let id) = person {
                        "(\(SQLText.literal(key.part.installation)), \(SQLText.literal(id)))"
                    } else {
                        nil
                    }
                }
            }
            if !pairs.isEmpty {
                condition +=
                    " AND (installation, session) NOT IN (SELECT installation, session FROM visits WHERE \(visible) "
                    + "AND (installation, user) IN (\(pairs.joined(separator: ", "))))"
            }
            for row in try await list(
                "SELECT installation, uniqExact(session) FROM visits WHERE \(visible) AND \(condition) GROUP BY installation",
                { row throws(RowFault) in (installation: try row.id(InstallationID.self), count: try row.uint64()) }
            ) {
                counts[row.installation] = row.count
            }
        }
        return counts
    }

    /// A person's parts of one visitor.
    private struct PartKey: Hashable {
        let person: PersonKey.Bytes
        let installation: InstallationID
    }

    /// A visitor whose events belong to several people, with the data needed for its parts.
    ///
    /// A period is identified by the number of periods that end before its events.
    struct SharedVisitor {
        fileprivate var sums: [Int: (events: UInt64, first: Int64, last: Int64)] = [:]
        fileprivate var sessions: [Int: Set<ByteText>] = [:]
        /// The sessions with own events of each user, including those of merged users.
        fileprivate var sessionsOfUsers: [ByteText: Set<ByteText>] = [:]
    }

    /// Reads the data of a visitor with several owners, with the same number of queries for any number of parts.
    private func sharedVisitor(
        of part: VisitorPart,
        _ block: UInt64
    ) async throws(StoreError) -> SharedVisitor {
        var visitor = SharedVisitor()
        let rows = eventRows(of: part.installation, block, since: 0)
        for row in try await list(
            "SELECT \(part.period) AS w, count(), min(time), max(time) FROM (\(rows)) GROUP BY w",
            { row throws(RowFault) in
                (
                    period: Int(clamping: try row.uint64()), events: try row.uint64(), first: try row.int64(),
                    last: try row.int64()
                )
            }
        ) {
            visitor.sums[row.period] = (row.events, row.first, row.last)
        }
        visitor.sessions = try await sessions(of: part, block)
        let merged = merged
        for row in try await list(
            "SELECT DISTINCT user, session FROM visits WHERE \(KeySQL.visibleRows(upTo: block)) AND "
                + "installation = \(SQLText.literal(part.installation)) AND user != '' AND session != ''",
            { row throws(RowFault) in (user: ByteText(try row.text()), session: ByteText(try row.text())) }
        ) {
            visitor.sessionsOfUsers[ByteText(merged.root(of: row.user.text)), default: []].insert(row.session)
        }
        return visitor
    }

    /// Returns the activity of a part of a visitor with several owners; nil without events.
    ///
    /// - Parameter counted: The sessions that earlier parts of the visitor and the person counted.
    private func activity(
        of part: VisitorPart,
        _ person: PersonKey,
        _ visitor: SharedVisitor,
        _ counted: inout Set<ByteText>
    ) -> KnownPerson.DeviceActivity? {
        let period = part.period(of: part.times.upperBound)
        guard let sums = visitor.sums[period] else { return nil }
        var sessions = visitor.sessions[period] ?? []
        if case .user(let user) = person { sessions.subtract(visitor.sessionsOfUsers[ByteText(user)] ?? []) }
        sessions.subtract(counted)
        counted.formUnion(sessions)
        return KnownPerson.DeviceActivity(
            installation: part.installation,
            first: sums.first,
            last: sums.last,
            events: sums.events,
            sessions: UInt64(sessions.count)
        )
    }

    /// Returns the number of events of each part that are kept, in order.
    ///
    /// - Parameter first: The first block to include.
    func events(
        of parts: [VisitorPart],
        _ block: UInt64,
        since first: UInt64
    ) async throws(StoreError) -> [UInt64] {
        var counts: [InstallationID: [Int: UInt64]] = [:]
        var events: [UInt64] = []
        for part in parts {
            if part.isWhole, first == 0 {
                events.append(part.visitor.events)
                continue
            }
            if counts[part.installation] == nil {
                let rows = eventRows(of: part.installation, block, since: first)
                let found = try await list("SELECT \(part.period) AS w, count() FROM (\(rows)) GROUP BY w") {
                    row throws(RowFault) in (Int(clamping: try row.uint64()), try row.uint64())
                }
                counts[part.installation] = Dictionary(uniqueKeysWithValues: found)
            }
            events.append(counts[part.installation]?[part.period(of: part.times.upperBound)] ?? 0)
        }
        return events
    }

    private func eventRows(of visitor: InstallationID, _ block: UInt64, since first: UInt64) -> String {
        "SELECT time, position FROM timeline WHERE \(KeySQL.visibleRows(upTo: block)) AND block >= \(first) AND user = '' "
            + "AND visitor = \(SQLText.literal(visitor)) GROUP BY time, position"
    }

    // MARK: Sessions

    /// A session of an installation.
    struct SharedSession: Hashable {
        let installation: InstallationID
        let session: ByteText
    }

    /// Returns the sessions with events of any of the parts.
    ///
    /// - Parameter parts: Parts of visitors with several owners.
    func sessions(
        of parts: [VisitorPart],
        _ block: UInt64
    ) async throws(StoreError) -> Set<SharedSession> {
        var known: [InstallationID: [Int: Set<ByteText>]] = [:]
        var sessions: Set<SharedSession> = []
        for part in parts {
            if known[part.installation] == nil { known[part.installation] = try await self.sessions(of: part, block) }
            for session in known[part.installation]?[part.period(of: part.times.upperBound)] ?? [] {
                sessions.insert(SharedSession(installation: part.installation, session: session))
            }
        }
        return sessions
    }

    /// Returns the sessions with anonymous events in each period of an installation.
    private func sessions(of part: VisitorPart, _ block: UInt64) async throws(StoreError) -> [Int: Set<ByteText>] {
        var sessions: [Int: Set<ByteText>] = [:]
        var blocks: [Int64] = []
        for row in try await list(
            "SELECT session, block, min(first), max(last) FROM visits WHERE \(KeySQL.visibleRows(upTo: block)) AND "
                + "installation = \(SQLText.literal(part.installation)) AND user = '' AND session != '' GROUP BY session, block",
            { row throws(RowFault) in
                (
                    session: ByteText(try row.text()), block: try row.int64(), first: try row.int64(),
                    last: try row.int64()
                )
            }
        ) {
            let (first, last) = (part.period(of: row.first), part.period(of: row.last))
            sessions[first, default: []].insert(row.session)
            sessions[last, default: []].insert(row.session)
            if last > first + 1 { blocks.append(row.block) }
        }
        // Only events show whether a session has some in the periods between its first and its last one in a block.
        for blocks in Self.parts(Array(Set(blocks))) {
            for row in try await list(
                eventSessions(of: part, inBlocks: blocks),
                { row throws(RowFault) in
                    (session: ByteText(try row.text()), period: Int(clamping: try row.uint64()))
                }
            ) {
                sessions[row.period, default: []].insert(row.session)
            }
        }
        return sessions
    }

    /// Returns a statement for the sessions of anonymous events in blocks, and the periods of these events.
    private func eventSessions(of part: VisitorPart, inBlocks blocks: some Collection<Int64>) -> String {
        let list = blocks.map(String.init).joined(separator: ", ")
        let ranges =
            "FROM places WHERE kind = \(PlaceAggregates.OwnerKind.all.rawValue) AND whose = '' AND block IN (\(list))"
        return "SELECT session, \(part.period) AS w FROM (SELECT session, time FROM events "
            + "WHERE position >= (SELECT min(first) \(ranges)) AND position <= (SELECT max(last) \(ranges)) "
            + "AND block IN (\(list)) AND installation = \(SQLText.literal(part.installation)) AND user = '' AND session != '') "
            + "GROUP BY session, w"
    }

    /// Returns the keys in lists of at most ``KeySQL/maxKeys``.
    private static func parts<Key>(_ keys: [Key]) -> [ArraySlice<Key>] {
        stride(from: 0, to: keys.count, by: KeySQL.maxKeys).map { keys[$0..<min(keys.count, $0 + KeySQL.maxKeys)] }
    }
}
