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
        return try await read { try UserSearchRows.search(search, budget: budget, clock: clock, $0) }
    }

    public func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile? {
        try await read { try UserRows.profile(query, $0) }
    }

    public func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline? {
        try await read { [budget, clock, joinsVisitors] in
            try TimelineRows.timeline(query, budget: budget, clock: clock, joinsVisitors: joinsVisitors, $0)
        }
    }
}
