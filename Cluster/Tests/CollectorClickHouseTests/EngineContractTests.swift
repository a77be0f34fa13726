// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorSQLite
internal import Testing
internal import TrackwayCore

@testable internal import CollectorClickHouse

/// Calls every method of ``EventStore`` on streams made for other tests.
///
/// These include people with rejected and admitted events, devices of people, and accounts of devices.
@Suite(
    "EventStore methods on streams made for other tests",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineContractTests {
    enum Fixture: String, CaseIterable, CustomTestStringConvertible {
        case arrivals, people, devices

        var testDescription: String { rawValue }

        func fill(_ stream: InMemoryStream) {
            switch self {
            case .arrivals: ArrivalStream.fill(stream, seed: 77)
            case .people: PeopleStream.fill(stream, seed: 78)
            case .devices: DeviceStream.fill(stream, seed: 79)
            }
        }
    }

    @Test(arguments: Fixture.allCases)
    func `every method returns the same from both stores`(_ fixture: Fixture) async throws {
        try await ComparedStores.run(blockEvents: 60, fill: fixture.fill) { stores in
            await stores.columns.refresh()
            let resultCount = try await Contract(stores: stores).check()
            // Empty answers would prove nothing.
            #expect(resultCount > 40, "\(resultCount)")
        }
    }

    /// Both stores behind the same protocol.
    struct Contract {
        let stores: ComparedStores
        var index: any EventStore { stores.index }
        var columns: any EventStore { stores.columns }

        /// Calls both stores and expects equal results.
        private func compare<Answer: Equatable & Sendable>(
            _ label: Comment,
            _ body: (any EventStore) async throws(StoreError) -> Answer
        ) async throws -> Answer {
            let expected = try await body(index)
            let answer = try await body(columns)
            #expect(answer == expected, label)
            return expected
        }

        func check() async throws -> Int {
            var resultCount = 0
            let events = try await compare("events") { store throws(StoreError) in
                try await store.events(matching: EventQuery(limit: 1_000))
            }
            resultCount += events.count
            for event in events.prefix(20) {
                _ = try await compare("event \(event.id)") { store throws(StoreError) in try await store.event(event.id)
                }
            }
            _ = try await compare("count") { store throws(StoreError) in try await store.count(matching: EventQuery()) }
            _ = try await compare("erasures") { store throws(StoreError) in
                try await store.erasures(installation: nil, limit: 50)
            }
            _ = try await compare("writers") { store throws(StoreError) in try await store.writers(installation: nil) }
            _ = try await compare("ledger") { store throws(StoreError) in
                try await store.ledger(matching: LedgerQuery()).map { row in
                    var row = row
                    // Each store has separate row numbers.
                    row.number = 0
                    return row
                }
            }
            let failed = try await compare("failed") { store throws(StoreError) in
                try await store.failed(matching: FailedQuery())
            }
            for event in failed.prefix(5) {
                _ = try await compare("failed \(event.position)") { store throws(StoreError) in
                    try await store.failed(at: event.position)
                }
            }
            _ = try await compare("minutes") { store throws(StoreError) in
                try await store.minutes(since: Timestamp(milliseconds: 0), names: 5)
            }
            resultCount += try await checkUsage()
            try await checkNames(Set(events.map(\.name)))
            for user in Set(events.compactMap(\.user)).sorted() { try await check(.user(user)) }
            for installation in Set(events.compactMap(\.installation)) {
                try await check(.visitor(installation))
                _ = try await compare("device \(installation)") { store throws(StoreError) in
                    try await store.device(installation, limit: 50)
                }
                #expect(stores.columns.isErased(installation) == stores.index.isErased(installation))
            }
            return resultCount
        }

        /// Checks sessions, screens, people and devices.
        private func checkUsage() async throws -> Int {
            let sessions = try await compare("sessions") { store throws(StoreError) in
                try await store.sessions(matching: SessionQuery(limit: 200))
            }
            _ = try await compare("screens") { store throws(StoreError) in
                try await store.screens(matching: ScreenQuery())
            }
            let users = try await compare("users") { store throws(StoreError) in
                try await store.users(matching: UserQuery(limit: 200, includesAttributes: true))
            }
            var search = UserSearch(UserQuery(limit: 50, includesAttributes: true))
            search.words = ["u"]
            _ = try await compare("users found") { [search] store throws(StoreError) in try await store.search(search) }
            let devices = try await compare("devices") { store throws(StoreError) in
                try await store.devices(matching: DeviceQuery(limit: 200))
            }
            return sessions.count + users.count + devices.count
        }

        private func checkNames(_ names: Set<String>) async throws {
            let now = Timestamp(milliseconds: ArrivalStream.start + 3 * 86_400_000)
            let days = try #require(CatalogDays(around: now, in: .utc))
            _ = try await compare("catalog") { store throws(StoreError) in
                try await store.catalog(matching: CatalogQuery(limit: 200, days: days))
            }
            for name in names {
                _ = try await compare("description of \(name)") { store throws(StoreError) in
                    try await store.description(of: name, days: days)
                }
            }
        }

        private func check(_ person: PersonKey) async throws {
            _ = try await compare("profile of \(person)") { store throws(StoreError) in
                // ClickHouse does not compute first-touch facts.
                var profile = try await store.profile(ProfileQuery(person))
                profile?.firstTouch = [:]
                return profile
            }
            // Events that were first rejected and then admitted are marked as such.
            _ = try await compare("timeline of \(person)") { store throws(StoreError) in
                try await store.timeline(TimelineQuery(person, limit: 200))
            }
        }
    }
}
