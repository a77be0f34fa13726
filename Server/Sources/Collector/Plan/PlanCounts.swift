// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A stretch of the intake log that was looked at by one plan without a gap.
public struct PlanEra: Sendable, Hashable {
    /// What names the plan's rules.
    public var digest: String
    /// What the plan was called; empty for nothing.
    public var title: String
    /// When the first event that was looked at arrived; nil while there is none.
    public var since: Timestamp?
    /// When the last one arrived.
    public var until: Timestamp?
    /// Planned events that were looked at.
    public var events: Int64
    /// Those of them that do not keep to the plan in something.
    public var faulty: Int64
    /// What they do not keep to: each thing once per event.
    public var violations: Int64
    /// Events that are not in the plan.
    public var unplanned: Int64

    /// A stretch.
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

    /// Writes what was counted as members of an object that is open.
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

/// What was counted of one name, on the days asked for.
public struct PlanNameCount: Sendable, Hashable {
    /// Its events.
    public var events: Int64
    /// Those that do not keep to the plan in something; all of a name that is not in it.
    public var faulty: Int64
    /// What they do not keep to.
    public var violations: Int64
    /// One such event, the latest that is known.
    public var sample: EventID?

    /// Counts of a name.
    public init(events: Int64 = 0, faulty: Int64 = 0, violations: Int64 = 0, sample: EventID? = nil) {
        self.events = events
        self.faulty = faulty
        self.violations = violations
        self.sample = sample
    }
}

/// What was counted by a plan, name by name.
public struct PlanCounts: Sendable, Hashable {
    /// The stretch that is being counted, or was counted last; nil when no plan ever was.
    public var era: PlanEra?
    /// The stretches before it, the latest first.
    public var former: [PlanEra]
    /// Names of the plan.
    public var planned: [String: PlanNameCount]
    /// Names that are not in the plan.
    public var unplanned: [String: PlanNameCount]
    /// Events of further names that are not in the plan.
    public var others: Int64

    /// Counts.
    public init(
        era: PlanEra? = nil,
        former: [PlanEra] = [],
        planned: [String: PlanNameCount] = [:],
        unplanned: [String: PlanNameCount] = [:],
        others: Int64 = 0
    ) {
        self.era = era
        self.former = former
        self.planned = planned
        self.unplanned = unplanned
        self.others = others
    }
}

/// Which groups of violations a reader wants.
public struct ViolationQuery: Sendable, Hashable {
    /// Only of events of this name.
    public var name: String?
    /// Only of this kind.
    public var code: PlanCode?
    /// From this day of UTC on, counted from 1970; nil for all.
    public var since: Int64?
    /// The most groups.
    public var limit: Int

    /// A query.
    public init(name: String? = nil, code: PlanCode? = nil, since: Int64? = nil, limit: Int = 100) {
        self.name = name
        self.code = code
        self.since = since
        self.limit = limit
    }
}

/// Events of one name and version that do not keep to the plan in the same thing.
public struct ViolationGroup: Sendable, Hashable {
    /// The event's name; empty for names that are not told apart.
    public var name: String
    /// Where it is; empty for the event itself.
    public var path: String
    /// What is wrong.
    public var code: String
    /// The app's version; empty where it is not known.
    public var version: String
    /// How many events, on the days asked for.
    public var events: Int64
    /// When the first of them arrived, over all days.
    public var first: Timestamp
    /// When the last of them arrived.
    public var last: Timestamp
    /// One of them, the latest that is known; nil when it was erased.
    public var sample: EventID?
    /// How many events on which day of UTC, counted from 1970; days without are left out.
    public var days: [(day: Int64, events: Int64)]

    /// A group.
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
    /// - Parameter expected: what the plan wants there; nil where it says nothing.
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
            writer.integer(day.day * QuestionInterval.dayLength)
            writer.element()
            writer.integer(day.events)
            writer.endArray()
        }
        writer.endObject()
    }
}

/// Groups of violations, and what is not among them.
public struct Violations: Sendable, Hashable {
    /// What counted them; nil when no plan ever was.
    public var era: PlanEra?
    /// The groups, the one with most events first.
    public var groups: [ViolationGroup]
    /// How many further groups there are.
    public var moreGroups: Int64
    /// Their events.
    public var moreEvents: Int64

    /// Groups.
    public init(era: PlanEra? = nil, groups: [ViolationGroup] = [], moreGroups: Int64 = 0, moreEvents: Int64 = 0) {
        self.era = era
        self.groups = groups
        self.moreGroups = moreGroups
        self.moreEvents = moreEvents
    }
}
