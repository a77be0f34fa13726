// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Counts plan violations in groups, from events in order of arrival.
///
/// An index maintains the same counts for its log. This type computes the counts on request for a part of the log.
///
/// Memory use is bounded as in the index. The tally separately counts at most ``PlanLimits/groups`` groups of planned
/// events, ``PlanLimits/groupsOfEvent`` groups per planned event, and ``PlanLimits/unplannedGroups`` groups of
/// unplanned events; these are the groups that occur first. Not safe for concurrent use.
public struct PlanTally: Sendable {
    /// The key of events that are counted together.
    private struct Group: Hashable {
        var name: String
        var path = ""
        var code: PlanCode
        var version = ""

        /// The group that is counted instead when this one exceeds the limits.
        var others: Group { code == .unplanned ? Group(name: "", code: .unplanned) : Group(name: name, code: .others) }

        var isOthers: Bool { code == .others || name.isEmpty }
    }

    /// The counts of a group.
    private struct Count {
        var events: Int64 = 0
        var first = Timestamp(milliseconds: .max)
        var last = Timestamp(milliseconds: .min)
        var sample: (position: EventPosition, id: EventID)?
        var days: [Int64: Int64] = [:]

        /// Returns the number of events on or after a day.
        ///
        /// Returns nil if there are no such events; `day` is nil for all days.
        func events(since day: Int64?) -> Int64? {
            guard let day else { return events }
            let found = days.filter { $0.key >= day }
            return found.isEmpty ? nil : found.values.reduce(0, +)
        }
    }

    private let checker: PlanChecker
    private var inspection: PlanInspection
    private var era: PlanEra
    private var groups: [Group: Count] = [:]
    /// The number of separately counted groups of planned and of unplanned events.
    private var groupCounts = (planned: 0, unplanned: 0)
    private var groupCountsByName: [String: Int] = [:]
    /// The counts of all events and of faulty events, by name and day.
    ///
    /// Only planned names are included.
    private var days: [String: [Int64: (events: Int64, faulty: Int64)]] = [:]

    /// Creates an empty tally.
    ///
    /// - Parameter checker: The plan.
    public init(_ checker: PlanChecker) {
        self.checker = checker
        inspection = PlanInspection(checker)
        era = PlanEra(digest: checker.digest, title: (checker.plan.title ?? "").truncated(toUTF8Count: 256))
    }

    /// Counts an event.
    ///
    /// - Parameters:
    ///   - json: The whole event; not read when the plan does not list the event's name.
    ///   - version: The app's version; empty when unknown.
    /// - Complexity: O(bytes · log of the names per object).
    public mutating func count(
        _ name: String,
        _ json: UnsafeRawBufferPointer,
        version: String,
        received: Timestamp,
        at position: EventPosition,
        id: EventID
    ) {
        guard let number = checker.number(of: name) else {
            guard checker.plan.unplanned == .count, !PlanChecker.isCaptured(name) else { return }
            era.unplanned += 1
            widen(received)
            add(Group(name: name, code: .unplanned, version: version), received, (position, id))
            return
        }
        inspection.inspect(number, event: json)
        era.events += 1
        widen(received)
        let day = Self.day(of: received)
        var ofDay = days[name]?[day] ?? (0, 0)
        ofDay.events += 1
        if !inspection.findings.isEmpty {
            era.faulty += 1
            ofDay.faulty += 1
        }
        days[name, default: [:]][day] = ofDay
        era.violations += Int64(inspection.findings.count)
        for finding in inspection.findings {
            let group = Group(name: name, path: checker.path(of: finding), code: finding.code, version: version)
            add(group, received, (position, id))
        }
    }

    private static func day(of moment: Timestamp) -> Int64 {
        let (milliseconds, length) = (moment.milliseconds, QueryInterval.dayLength)
        return milliseconds / length - (milliseconds % length < 0 ? 1 : 0)
    }

    private mutating func widen(_ received: Timestamp) {
        era.since = min(era.since ?? received, received)
        era.until = max(era.until ?? received, received)
    }

