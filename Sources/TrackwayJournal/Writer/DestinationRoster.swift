// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The destinations that events are kept for at present, and where each of them begins in this process's own log.
///
/// One that was removed keeps its place in the log: what waits for it stays, and goes on when it is added again.
struct DestinationRoster: Sendable {
    /// Those that are there, in the order they were added.
    private(set) var present: [DestinationID] = []
    private var beginnings: [DestinationID: Cursor] = [:]

    init(_ destinations: [DestinationID]) {
        for id in destinations { add(id, from: Cursor()) }
    }

    /// Where a destination begins in this process's log; nil when it has no place there.
    func beginning(of id: DestinationID) -> Cursor? {
        beginnings[id]
    }

    /// Whom an event without a route is for, named one by one; nil while that is everybody who has a place in the log.
    ///
    /// What is recorded while a destination is away is not for it, so it must not be addressed to all.
    var everybodyByName: [DestinationID]? {
        beginnings.count == present.count ? nil : present
    }

    /// Adds a destination.
    ///
    /// - Parameter beginning: where its events begin, unless it was there before.
    /// - Returns: true when it has a place in the log for the first time.
    @discardableResult
    mutating func add(_ id: DestinationID, from beginning: Cursor) -> Bool {
        if !present.contains(id) { present.append(id) }
        guard beginnings[id] == nil else { return false }
        beginnings[id] = beginning
        return true
    }

    mutating func remove(_ id: DestinationID) {
        present.removeAll { $0 == id }
    }

    /// A new log begins: everybody who is there begins with it.
    mutating func restart() {
        self = DestinationRoster(present)
    }
}
