// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

extension InMemoryEventStore {
    /// The sample event in every response.
    static let planSample = EventID(high: 7 << 12, low: 1 << 63)

    func planCounts(since day: Int64?) async throws(StoreError) -> PlanCounts {
        try note(PlanCountsQuery(day: day))
        var faulty = PlanNameCount(events: 9, faulty: 2, violations: 3)
        faulty.sample = Self.planSample
        return PlanCounts(
            era: planDigest.map {
                PlanEra(
                    digest: $0,
                    title: "Shop",
                    since: Timestamp(milliseconds: 5),
                    until: Timestamp(milliseconds: 9),
                    events: 13,
                    faulty: 2,
                    violations: 3,
                    unplanned: 6
                )
            },
            previous: [PlanEra(digest: "0123456789abcdef", events: 40, violations: 1)],
            planned: ["purchase": faulty, "view": PlanNameCount(events: 4)],
            unplanned: ["typo": PlanNameCount(events: 4, faulty: 4, violations: 4)],
            others: 2
        )
    }

    func violations(matching query: ViolationQuery) async throws(StoreError) -> Violations {
        try note(query)
        let group = ViolationGroup(
            name: "purchase",
            path: "attributes.total",
            code: "minimum",
            version: "2.1",
            events: 3,
            first: Timestamp(milliseconds: 5),
            last: Timestamp(milliseconds: 9),
            sample: Self.planSample,
            days: [(day: 1, events: 3)]
        )
        return Violations(
            era: planDigest.map { PlanEra(digest: $0, since: Timestamp(milliseconds: 5)) },
            groups: [group],
            moreGroups: 1,
            moreEvents: 2
        )
    }
}

/// The requested first day.
struct PlanCountsQuery: Sendable, Hashable {
    let day: Int64?
}
