// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Keeps sessions, screens, launches, people and devices up to date while events go into the index.
///
/// Sums are gathered in memory and written at the transaction's end; rows get their numbers when they first appear, in
/// the order of the log, so that a rebuilt index is the same.
final class BehaviorIndexer {
    private final class SessionSum {
        let number: Int64
        let beganIsKnown: Bool
        var first = Int64.max
        var last = Int64.min
        var events: Int64 = 0
        var engagement: Int64 = 0
        var foreground: Int64 = 0

        init(number: Int64, beganIsKnown: Bool) {
            self.number = number
            self.beganIsKnown = beganIsKnown
        }
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
        let id: String
    }

    private struct VisitKey: Hashable {
        let user: Int64
        let installation: Int64
        let session: Int64
    }

    private let sessions: SessionTable
    private let screens: ScreenSums
    private let clicks: ClickWriter
    private let people: PeopleTable
    private let devices: DeviceTable
    private let deviceSums: DeviceSums
    private var sessionSums: [SessionKey: SessionSum] = [:]
    private var visitSums: [VisitKey: VisitSum] = [:]
    /// In the order of their first appearance, so that the order of writing is deterministic.
    private var metSessions: [SessionSum] = []
    private var metVisits: [VisitSum] = []
    /// Where the last event belonged; most events belong where the one before did.
    private var place: (session: String?, sum: SessionSum?, visit: VisitSum?, user: Int64?, device: DeviceSums.Sum?)?
    private var installation: Int64 = 0
    private var facts = ContextFacts()
    /// Whose the events are, once it was looked up.
    private var whose: Int64??

    init(_ db: Database) throws {
        sessions = try SessionTable(db)
        screens = try ScreenSums(db)
        clicks = try ClickWriter(db)
        people = try PeopleTable(db)
        devices = try DeviceTable(db)
        deviceSums = try DeviceSums(db)
    }

