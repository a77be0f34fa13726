// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Hummingbird
internal import TrackwayEvents

/// The endpoints for the tracking plan: its events, and their violations.
struct PlanEndpoints: RoutedResource {
    private let dependencies: CollectorDependencies
    private let plan: PlanChecker?
    private let slots = ConcurrencySlots(limit: 2)

    /// - Parameter plan: The current plan; nil for none.
    init(dependencies: CollectorDependencies, plan: PlanChecker?) {
        self.dependencies = dependencies
        self.plan = plan
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/plan") { try await events($0.query).answer() }
        routes.read("/v1/plan/violations") { try await violations($0.query).answer() }
    }

    /// `GET /v1/plan`: events that are planned or arrived unplanned, with their counts.
    func events(_ query: Query) throws -> DeferredResponse {
        try query.rejectUnknown(["name", "search", "show", "last", "limit", "after"])
        let limit = try query.number("limit", in: 1...500) ?? 100
        let show = try show(query)
        let day = try day(query)
        let (name, search) = (query.text("name"), query.text("search")?.lowercased())
        let after: PlanPlace? = try query.value("after", "a cursor such as 3.1204.purchase")
        return DeferredResponse { [dependencies, plan, slots] in
            let slot = try slots.takeForQuery()
            defer { withExtendedLifetime(slot) {} }
            let counts = try await dependencies.store.planCounts(since: day)
            let rows = PlanRow.rows(plan, counts)
            let wanted = rows.filter { row in
                show.matches(row) && (name == nil || row.name == name)
                    && (search.map { row.name.lowercased().contains($0) } ?? true)
            }.sorted { $0.place < $1.place }
            let shown = wanted.filter { row in after.map { $0 < row.place } ?? true }.prefix(limit)
            return Answer.json { writer in
                writer.beginObject()
                Self.write(plan, counts, rows, to: &writer)
                writer.key("from")
                if let day { writer.integer(day * QueryInterval.dayLength) } else { writer.null() }
                writer.list("events", Array(shown)) { $0.write(isDetailed: name != nil, to: &$1) }
                if let last = shown.last, last.name != wanted.last?.name || last.place != wanted.last?.place {
                    writer.member("next", last.place.description)
                }
                writer.endObject()
            }
        }
    }

    private static func write(
        _ plan: PlanChecker?,
        _ counts: PlanCounts,
        _ rows: [PlanRow],
        to writer: inout JSONWriter
    ) {
        writer.key("plan")
        if let plan {
            writer.beginObject()
            writer.member("digest", plan.digest)
            writer.member("title", plan.plan.title)
            writer.member("description", plan.plan.description)
            writer.member("unplanned", plan.plan.unplanned.rawValue)
            writer.member("events", Int64(plan.plan.events.count))
            writer.member("came", Int64(rows.count { $0.planned != nil && $0.count.events > 0 }))
            writer.endObject()
        } else {
            writer.null()
        }
        let isCounting = plan != nil && counts.era?.digest == plan?.digest
        writer.key("counted")
        if isCounting, let era = counts.era {
            writer.beginObject()
            era.writeMembers(to: &writer)
            writer.member("others", counts.others)
            writer.endObject()
        } else {
            writer.null()
        }
        let former = (isCounting ? [] : counts.era.map { [$0] } ?? []) + counts.former
        writer.list("former", former) { era, writer in
            writer.beginObject()
            era.writeMembers(to: &writer)
            writer.endObject()
        }
    }

    /// `GET /v1/plan/violations`: violations of the plan, in groups.
    func violations(_ query: Query) throws -> DeferredResponse {
        try query.rejectUnknown(["name", "code", "last", "limit"])
        var wanted = ViolationQuery(
            name: query.text("name"),
            since: try day(query),
            limit: try query.number("limit", in: 1...1_000) ?? 100
        )
        if let text = query.text("code") {
            guard let code = PlanCode(rawValue: text) else {
                let codes = PlanCode.allCases.map(\.rawValue).joined(separator: ", ")
                throw RequestFailure.malformed("code", "“\(text.prefix(64))” is not one of \(codes).")
            }
            wanted.code = code
        }
        return DeferredResponse { [dependencies, plan, slots, wanted] in
            let slot = try slots.takeForQuery()
            defer { withExtendedLifetime(slot) {} }
            var found = try await dependencies.store.violations(matching: wanted)
            // Counts made with another plan do not apply to this one.
            if plan == nil || found.era?.digest != plan?.digest { found = Violations() }
            return Answer.json { [found] writer in
                writer.beginObject()
                writer.member("digest", plan?.digest)
                writer.key("since")
                if let since = found.era?.since { writer.integer(since.milliseconds) } else { writer.null() }
                writer.list("violations", found.groups) { group, writer in
                    group.write(expected: plan?.expectation(of: group.name, at: group.path), to: &writer)
                }
                writer.object("more") { writer in
                    writer.member("groups", found.moreGroups)
                    writer.member("events", found.moreEvents)
                }
                writer.endObject()
            }
        }
    }

