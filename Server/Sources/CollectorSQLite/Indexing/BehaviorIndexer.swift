// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Keeps sessions, screens, launches, people and devices up to date while events are indexed.
///
/// Sums are collected in memory and written at the end of the transaction. Row numbers are assigned in the order in
/// which sessions and people first appear in the log, so a rebuilt index is identical.
final class BehaviorIndexer: IndexTable {
    private final class SessionSum {
        let number: Int64
        var ordinal: Int64?
        var start = Int64.max
        var last = Int64.min
        var events: Int64 = 0
        var engagement: Int64 = 0
        var foreground: Int64 = 0

        init(number: Int64) { self.number = number }
    }

    private final class VisitSum {
        let key: VisitKey
        var first = Int64.max
        var last = Int64.min
        var events: Int64 = 0

        init(_ key: VisitKey) { self.key = key }
    }

    private struct SessionKey: Hashable {
        let installation: Int64
        let id: ByteText
    }

    private struct VisitKey: Hashable {
        let user: Int64
        let installation: Int64
        let session: Int64
    }

    private struct Place {
        let session: ByteText?
        let sum: SessionSum?
        /// The session values in the context, if they belong to the session that the event names.
        let began: SessionBeginning
        let visit: VisitSum?
        let user: Int64?
        /// The user's sort number (``TimeCursor``); nil without a signed-in user.
        let mark: Int64?
        let device: DeviceSums.Sum?
        let signIns: SignInTable.Installation?
    }

    private let sessions: SessionTable
    private let screens: ScreenSums
    private let clicks: ClickWriter
    private let people: PeopleTable
    private let devices: DeviceTable
    private let deviceSums: DeviceSums
    private let signIns: SignInTable
    private let merges: MergeTable
    private var sessionSums: [SessionKey: SessionSum] = [:]
    private var visitSums: [VisitKey: VisitSum] = [:]
    /// The sessions in order of first appearance, so that the order of writing is deterministic.
    private var touchedSessions: [SessionSum] = []
    private var touchedVisits: [VisitSum] = []
    /// The place (person, session and device) of the last event.
    ///
    /// Most events have the same place as the previous event.
    private var place: Place?
    private var installation: Int64 = 0
    /// The id of the current batch's installation.
    private(set) var installationID: InstallationID?
    private var facts = ContextFacts()
    /// The owner of the events; nil before the owner is looked up.
    private var owner: Int64??

    /// Creates an indexer on the writing connection.
    init(_ db: Database, _ signIns: SignInTable, _ merges: MergeTable) throws {
        self.signIns = signIns
        self.merges = merges
        sessions = try SessionTable(db)
        screens = try ScreenSums(db)
        clicks = try ClickWriter(db)
        people = try PeopleTable(db)
        devices = try DeviceTable(db)
        deviceSums = try DeviceSums(db)
    }

    /// Begins a batch, or another context within it.
    ///
    /// - Parameters:
    ///   - context: The context's values.
    ///   - installation: The installation's number, or 0.
    ///   - isNew: Whether the context is new to the index. Values about a person or a device are used only if the
    ///     context is new.
    func context(
        _ context: BatchFacts.Context,
        installation: Int64,
        isNew: Bool
    ) throws {
        facts = context.facts
        self.installation = installation
        place = nil
        owner = nil
        guard isNew else { return }
        if installation != 0 { try deviceSums.describe(installation, context.device) }
        guard let user = try person() else { return }
        try people.describe(user, facts)
        for attribute in facts.attributes {
            try people.set(
                user,
                attribute.name,
                attribute.value.json.json(),
                at: attribute.setAt.milliseconds,
                from: installation
            )
        }
    }

    /// Begins events without a known context.
    ///
    /// - Parameters:
    ///   - installation: The installation's number, or 0.
    ///   - id: The installation's id.
    func clearContext(installation: Int64, _ id: InstallationID?) {
        facts = ContextFacts()
        self.installation = installation
        installationID = id
        place = nil
        owner = nil
    }

    /// Returns the number of the person that the events count toward.
    ///
    /// Creates the person if necessary.
    ///
    /// The person is the signed-in user, or else the installation's visitor. The result is nil for clients that report
    /// neither.
    func person() throws -> Int64? {
        if let owner { return owner }
        let found: Int64?
        if let id = facts.user {
            let (number, isNew) = try people.lookUp(user: id)
            if isNew { merges.appeared(id) }
            found = number
        } else {
            found = try installationID.map { try people.visitor(of: installation, $0) }
        }
        owner = .some(found)
        return found
    }