    /// A batch, or another context in it, begins.
    ///
    /// - Parameters:
    ///   - context: What the context says.
    ///   - installation: The installation's number; 0 when there is none.
    ///   - isNew: Whether the index has not met this context before; what it says about a person or a device is then news.
    func context(
        _ context: BatchFacts.Context,
        installation: Int64,
        isNew: Bool
    ) throws {
        facts = context.facts
        self.installation = installation
        place = nil
        whose = nil
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

    /// Nothing is known about the events that follow.
    func noContext(installation: Int64) {
        facts = ContextFacts()
        self.installation = installation
        place = nil
        whose = nil
    }

    /// The number of the person the events count for: the user who is signed in, else the installation's visitor; nil for
    /// clients that tell neither. It is there afterwards.
    func person() throws -> Int64? {
        if let whose { return whose }
        let found: Int64?
        if let id = facts.user {
            found = try people.user(id)
        } else {
            found = installation == 0 ? nil : try people.visitor(of: installation)
        }
        whose = .some(found)
        return found
    }

    /// Whose the next event is: the number of the person it counts for and that of its session, nil where there is none. Both are
    /// there afterwards.
    ///
    /// - Parameters:
    ///   - session: The session's id, if the event has one.
    ///   - time: When it happened: when the session began, if nothing says more.
    func place(_ session: String?, at time: Int64) throws -> (person: Int64?, session: Int64?) {
        if place == nil || place?.session != session { try settle(session, at: time) }
        return (place?.user, place?.sum?.number)
    }

    /// The event whose place was asked for went into the index, for the first time.
    func event(
        named name: EventName,
        at time: Int64,
        position: EventPosition,
        captured values: JSONValue.Object
    ) throws {
        if let sum = place?.sum {
            sum.first = min(sum.first, time)
            sum.last = max(sum.last, time)
            sum.events += 1
        }
        if let visit = place?.visit {
            visit.first = min(visit.first, time)
            visit.last = max(visit.last, time)
            visit.events += 1
        }
        place?.device?.add(time, of: place?.user)
        if let kind = name.captured { try captured(kind, values, at: time, position) }
    }

    /// Writes the sums.
    func flush() throws {
        try screens.flush()
        try clicks.flush()
        for sum in metSessions where sum.events > 0 {
            try sessions.add(
                to: sum.number,
                first: sum.beganIsKnown ? .max : sum.first,
                last: sum.last,
                events: sum.events,
                engagement: sum.engagement,
                foreground: sum.foreground
            )
        }
        try people.visited(
            metVisits.lazy.filter { $0.events > 0 }.map { sum in
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
        try deviceSums.flush()
        forget()
    }

    /// Forgets everything in memory: rows may have been deleted.
    private func forget() {
        sessionSums = [:]
        visitSums = [:]
        metSessions = []
        metVisits = []
        place = nil
        whose = nil
    }

    // MARK: Where an event belongs

    private func settle(_ session: String?, at time: Int64) throws {
        let sum = try session.map { try sessionSum($0, at: time) }
        let user = try person()
        var visit: VisitSum?
        if let user {
            let key = VisitKey(user: user, installation: installation, session: sum?.number ?? 0)
            visit = visitSums[key]
            if visit == nil {
                let new = VisitSum(key)
                visitSums[key] = new
                metVisits.append(new)
                visit = new
            }
        }
        let device = installation == 0 ? nil : deviceSums.sum(of: installation)
        place = (session, sum, visit, user, device)
    }

    private func sessionSum(_ id: String, at time: Int64) throws -> SessionSum {
        let key = SessionKey(installation: installation, id: id)
        if let sum = sessionSums[key] { return sum }
        // The context's session tells more, if it is the one the event names.
        let known = facts.session == id ? facts : nil
        let (number, isNew) = try sessions.number(
            of: id,
            installation: installation,
            ordinal: known?.sessionNumber,
            start: known?.sessionStart?.milliseconds ?? time
        )
        if isNew { screens.began(number) }
        let sum = SessionSum(number: number, beganIsKnown: known?.sessionStart != nil)
        sessionSums[key] = sum
        metSessions.append(sum)
        return sum
    }

    // MARK: What was captured

    private func captured(
        _ kind: CapturedKind,
        _ values: JSONValue.Object,
        at time: Int64,
        _ position: EventPosition
    ) throws {
        let sum = place?.sum
        let session = sum?.number ?? 0
        switch kind {
        case .screen:
            guard let screen = values[CapturedKey.screenName]?.string ?? facts.screen else { return }
            if let engagement = CapturedKind.duration(values[CapturedKey.engagementTime]), engagement > 0 {
                // Of the screen before; repeated here when it was long enough for an event of its own.
                if try screens.engage(session, installation, nil, engagement, before: time, onlyUntold: true) {
                    sum?.engagement += engagement
                }
            }
            screens.show(
                screen,
                id: values[CapturedKey.screenID]?.string ?? facts.screenID,
                uniqueID: values[CapturedKey.screenUniqueID]?.string ?? facts.screenUniqueID,
                at: time,
                position,
                session: session,
                installation: installation
            )
        case .engagement:
            guard let engagement = CapturedKind.duration(values[CapturedKey.engagementTime]), engagement > 0 else {
                return
            }
            sum?.engagement += engagement
            _ = try screens.engage(session, installation, facts.screen, engagement, before: time, onlyUntold: false)
        case .click:
            // Under the name that tells most: its own, what stands on it, its kind.
            let names = [CapturedKey.elementID, CapturedKey.elementContent, CapturedKey.elementType]
            guard let element = names.lazy.compactMap({ values[$0]?.string }).first(where: { !$0.isEmpty }) else {
                return
            }
            clicks.add(
                ClickWriter.Click(
                    element: element,
                    type: values[CapturedKey.elementType]?.string,
                    screen: values[CapturedKey.screenName]?.string ?? facts.screen ?? "",
                    time: time,
                    position: position,
                    installation: installation
                )
            )
        case .start, .end, .crash:
            let duration = kind == .end ? CapturedKind.duration(values[CapturedKey.foregroundDuration]) : nil
            sum?.foreground += duration ?? 0
            let launch = StoredLaunch(
                time: Timestamp(milliseconds: time),
                kind: kind == .start ? values[CapturedKey.startKind]?.string ?? "start" : kind.rawValue,
                isFirst: values[CapturedKey.isFirstStart]?.boolean ?? false,
                isRecovered: values[CapturedKey.isRecovered]?.boolean ?? false,
                duration: duration
            )
            try sessions.launch(launch, position, session: session, installation: installation)
        case .set:
            // Usually what was set stands in the context. Who signed in says something about the event, not the person.
            guard let user = place?.user, values[CapturedKey.signedIn] == nil else { return }
            try people.apply(kind, values, to: user, at: time, from: installation)
        case .setOnce, .increment, .append, .unset, .delete:
            guard let user = place?.user else { return }
            try people.apply(kind, values, to: user, at: time, from: installation)
        case .properties:
            // Without an installation it is not known whose device it is.
            guard installation != 0 else { return }
            try devices.properties(values, at: time, position, installation: installation)
        case .state:
            guard installation != 0 else { return }
            try devices.state(at: time, position, installation: installation)
        }
    }
}