    private func show(_ query: Query) throws(RequestFailure) -> PlanShow {
        guard let text = query.text("show") else { return .all }
        guard let show = PlanShow(rawValue: text) else {
            let all = PlanShow.allCases.map(\.rawValue).joined(separator: ", ")
            throw .malformed("show", "“\(text.prefix(64))” is not one of \(all).")
        }
        return show
    }

    /// Returns the first requested day in UTC, counted from 1970.
    ///
    /// Nil for all.
    private func day(_ query: Query) throws(RequestFailure) -> Int64? {
        guard let text = query.text("last") else { return nil }
        guard text.last == "d", let days = Int64(text.dropLast()), (1...3_660).contains(days) else {
            throw .malformed(
                "last",
                "“\(text.prefix(64))” is not a number of days such as 7d, including today: counts are by day in UTC."
            )
        }
        let now = dependencies.clock.now().wall.milliseconds
        let length = QueryInterval.dayLength
        return now / length - (now % length < 0 ? 1 : 0) - days + 1
    }
}

/// Filters for the plan's list of events.
enum PlanShow: String, Sendable, Hashable, CaseIterable {
    case all
    case planned
    case unplanned
    /// Planned events with violations, and unplanned events.
    case violated
    /// Planned events that did not arrive.
    case missing

    /// Whether an event passes the filter.
    func matches(_ row: PlanRow) -> Bool {
        switch self {
        case .all: true
        case .planned: row.planned != nil
        case .unplanned: row.planned == nil
        case .violated: row.count.violations > 0
        case .missing: row.planned != nil && row.count.events == 0
        }
    }
}

/// A row of the plan's list.
///
/// Its event is planned, or arrived unplanned.
struct PlanRow: Sendable, Hashable {
    let name: String
    /// The event's definition; nil if it is not in the plan.
    let planned: PlannedEvent?
    let count: PlanNameCount

    /// Returns all rows, unordered.
    static func rows(_ plan: PlanChecker?, _ counts: PlanCounts) -> [PlanRow] {
        guard let plan else { return [] }
        let isCounting = counts.era?.digest == plan.digest
        let planned = plan.plan.events.map { event in
            PlanRow(
                name: event.name,
                planned: event,
                count: isCounting ? counts.planned[event.name] ?? PlanNameCount() : PlanNameCount()
            )
        }
        guard isCounting else { return planned }
        return planned + counts.unplanned.map { PlanRow(name: $0, planned: nil, count: $1) }
    }

    /// Its position in the list.
    ///
    /// Most violations come first, then most events; then names decide.
    var place: PlanPlace { PlanPlace(violations: count.violations, events: count.events, name: name) }

    /// Writes the row.
    ///
    /// - Parameter isDetailed: Whether to include the event's definition in the plan.
    func write(isDetailed: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("planned", planned != nil)
        writer.member("description", planned?.description)
        writer.member("owner", planned?.owner)
        writer.member("deprecated", planned?.isDeprecated ?? false)
        writer.member("events", count.events)
        writer.member("faulty", count.faulty)
        writer.member("violations", count.violations)
        writer.key("sample")
        if let sample = count.sample { writer.id(sample) } else { writer.null() }
        if isDetailed, let planned {
            writer.key("definition")
            planned.json(isAnnotated: true).write(into: &writer)
        }
        writer.endObject()
    }
}

/// A position in the plan's list, used as a paging cursor.
struct PlanPlace: Sendable, Hashable, Comparable, LosslessStringConvertible {
    let violations: Int64
    let events: Int64
    let name: String

    init(violations: Int64, events: Int64, name: String) {
        self.violations = violations
        self.events = events
        self.name = name
    }

    /// Reads `3.1204.purchase`.
    init?(_ description: String) {
        let parts = description.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let violations = Int64(parts[0]), let events = Int64(parts[1]) else { return nil }
        self.init(violations: violations, events: events, name: String(parts[2]))
    }

    var description: String { "\(violations).\(events).\(name)" }

    static func < (left: PlanPlace, right: PlanPlace) -> Bool {
        if left.violations != right.violations { return left.violations > right.violations }
        if left.events != right.events { return left.events > right.events }
        return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}
