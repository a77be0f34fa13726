// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A contiguous part of the intake log, checked against one plan.
public struct PlanEra: Sendable, Hashable {
    /// The digest that identifies the plan's rules.
    public var digest: String
    /// The plan's title; empty for none.
    public var title: String
    /// When the first checked event arrived; nil before the first.
    public var since: Timestamp?
    /// When the last checked event arrived.
    public var until: Timestamp?
    /// The number of planned events that were checked.
    public var events: Int64
    /// The number of those events that violate the plan.
    public var faulty: Int64
    /// The number of violations, each counted once per event.
    public var violations: Int64
    /// The number of events that are not in the plan.
    public var unplanned: Int64

    /// Creates an era.
    public init(
        digest: String,
        title: String = "",
        since: Timestamp? = nil,
        until: Timestamp? = nil,
        events: Int64 = 0,
        faulty: Int64 = 0,
        violations: Int64 = 0,
        unplanned: Int64 = 0
    ) {
        self.digest = digest
        self.title = title
        self.since = since
        self.until = until
        self.events = events
        self.faulty = faulty
        self.violations = violations
        self.unplanned = unplanned
    }

    /// Writes the counts as members of an open object.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("digest", digest)
        writer.member("title", title.isEmpty ? nil : title)
        for (key, moment) in [("since", since), ("until", until)] {
            writer.key(key)
            if let moment { writer.integer(moment.milliseconds) } else { writer.null() }
        }
        writer.member("events", events)
        writer.member("faulty", faulty)
        writer.member("violations", violations)
        writer.member("unplanned", unplanned)
    }
}

/// The counts of one event name, on the requested days.
public struct PlanNameCount: Sendable, Hashable {
    /// The number of events.
    public var events: Int64
    /// The number of events that violate the plan.
    ///
    /// For an unplanned name, these are all its events.
    public var faulty: Int64
    /// The number of violations.
    public var violations: Int64
    /// The latest known event that violates the plan.
    public var sample: EventID?

    /// Creates the counts of a name.
    public init(events: Int64 = 0, faulty: Int64 = 0, violations: Int64 = 0, sample: EventID? = nil) {
        self.events = events
        self.faulty = faulty
        self.violations = violations
        self.sample = sample
    }
}

/// The counts of events checked against a plan, by name.
public struct PlanCounts: Sendable, Hashable {
    /// The current or most recent era.
    ///
    /// Nil if there has never been a plan.
    public var era: PlanEra?
    /// The eras before ``era``, latest first.
    public var previous: [PlanEra]
    /// The counts of planned names.
    public var planned: [String: PlanNameCount]
    /// The counts of unplanned names.
    public var unplanned: [String: PlanNameCount]
    /// The number of events with further unplanned names.
    public var others: Int64

    /// Creates counts.
    public init(
        era: PlanEra? = nil,
        previous: [PlanEra] = [],
        planned: [String: PlanNameCount] = [:],
        unplanned: [String: PlanNameCount] = [:],
        others: Int64 = 0
    ) {
        self.era = era
        self.previous = previous
        self.planned = planned
        self.unplanned = unplanned
        self.others = others
    }
}

/// A query for groups of violations.
public struct ViolationQuery: Sendable, Hashable {
    /// The name of the events to include; nil for all names.
    public var name: String?
    /// The kind of violations to include; nil for all kinds.
    public var code: PlanCode?
    /// The first day in UTC, counted from 1970; nil for all days.
    public var since: Int64?
    /// The maximum number of groups.
    public var limit: Int

    /// Creates a query.
    public init(name: String? = nil, code: PlanCode? = nil, since: Int64? = nil, limit: Int = 100) {
        self.name = name
        self.code = code
        self.since = since
        self.limit = limit
    }
}

/// Events of one name and app version that share a violation.
public struct ViolationGroup: Sendable, Hashable {
    /// The event's name; empty for names that are counted together.
    public var name: String
    /// The path of the violation; empty for the event itself.
    public var path: String
    /// The kind of violation.
    public var code: String
    /// The app's version; empty when unknown.
    public var version: String
    /// The number of events on the requested days.
    public var events: Int64
    /// When the first such event arrived, regardless of the requested days.
    public var first: Timestamp
    /// When the last such event arrived.
    public var last: Timestamp
    /// The latest known of these events; nil if it was erased.
    public var sample: EventID?
    /// The number of events per UTC day; days are counted from 1970.
    ///
    /// Days without events are omitted.
    public var days: [(day: Int64, events: Int64)]

    /// Creates a group.
    public init(
        name: String,
        path: String,
        code: String,
        version: String,
        events: Int64,
        first: Timestamp,
        last: Timestamp,
        sample: EventID?,
        days: [(day: Int64, events: Int64)] = []
    ) {
        self.name = name
        self.path = path
        self.code = code
        self.version = version
        self.events = events
        self.first = first
        self.last = last
        self.sample = sample
        self.days = days
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.name == right.name && left.path == right.path && left.code == right.code && left.version == right.version
            && left.events == right.events && left.first == right.first && left.last == right.last
            && left.sample == right.sample && left.days.elementsEqual(right.days, by: ==)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(path)
        hasher.combine(code)
        hasher.combine(version)
    }

    /// Writes the group.
    ///
    /// - Parameter expected: The value that the plan expects; nil if the plan does not describe it.
    public func write(expected: String?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("path", path)
        writer.member("code", code)
        writer.member("version", version.isEmpty ? nil : version)
        writer.member("expected", expected)
        writer.member("events", events)
        writer.member("first", first)
        writer.member("last", last)
        writer.key("sample")
        if let sample { writer.id(sample) } else { writer.null() }
        writer.list("days", days) { day, writer in
            writer.beginArray()
            writer.element()
            writer.integer(day.day * QueryInterval.dayLength)
            writer.element()
            writer.integer(day.events)
            writer.endArray()
        }
        writer.endObject()
    }
}

/// Groups of violations, and the totals of the omitted groups.
public struct Violations: Sendable, Hashable {
    /// The era that was counted.
    ///
    /// Nil if there has never been a plan.
    public var era: PlanEra?
    /// The groups, the one with the most events first.
    public var groups: [ViolationGroup]
    /// The number of further groups.
    public var moreGroups: Int64
    /// The number of events in further groups.
    public var moreEvents: Int64

    /// Creates the result of a query for violations.
    public init(era: PlanEra? = nil, groups: [ViolationGroup] = [], moreGroups: Int64 = 0, moreEvents: Int64 = 0) {
        self.era = era
        self.groups = groups
        self.moreGroups = moreGroups
        self.moreEvents = moreEvents
    }
}
