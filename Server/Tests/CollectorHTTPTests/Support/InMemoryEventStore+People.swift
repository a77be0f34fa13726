// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

extension InMemoryEventStore {
    func search(_ search: UserSearch) async throws(StoreError) -> UserSearchResult {
        try note(search)
        let users = try await users(matching: search.query)
        let next = TimeCursor(time: Timestamp(milliseconds: 3), number: 8)
        return UserSearchResult(users: users, searched: 7, total: 9, next: next)
    }

    func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile? {
        try note(query)
        guard query.person != .user("nobody") else { return nil }
        var user = try await users(matching: UserQuery(id: "carl"))[0]
        user.hasMoreAttributes = true
        let device = PersonProfile.Device(
            installation: .init(high: 7 << 12, low: 1 << 63),
            first: Timestamp(milliseconds: 2),
            last: Timestamp(milliseconds: 3),
            events: 4,
            sessions: 1,
            facts: DeviceFacts(app: "shop", version: "2.1", model: nil, system: "iOS 18.2")
        )
        return PersonProfile(person: user, devices: [device])
    }

    func inventory() async throws(StoreError) -> DataInventory {
        DataInventory(
            users: 2,
            visitors: 1,
            installations: 3,
            events: 9,
            rejected: 4,
            first: Timestamp(milliseconds: 5),
            last: nil,
            attributes: [.init(name: "plan", people: 2)],
            contexts: 7,
            members: [.userID: 6]
        )
    }

    func installations(of person: PersonKey) async throws(StoreError) -> [PersonInstallation] {
        [PersonInstallation(.init(high: 7 << 12, low: 1 << 63), times: nil)]
    }

    func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline? {
        try note(query)
        guard query.person != .user("nobody") else { return nil }
        let entries = try await events(matching: EventQuery(limit: query.limit)).map { event in
            Timeline.Entry(event, isVisit: true)
        }
        let next = TimelineCursor(time: Timestamp(milliseconds: 5), position: EventPosition(segment: 2, offset: 16))
        return Timeline(entries: entries, searched: 7, total: 9, next: next)
    }

    func funnel(_ query: FunnelQuery) async throws(StoreError) -> Funnel {
        try note(query)
        let steps = [Funnel.Step(people: 10), Funnel.Step(people: 4, median: 1_500, medianTotal: 2_500)]
        let people = query.lastStep.map { _ in
            [
                Funnel.Person(user: "carl", installation: nil, at: Timestamp(milliseconds: 8)),
                Funnel.Person(
                    user: nil,
                    installation: .init(high: 7 << 12, low: 1 << 63),
                    at: Timestamp(milliseconds: 7)
                ),
            ]
        }
        return Funnel(series: [.init(group: .other(2), steps: steps)], people: people, events: 14)
    }

    func retention(_ query: RetentionQuery) async throws(StoreError) -> Retention {
        try note(query)
        return Retention(cohorts: [.init(people: 5, returned: [2, 1]), .init(people: 3, returned: [1])], events: 9)
    }

    func lifecycle(_ query: ActivityQuery) async throws(StoreError) -> Lifecycle {
        try note(query)
        return Lifecycle(intervals: [.init(new: 1, returning: 2, resurrected: 3, dormant: 4), .init()], events: 6)
    }

    func stickiness(_ query: ActivityQuery) async throws(StoreError) -> Stickiness {
        try note(query)
        return Stickiness(people: [7, 1], events: 9)
    }

    func people(_ query: PointPeopleQuery) async throws(StoreError) -> PointPeople {
        try note(query)
        if case .lifecycle = query.point { throw .unsupported("point", "This store lists no people.") }
        let times = (first: Timestamp(milliseconds: 2_000), last: Timestamp(milliseconds: 5_000))
        let people = [
            PointPeople.Person(user: "=carl", first: times.first, last: times.last, events: 4),
            PointPeople.Person(
                installation: .init(high: 7 << 12, low: 1 << 63),
                first: times.first,
                last: times.first,
                events: 1
            ),
        ]
        let next = TimeCursor(time: times.first, number: 8)
        return PointPeople(people: people, total: 9, eventsWithoutPerson: 3, next: next, events: 14)
    }

    func paths(_ query: PathQuery) async throws(StoreError) -> Paths {
        try note(query)
        return Paths(
            steps: [
                .init(names: [.init("Home", sessions: 3)], other: 1, ended: 2),
                .init(names: [.init("Cart", sessions: 2)], other: 0, ended: 0),
            ],
            links: [
                .init(step: 0, from: "Home", to: "Cart", sessions: 1),
                .init(step: 0, from: nil, to: "Cart", sessions: 1),
            ],
            sessions: 4,
            events: 8
        )
    }
}