    /// Returns the numbers of the next event's person and session, or nil.
    ///
    /// Creates the person and the session if necessary.
    ///
    /// - Parameter session: The session's id, if the event has one.
    func place(_ session: String?) throws -> (person: Int64?, session: Int64?) {
        if place == nil || place?.session != session.map(ByteText.init) { try settle(session) }
        return (place?.user, place?.sum?.number)
    }

    /// Counts an event indexed for the first time, for the person and session last returned by ``place(_:)``.
    func event(
        named name: EventName,
        at time: Int64,
        position: EventPosition,
        captured values: JSONValue.Object
    ) throws {
        if let place, let sum = place.sum {
            sum.start = min(sum.start, place.began.start?.milliseconds ?? time)
            sum.ordinal = sum.ordinal ?? place.began.ordinal
            sum.last = max(sum.last, time)
            sum.events += 1
        }
        if let visit = place?.visit {
            visit.first = min(visit.first, time)
            visit.last = max(visit.last, time)
            visit.events += 1
        }
        place?.device?.add(time, of: place?.user)
        if let place, let user = place.user, let mark = place.mark {
            place.signIns?.add(SignInHistory.Period(user: user, mark: mark, last: time))
        }
        if let kind = name.captured { try captured(kind, values, at: time, position) }
    }

    /// Writes the sums.
    func flush() throws {
        try screens.flush()
        try clicks.flush()
        for sum in touchedSessions where sum.events > 0 {
            try sessions.add(
                to: sum.number,
                ordinal: sum.ordinal,
                start: sum.start,
                last: sum.last,
                events: sum.events,
                engagement: sum.engagement,
                foreground: sum.foreground
            )
        }
        try people.visited(
            touchedVisits.lazy.filter { $0.events > 0 }.map { sum in
                PeopleTable.Visit(
                    user: sum.key.user,
                    installation: sum.key.installation,
                    session: sum.key.session,
                    first: sum.first,
                    last: sum.last,
                    events: sum.events
                )
            }
        )
        for sum in touchedVisits where sum.events > 0 { try merges.visited(sum.key.user, last: sum.last) }
        try deviceSums.flush()
        forget()
    }

    /// Clears everything in memory, because rows may have been deleted.
    private func forget() {
        sessionSums = [:]
        visitSums = [:]
        touchedSessions = []
        touchedVisits = []
        place = nil
        owner = nil
    }

    // MARK: The place of an event

    private func settle(_ session: String?) throws {
        let sum = try session.map { try sessionSum($0) }
        let user = try person()
        var visit: VisitSum?
        if let user {
            let key = VisitKey(user: user, installation: installation, session: sum?.number ?? 0)
            visit = visitSums[key]
            if visit == nil {
                let new = VisitSum(key)
                visitSums[key] = new
                touchedVisits.append(new)
                visit = new
            }
        }
        let device = installation == 0 ? nil : deviceSums.sum(of: installation)
        let signIns = installation == 0 ? nil : try signIns.installation(installation)
        if facts.isSeparate, facts.user == nil { signIns?.keepSeparate() }
        place = Place(
            session: session.map(ByteText.init),
            sum: sum,
            began: SessionBeginning(session, facts),
            visit: visit,
            user: user,
            mark: facts.user.map { TimeCursor.number(of: .user($0)) },
            device: device,
            signIns: signIns
        )
    }

    private func sessionSum(_ id: String) throws -> SessionSum {
        let key = SessionKey(installation: installation, id: ByteText(id))
        if let sum = sessionSums[key] { return sum }
        let (number, isNew) = try sessions.number(
            of: id,
            installation: installation,
            mark: TimeCursor.number(ofSession: id, of: installationID)
        )
        if isNew { screens.began(number) }
        let sum = SessionSum(number: number)
        sessionSums[key] = sum
        touchedSessions.append(sum)
        return sum
    }

    // MARK: Captured events

