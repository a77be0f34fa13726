// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    /// The number of people whose data is read at once.
    static let peoplePerBatch = 100

    package func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser] {
        let block = try await completed()
        let found = try await people(query, limit: query.limit, block)
        var users: [StoredUser] = []
        var bytes = 0
        var next = 0
        while next < found.count, bytes < ResponseBudget.bytes {
            let part = found[next..<min(found.count, next + Self.peoplePerBatch)]
            for person in try await known(Array(part), block) {
                guard bytes < ResponseBudget.bytes else { break }
                let user = person.user(query.includesAttributes ? AttributePage() : nil)
                bytes += user.responseBytes
                users.append(user)
            }
            next += part.count
        }
        return users
    }

    package func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile? {
        let block = try await completed()
        guard let key = try await resolved(query.person, block),
            let person = try await known([key], block).first
        else { return nil }
        let devices = person.usedDevices
        let listed = devices.prefix(PersonProfile.maxDevices)
        let facts = try await deviceFacts(of: listed.compactMap(\.installation), block)
        var profile = PersonProfile(
            person: person.user(AttributePage(after: query.afterAttribute, limit: query.attributes)),
            devices: listed.compactMap { device in
                device.installation.map { installation in
                    PersonProfile.Device(
                        installation: installation,
                        first: Timestamp(milliseconds: device.first),
                        last: Timestamp(milliseconds: device.last),
                        events: device.events,
                        sessions: device.sessions,
                        facts: facts[installation] ?? DeviceFacts()
                    )
                }
            },
            hasMoreDevices: devices.count > listed.count
        )
        if case .user(let user) = key {
            let statements = merged.statements(connectedWith: merged.ids(of: user))
            profile.merges = statements.suffix(StoredMerge.maximumCount)
        }
        return profile
    }

    // MARK: Selection

    /// Returns the first people that match a query, the most recently seen first.
    func people(_ query: UserQuery, limit: Int, _ block: UInt64) async throws(StoreError) -> [PersonKey] {
        guard limit > 0, query.id != "", query.before?.milliseconds != .min else { return [] }
        var conditions: [String] = []
        let merged = merged
        if let id = query.id { conditions.append(KeySQL.isUser(merged.ids(of: id))) }
        if let installation = query.installation {
            let literal = SQLText.literal(installation)
            let users =
                "SELECT user FROM visits WHERE installation = \(literal) AND user != '' AND \(KeySQL.visibleRows(upTo: block))"
            conditions.append(
                "((user = '' AND installation = \(literal)) OR (user != '' AND \(merged.isCounted(among: users))))"
            )
        }
        guard conditions.isEmpty else { return try await people(query, conditions, since: nil, limit, block) }
        let end = min(query.before.map { $0.milliseconds - 1 } ?? .max, query.after?.time.milliseconds ?? .max)
        return try await latest(limit, by: "last", of: .people, upTo: end, block) { since throws(StoreError) in
            let rangeCondition = since.map { since in
                let rows = "FROM people WHERE block <= \(block) AND last >= \(since) AND last <= \(end)"
                return "((user = '' AND installation IN (SELECT installation \(rows) AND user = '')) "
                    + "OR (user != '' AND \(merged.isCounted(among: "SELECT user \(rows) AND user != ''"))))"
            }
            return try await self.people(query, [rangeCondition].compactMap { $0 }, since: since, limit, block)
        }
    }

    private func people(
        _ query: UserQuery,
        _ conditions: [String],
        since: Int64?,
        _ limit: Int,
        _ block: UInt64
    ) async throws(StoreError) -> [PersonKey] {
        var having = ["l >= \(since ?? .min)"]
        if let before = query.before { having.append("l < \(before.milliseconds)") }
        if let after = query.after { having.append(KeySQL.isAfter(after, "l", "n")) }
        let rows = ([KeySQL.visibleRows(upTo: block)] + conditions).joined(separator: " AND ")
        let joined =
            conditions.isEmpty ? "1" : "installation IN (SELECT installation FROM people WHERE \(rows) AND user = '')"
        return try await list(
            "SELECT user, visitor, l, n FROM (\(personRows(rows, having))) AS k "
                + "ANY LEFT JOIN (\(PersonSQL.lastEnds(upTo: block, where: joined))) AS e USING (visitor) "
                + "WHERE \(PersonSQL.isPerson) ORDER BY l DESC, n DESC LIMIT \(limit)"
        ) { row throws(RowFault) in
            let person = try row.person()
            _ = (try row.int64(), try row.int64())
            return person
        }
    }

    /// Returns a statement for people and visitors, including visitors whose events all belong to users.
    private func personRows(_ condition: String, _ having: [String] = ["1"]) -> String {
        let rows = "SELECT user, \(KeySQL.visitor) AS visitor, last, number FROM people WHERE \(condition)"
        return "SELECT user, visitor, max(last) AS l, any(number) AS n FROM "
            + "(\(merged.mapped(rows, columns: ["visitor", "last"], hasNumber: true))) "
            + "GROUP BY user, visitor HAVING \(having.joined(separator: " AND "))"
    }

    /// Returns the number of people.
    func personCount(_ block: UInt64) async throws(StoreError) -> UInt64 {
        let total = try await list(
            "SELECT count() FROM (\(personRows(KeySQL.visibleRows(upTo: block)))) AS k "
                + "ANY LEFT JOIN (\(PersonSQL.lastEnds(upTo: block))) AS e USING (visitor) WHERE \(PersonSQL.isPerson)"
        ) { row throws(RowFault) in try row.uint64() }
        return total.first ?? 0
    }

    // MARK: Profiles

    /// Returns the stored data about people, in the given order.
    ///
    /// A user's data includes that of visitors who signed in as the user. People without events are omitted.
    func known(_ people: [PersonKey], _ block: UInt64) async throws(StoreError) -> [KnownPerson] {
        var known: [PersonKey.Bytes: KnownPerson] = [:]
        for row in try await deviceActivity(of: people, block) {
            known[row.person.bytes, default: KnownPerson(key: row.person)].activity.append(row.activity)
        }
        let merged = merged
        let ownTraits = try await traits(of: merged.keys(of: people), block)
        for person in people {
            known[person.bytes]?.traits = ownTraits[person.bytes] ?? PersonTraits()
            guard case .user(let user) = person else { continue }
            known[person.bytes]?.merged = merged.merged(into: user).map { id in
                KnownPerson.MergedUser(id: id, traits: ownTraits[PersonKey.user(id).bytes] ?? PersonTraits())
            }
        }
        var parts: [(person: PersonKey, part: VisitorPart)] = []
        for (person, found) in try await visitorParts(of: known.values, block) {
            guard let key = known[person]?.key else { continue }
            // A visitor's own rows contain a part of the same visitor.
            if case .visitor = key, found.allSatisfy(\.isWhole) { continue }
            parts += found.map { (key, $0) }
        }
        let whole = Set(parts.filter(\.part.isWhole).map(\.part.installation))
        let visitorTraits = try await traits(of: whole.map { .visitor($0) }, block)
        for ((person, part), activity) in zip(parts, try await activities(of: parts, block)) {
            if case .visitor = person {
                known[person.bytes]?.activity = activity.map { [$0] } ?? []
            } else if let activity {
                let visit = KnownPerson.Visit(
                    activity: activity,
                    traits: part.isWhole ? visitorTraits[PersonKey.visitor(part.installation).bytes] : nil
                )
                known[person.bytes]?.visits.append(visit)
            }
        }
        return people.compactMap { known[$0.bytes] }
    }

    /// Returns people's traits, without those of visitors who signed in.
    private func traits(
        of people: [PersonKey],
        _ block: UInt64
    ) async throws(StoreError) -> [PersonKey.Bytes: PersonTraits] {
        var traits: [PersonKey.Bytes: PersonTraits] = [:]
        guard !people.isEmpty else { return traits }
        let condition = "\(KeySQL.visibleRows(upTo: block)) AND \(KeySQL.belongsTo(people))"
        var meter = QueryMeter(budget, clock: clock)
        try await rows(
            "SELECT user, visitor, installation, kind, time, context, content FROM (SELECT user, \(KeySQL.visitor) AS visitor, "
                + "installation, place, part, kind, time, context, content FROM traits FINAL WHERE \(condition)) ORDER BY place, part",
            &meter
        ) { row throws(RowFault) in
            let (person, installation) = (try row.person(), try row.installation())
            let (kind, time, context) = (try row.text(), try row.int64(), try row.idHalves())
            let record = PersonTraits.Record(
                installation: installation,
                kind: kind,
                time: time,
                context: PersonTraits.Context(installation: installation, high: context.high, low: context.low),
                content: try row.string()
            )
            return (person: person, record: record)
        } _: { row throws(StoreError) in
            traits[row.person.bytes, default: PersonTraits()].add(row.record)
        }
        return traits
    }

    /// Returns people's activity on each installation.
    ///
    /// People without events are omitted. The rows of merged users are part of those of the user who remains.
    ///
    /// - Parameter first: The first block to include.
    func deviceActivity(
        of people: [PersonKey],
        _ block: UInt64,
        since first: UInt64 = 0
    ) async throws(StoreError) -> [(person: PersonKey, activity: KnownPerson.DeviceActivity)] {
        let merged = merged
        let columns = ["visitor", "installation", "session", "first", "last", "events"]
        let rows =
            "SELECT user, \(KeySQL.visitor) AS visitor, installation, session, first, last, events FROM people FINAL "
            + "WHERE \(KeySQL.visibleRows(upTo: block)) AND block >= \(first) AND \(KeySQL.belongsTo(merged.keys(of: people)))"
        return try await list(
            "SELECT user, visitor, installation, min(first), max(last), sum(events), uniqExactIf(session, session != '') FROM "
                + "(\(merged.mapped(rows, columns: columns))) GROUP BY user, visitor, installation"
        ) { row throws(RowFault) in
            (
                person: try row.person(),
                activity: KnownPerson.DeviceActivity(
                    installation: try row.installation(),
                    first: try row.int64(),
                    last: try row.int64(),
                    events: try row.uint64(),
                    sessions: try row.uint64()
                )
            )
        }
    }

    /// Returns the app and device facts in the installations' contexts.
    ///
    /// A context that occurred before is not counted again.
    private func deviceFacts(
        of installations: [InstallationID],
        _ block: UInt64
    ) async throws(StoreError) -> [InstallationID: DeviceFacts] {
        guard !installations.isEmpty else { return [:] }
        let list = installations.map { SQLText.literal($0) }.joined(separator: ", ")
        var facts: [InstallationID: DeviceFacts] = [:]
        var seen: Set<PersonTraits.Context> = []
        for row in try await self.list(
            "SELECT installation, context, body FROM contexts WHERE block <= \(block) AND installation IN (\(list)) "
                + "ORDER BY block, number",
            { row throws(RowFault) in
                (installation: try row.installation(), context: try row.idHalves(), body: try row.string())
            }
        ) {
            guard let installation = row.installation else { continue }
            let (high, low) = row.context
            guard seen.insert(PersonTraits.Context(installation: installation, high: high, low: low)).inserted else {
                continue
            }
            let contextFacts = row.body.withUnsafeBytes { DeviceFacts(context: $0) }
            let known = facts[installation] ?? DeviceFacts()
            facts[installation] = DeviceFacts(
                app: contextFacts.app ?? known.app,
                version: contextFacts.version ?? known.version,
                model: contextFacts.model ?? known.model,
                system: contextFacts.system ?? known.system
            )
        }
        return facts
    }
}
