// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Collector
internal import CollectorStore
internal import Testing
internal import TrackwayEvents

@testable internal import CollectorClickHouse

/// Calls every method of ``EventStore`` on streams made for other tests.
///
/// These include people with rejected and admitted events, devices of people, and accounts of devices.
@Suite(
    "EventStore methods on streams made for other tests",
    .enabled(if: NATSServerBinary.isWanted, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests, separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs Debian's."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineContractTests {
    enum Made: String, CaseIterable, CustomTestStringConvertible {
        case forArrivals, forPeople, forDevices

        var testDescription: String { rawValue }

        func fill(_ stream: StreamMemory) {
            switch self {
            case .forArrivals: ArrivalStream.fill(stream, seed: 77)
            case .forPeople: PeopleStream.fill(stream, seed: 78)
            case .forDevices: DeviceStream.fill(stream, seed: 79)
            }
        }
    }

    @Test("every method returns the same from both stores", arguments: Made.allCases)
    func everything(_ made: Made) async throws {
        try await ComparedStores.run(blockEvents: 60, fill: made.fill) { stores in
            await stores.columns.look()
            let answered = try await Contract(stores: stores).check()
            // Empty answers would prove nothing.
            #expect(answered > 40, "\(answered)")
        }
    }

    /// Both stores behind the same protocol.
    struct Contract {
        let stores: ComparedStores
        var index: any EventStore { stores.index }
        var columns: any EventStore { stores.columns }

        /// Calls both stores, and expects equal results.
        private func ask<Answer: Equatable & Sendable>(
            _ about: Comment,
            _ body: (any EventStore) async throws(StoreError) -> Answer
        ) async throws -> Answer {
            let expected = try await body(index)
            let answer = try await body(columns)
            #expect(answer == expected, about)
            return expected
        }

        func check() async throws -> Int {
            var answered = 0
            let events = try await ask("events") { store throws(StoreError) in
                try await store.events(matching: EventQuery(limit: 1_000))
            }
            answered += events.count
            for event in events.prefix(20) {
                _ = try await ask("event \(event.id)") { store throws(StoreError) in try await store.event(event.id) }
            }
            _ = try await ask("count") { store throws(StoreError) in try await store.count(matching: EventQuery()) }
            _ = try await ask("erasures") { store throws(StoreError) in
                try await store.erasures(installation: nil, limit: 50)
            }
            _ = try await ask("writers") { store throws(StoreError) in try await store.writers(installation: nil) }
            _ = try await ask("ledger") { store throws(StoreError) in
                try await store.ledger(matching: LedgerQuery()).map { row in
                    var row = row
                    // Each store has separate row numbers.
                    row.number = 0
                    return row
                }
            }
            let failed = try await ask("failed") { store throws(StoreError) in
                try await store.failed(matching: FailedQuery())
            }
            for event in failed.prefix(5) {
                _ = try await ask("failed \(event.position)") { store throws(StoreError) in
                    try await store.failed(at: event.position)
                }
            }
            _ = try await ask("minutes") { store throws(StoreError) in
                try await store.minutes(since: Timestamp(milliseconds: 0), names: 5)
            }
            answered += try await checkUse()
            try await checkNames(Set(events.map(\.name)))
            for user in Set(events.compactMap(\.user)).sorted() { try await check(.user(user)) }
            for installation in Set(events.compactMap(\.installation)) {
                try await check(.visitor(installation))
                _ = try await ask("device \(installation)") { store throws(StoreError) in
                    try await store.device(installation, limit: 50)
                }
                #expect(stores.columns.isErased(installation) == stores.index.isErased(installation))
            }
            return answered
        }

        /// Checks sessions, screens, people and devices.
        private func checkUse() async throws -> Int {
            let sessions = try await ask("sessions") { store throws(StoreError) in
                try await store.sessions(matching: SessionQuery(limit: 200))
            }
            _ = try await ask("screens") { store throws(StoreError) in try await store.screens(matching: ScreenQuery())
            }
            let users = try await ask("users") { store throws(StoreError) in
                try await store.users(matching: UserQuery(limit: 200, withAttributes: true))
            }
            var search = UserSearch(UserQuery(limit: 50, withAttributes: true))
            search.words = ["u"]
            _ = try await ask("users found") { [search] store throws(StoreError) in try await store.found(search) }
            let devices = try await ask("devices") { store throws(StoreError) in
                try await store.devices(matching: DeviceQuery(limit: 200))
            }
            return sessions.count + users.count + devices.count
        }

        private func checkNames(_ names: Set<String>) async throws {
            let now = Timestamp(milliseconds: ArrivalStream.start + 3 * 86_400_000)
            let days = try #require(CatalogDays(around: now, in: .utc))
            _ = try await ask("catalogue") { store throws(StoreError) in
                try await store.catalogue(matching: CatalogQuery(limit: 200, days: days))
            }
            for name in names {
                _ = try await ask("description of \(name)") { store throws(StoreError) in
                    try await store.description(of: name, days: days)
                }
            }
        }

        private func check(_ person: PersonKey) async throws {
            _ = try await ask("profile of \(person)") { store throws(StoreError) in
                try await store.profile(ProfileQuery(person))
            }
            // Events that were rejected at first show it.
            _ = try await ask("timeline of \(person)") { store throws(StoreError) in
                try await store.timeline(TimelineQuery(person, limit: 200))
            }
        }
    }
}