    private func captured(
        _ kind: CapturedKind,
        _ values: JSONValue.Object,
        at time: Int64,
        _ position: EventPosition
    ) throws {
        if let fact = CapturedFact(kind, values, facts, at: Timestamp(milliseconds: time)) {
            return try captured(fact, at: time, position)
        }
        if kind.isAboutPerson(values) {
            guard let user = place?.user else { return }
            var attributes = people.attributes(of: user, from: installation)
            return try attributes.apply(kind, values, at: time)
        }
        // Without an installation, the device is unknown.
        guard installation != 0 else { return }
        switch kind {
        case .properties: try devices.properties(values, at: time, position, installation: installation)
        case .state: try devices.state(at: time, position, installation: installation)
        default: break
        }
    }

    private func captured(_ fact: CapturedFact, at time: Int64, _ position: EventPosition) throws {
        let sum = place?.sum
        let session = sum?.number ?? 0
        switch fact {
        case .screen(let screen, let before):
            // Add the engagement time of the previous screen, which was also sent as a separate event if it was long
            // enough.
            if let before, try screens.engage(session, installation, nil, before, before: time, onlyUnreported: true) {
                sum?.engagement += before
            }
            screens.show(
                screen.name,
                id: screen.id,
                uniqueID: screen.uniqueID,
                at: time,
                position,
                session: session,
                installation: installation
            )
        case .engagement(let screen, let engagement):
            sum?.engagement += engagement
            _ = try screens.engage(session, installation, screen, engagement, before: time, onlyUnreported: false)
        case .click(let element, let type, let screen):
            clicks.add(
                ClickWriter.Click(
                    element: element,
                    type: type,
                    screen: screen,
                    time: time,
                    position: position,
                    installation: installation
                )
            )
        case .launch(let launch):
            sum?.foreground += launch.duration ?? 0
            try sessions.launch(launch, position, session: session, installation: installation)
        }
    }

    // MARK: IndexTable

    var tableNames: [String] {
        [
            "sessions", "screens", "clicks", "launches", "users", "user_attributes", "visits", "snapshots", "devices",
            "device_facts",
        ]
    }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try eraseScreens([installation], db)
        try erasePeople([installation], db)
    }

    /// Removes an installation's screens, clicks and launches, which are found through its events.
    private func eraseScreens(_ arguments: StatementArguments, _ db: Database) throws {
        for table in ["screens", "clicks", "launches"] {
            try db.execute(
                sql: "DELETE FROM \(table) WHERE position IN (\(RunTable.positions(in: table)))",
                arguments: arguments
            )
        }
    }

    /// Removes an installation's sessions, device, and data about people.
    ///
    /// People who also used other installations remain, with the data reported there.
    private func erasePeople(_ arguments: StatementArguments, _ db: Database) throws {
        for table in ["sessions", "user_attributes", "snapshots", "devices", "device_facts"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE installation = ?", arguments: arguments)
        }
        try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS met (user INTEGER PRIMARY KEY, events INTEGER)")
        try db.execute(sql: "DELETE FROM met")
        try db.execute(
            sql: "INSERT INTO met SELECT user, sum(events) FROM visits WHERE installation = ? GROUP BY user",
            arguments: arguments
        )
        try db.execute(sql: "DELETE FROM visits WHERE installation = ?", arguments: arguments)
        // This removes the installation's visitor: only people without an id have an installation.
        try db.execute(sql: "DELETE FROM users WHERE installation = ? AND id IS NULL", arguments: arguments)
        try db.execute(
            sql: """
                DELETE FROM users WHERE number IN (SELECT user FROM met)
                AND NOT EXISTS (SELECT 1 FROM visits WHERE visits.user = users.number)
                """
        )
        try db.execute(
            sql: """
                DELETE FROM user_attributes WHERE user IN (SELECT user FROM met)
                AND NOT EXISTS (SELECT 1 FROM users WHERE users.number = user_attributes.user)
                """
        )
        try db.execute(
            sql: """
                UPDATE users SET events = events - (SELECT met.events FROM met WHERE met.user = users.number)
                WHERE number IN (SELECT user FROM met)
                """
        )
        // For people with very many visits, the first and last times may remain those of the erased installation.
        try db.execute(
            sql: """
                UPDATE users SET (first, last) = (SELECT min(first), max(last) FROM visits WHERE visits.user = users.number)
                WHERE number IN (SELECT user FROM met)
                AND (SELECT count(*) FROM (SELECT 1 FROM visits WHERE visits.user = users.number LIMIT \(PeopleTable.maxVisits + 1))) <= \(PeopleTable.maxVisits)
                """
        )
        try db.execute(sql: "DELETE FROM met")
    }
}
