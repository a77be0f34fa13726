// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Hummingbird
internal import TrackwayCore

/// The endpoints for the tracking plan's events and violations.
struct PlanEndpoints: RoutedResource {
    private let dependencies: CollectorDependencies
    private let plan: PlanChecker?
    private let slots = ConcurrencySlots(limit: 2)

    /// Creates the endpoints for a plan.
    ///
    /// - Parameter plan: The current plan; nil without a plan.
    init(dependencies: CollectorDependencies, plan: PlanChecker?) {
        self.dependencies = dependencies
        self.plan = plan
    }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/plan") { try await events($0.query).run() }
        routes.read("/v1/plan/violations") { try await violations($0.query).run() }
    }

    /// `GET /v1/plan`: planned and unplanned events with their counts.
    func events(_ query: QueryParameters) throws -> DeferredResponse {
        try query.rejectUnknown(["name", "search", "show", "last", "limit", "after"])
        let limit = try query.number("limit", in: 1...500) ?? 100
        let filter = try filter(query)
        let day = try day(query)
        let (name, search) = (try query.text("name"), try query.text("search")?.lowercased())
        let after: PlanCursor? = try query.value("after", "a cursor such as 3.1204.purchase")
        return DeferredResponse { [dependencies, plan, slots] in
            let slot = try slots.takeForQuery()
            defer { withExtendedLifetime(slot) {} }
            let counts = try await dependencies.store.planCounts(since: day)
            let rows = PlanRow.rows(plan, counts)
            let wanted = rows.filter { row in
                filter.matches(row) && (name == nil || row.name == name)
                    && (search.map { row.name.lowercased().contains($0) } ?? true)
            }.sorted { $0.cursor < $1.cursor }
            let shown = wanted.filter { row in after.map { $0 < row.cursor } ?? true }.prefix(limit)
            return JSONResponse.make { writer in
                writer.beginObject()
                Self.write(plan, counts, rows, to: &writer)
                writer.key("from")
                if let day { writer.integer(day * QueryInterval.dayLength) } else { writer.null() }
                writer.list("events", Array(shown)) { $0.write(isDetailed: name != nil, to: &$1) }
                if let last = shown.last, last.name != wanted.last?.name || last.cursor != wanted.last?.cursor {
                    writer.member("next", last.cursor.description)
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
        let previous = (isCounting ? [] : counts.era.map { [$0] } ?? []) + counts.previous
        writer.list("former", previous) { era, writer in
            writer.beginObject()
            era.writeMembers(to: &writer)
            writer.endObject()
        }
    }

    /// `GET /v1/plan/violations`: grouped violations of the plan.
    func violations(_ query: QueryParameters) throws -> DeferredResponse {
        try query.rejectUnknown(["name", "code", "last", "limit"])
        var wanted = ViolationQuery(
            name: try query.text("name"),
            since: try day(query),
            limit: try query.number("limit", in: 1...1_000) ?? 100
        )
        if let text = try query.text("code") {
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
            // Counts for a different plan do not apply to the current one.
            if plan == nil || found.era?.digest != plan?.digest { found = Violations() }
            return JSONResponse.make { [found] writer in
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

    private func filter(_ query: QueryParameters) throws(RequestFailure) -> PlanFilter {
        guard let text = try query.text("show") else { return .all }
        guard let filter = PlanFilter(rawValue: text) else {
            let all = PlanFilter.allCases.map(\.rawValue).joined(separator: ", ")
            throw .malformed("show", "“\(text.prefix(64))” is not one of \(all).")
        }
        return filter
    }

    /// Returns the first requested UTC day, as a number of days since 1970.
    ///
    /// Nil for all days.
    private func day(_ query: QueryParameters) throws(RequestFailure) -> Int64? {
        guard let text = try query.text("last") else { return nil }
        guard text.last == "d", let days = Int64(text.dropLast()), (1...3_660).contains(days) else {
            throw .malformed(
                "last",
                "“\(text.prefix(64))” is not a number of days: write one such as 7d, which includes today (UTC)."
            )
        }
        let now = dependencies.clock.now().wall.milliseconds
        let length = QueryInterval.dayLength
        return now / length - (now % length < 0 ? 1 : 0) - days + 1
    }
}

/// Filters for the plan's list of events.
enum PlanFilter: String, Sendable, Hashable, CaseIterable {
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
/// The row's event is part of the plan, or arrived without being planned.
struct PlanRow: Sendable, Hashable {
    let name: String
    /// The event's definition; nil if the event is not in the plan.
    let planned: PlannedEvent?
    let count: PlanNameCount

    /// Returns all rows in no particular order.
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

    /// The row's position in the list.
    ///
    /// Rows are sorted by violations and then by events, both in descending order, and then by name.
    var cursor: PlanCursor { PlanCursor(violations: count.violations, events: count.events, name: name) }

    /// Writes the row as JSON.
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
struct PlanCursor: Sendable, Hashable, Comparable, LosslessStringConvertible {
    let violations: Int64
    let events: Int64
    let name: String

    init(violations: Int64, events: Int64, name: String) {
        self.violations = violations
        self.events = events
        self.name = name
    }

    /// Parses a description such as `3.1204.purchase`.
    init?(_ description: String) {
        let parts = description.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let violations = Int64(parts[0]), let events = Int64(parts[1]) else { return nil }
        self.init(violations: violations, events: events, name: String(parts[2]))
    }

    var description: String { "\(violations).\(events).\(name)" }

    static func < (left: PlanCursor, right: PlanCursor) -> Bool {
        if left.violations != right.violations { return left.violations > right.violations }
        if left.events != right.events { return left.events > right.events }
        return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
    }
}