    private mutating func add(_ wanted: Group, _ received: Timestamp, _ sample: (position: EventPosition, id: EventID))
    {
        let hasOwnGroup = groups[wanted] != nil || wanted.isOthers || reserveGroup(for: wanted)
        var count = groups[hasOwnGroup ? wanted : wanted.others] ?? Count()
        count.events += 1
        count.first = min(count.first, received)
        count.last = max(count.last, received)
        if count.sample.map({ $0.position < sample.position }) ?? true { count.sample = sample }
        count.days[Self.day(of: received), default: 0] += 1
        groups[hasOwnGroup ? wanted : wanted.others] = count
    }

    private mutating func reserveGroup(for group: Group) -> Bool {
        if group.code == .unplanned {
            guard groupCounts.unplanned < PlanLimits.unplannedGroups else { return false }
            groupCounts.unplanned += 1
            return true
        }
        let own = groupCountsByName[group.name] ?? 0
        guard groupCounts.planned < PlanLimits.groups, own < PlanLimits.groupsOfEvent else { return false }
        groupCounts.planned += 1
        groupCountsByName[group.name] = own + 1
        return true
    }

    // MARK: Results

    /// Returns the counts by name.
    ///
    /// - Parameter day: The first day in UTC, as a number of days since 1970; nil for all days.
    /// - Complexity: O(groups and names, and their days).
    public func counts(since day: Int64?) -> PlanCounts {
        var counts = PlanCounts(era: era)
        for (name, ofName) in days {
            let found = ofName.filter { $0.key >= day ?? .min }.values
            guard !found.isEmpty else { continue }
            counts.planned[name] = PlanNameCount(
                events: found.reduce(0) { $0 + $1.events },
                faulty: found.reduce(0) { $0 + $1.faulty }
            )
        }
        var samples: [String: EventPosition] = [:]
        for (group, count) in groups {
            guard let events = count.events(since: day) else { continue }
            if group.code == .unplanned, group.name.isEmpty {
                counts.others += events
                continue
            }
            let place = group.code == .unplanned ? \PlanCounts.unplanned : \PlanCounts.planned
            var known = counts[keyPath: place][group.name] ?? PlanNameCount()
            known.violations += events
            if group.code == .unplanned {
                known.events += events
                known.faulty += events
            }
            if let sample = count.sample, samples[group.name].map({ $0 < sample.position }) ?? true {
                samples[group.name] = sample.position
                known.sample = sample.id
            }
            counts[keyPath: place][group.name] = known
        }
        return counts
    }

    /// Returns groups of violations, most events first.
    ///
    /// - Complexity: O(groups · log groups).
    public func violations(matching query: ViolationQuery) -> Violations {
        let wanted = groups.compactMap { group, count -> ViolationGroup? in
            guard query.name == nil || query.name == group.name, query.code == nil || query.code == group.code,
                let events = count.events(since: query.since), events > 0
            else { return nil }
            return ViolationGroup(
                name: group.name,
                path: group.path,
                code: group.code.rawValue,
                version: group.version,
                events: events,
                first: count.first,
                last: count.last,
                sample: count.sample?.id,
                days: count.days.filter { $0.key >= query.since ?? .min }.sorted { $0.key < $1.key }
                    .map { (day: $0.key, events: $0.value) }
            )
        }.sorted { left, right in
            if left.events != right.events { return left.events > right.events }
            // Text is ordered byte by byte.
            let texts = [
                (left.name, right.name), (left.path, right.path), (left.code, right.code),
                (left.version, right.version),
            ]
            guard let (one, other) = texts.first(where: { !$0.utf8.elementsEqual($1.utf8) }) else { return false }
            return one.utf8.lexicographicallyPrecedes(other.utf8)
        }
        let shown = Array(wanted.prefix(max(0, query.limit)))
        let rest = wanted.dropFirst(shown.count)
        return Violations(
            era: era,
            groups: shown,
            moreGroups: Int64(rest.count),
            moreEvents: rest.reduce(0) { $0 + $1.events }
        )
    }
}
