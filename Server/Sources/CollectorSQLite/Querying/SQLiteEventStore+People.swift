// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
public import TrackwayCore

/// Queries about people, their devices, sessions and events.
extension SQLiteEventStore {
    public func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession] {
        try await read { try SessionRows.matching(query, $0) }
    }

    public func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow {
        try await read { try ScreenRows.flow(query, $0) }
    }

    public func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser] {
        try await read { try UserRows.matching(query, $0) }
    }

    public func devices(matching query: DeviceQuery) async throws(StoreError) -> [StoredDevice] {
        try await read { try DeviceRows.matching(query, $0) }
    }

    public func device(_ installation: InstallationID, limit: Int) async throws(StoreError) -> DeviceHistory? {
        try await read { try DeviceRows.history(of: installation, limit: limit, $0) }
    }

    public func search(_ search: UserSearch) async throws(StoreError) -> UserSearchResult {
        let (budget, clock) = (budget, clock)
        let cohorts = try cohorts(in: [QueryFilter(conditions: search.conditions)])
        return try await read {
            try UserSearchRows.search(search, budget: budget, clock: clock, cohorts: cohorts, $0)
        }
    }

    public func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile? {
        try await read { try UserRows.profile(query, $0) }
    }

    public func merges(connectedWith users: [String]) async throws(StoreError) -> [StoredMerge] {
        try await read { try MergeRows.connected(with: users, $0) }
    }

    public func inventory() async throws(StoreError) -> DataInventory {
        let progress = progressNow
        return try await read {
            try InventoryRows.inventory(events: progress.events, rejected: progress.failed, $0)
        }
    }

    public func installations(of person: PersonKey) async throws(StoreError) -> [PersonInstallation] {
        try await read { db in
            try UserInstallation.all(of: person, db).map { PersonInstallation($0.id, times: $0.times) }
        }
    }

    public func eventReader(
        of person: PersonKey,
        before end: EventPosition,
        limit: Int
    ) async throws(StoreError) -> (any PersonEventReader)? {
        try await read { [self] db in
            try SQLitePersonEventReader(self, of: person, before: end, limit: limit, db)
        }
    }

    public func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline? {
        let cohorts = try cohorts(in: [QueryFilter(conditions: query.conditions)])
        return try await read { [budget, clock] db in
            try TimelineRows.timeline(
                query,
                budget: budget,
                clock: clock,
                cohorts: cohorts,
                db
            )
        }
    }
}
