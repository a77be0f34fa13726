// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The destinations that events are kept for at present, and where each of them begins in this process's own log.
///
/// One that was removed keeps its place in the log: what waits for it stays, and goes on when it is added again.
struct DestinationRegistry: Sendable {
    /// Those that are there, in the order they were added.
    private(set) var present: [DestinationID] = []
    private var beginnings: [DestinationID: Cursor] = [:]
    private let configured: Set<DestinationID>

    /// - Parameters:
    ///   - destinations: those of the configuration.
    ///   - expected: those of run time that are there from the start, because an earlier run had them.
    init(_ destinations: [DestinationID], expecting expected: [DestinationID] = []) {
        configured = Set(destinations)
        for id in destinations + expected { add(id, from: Cursor()) }
    }

    /// Whether a log that knows nothing of a destination is for it all the same: what an earlier run or another process
    /// recorded is for whoever the configuration names now, but not for whoever is only added later.
    func takesBacklog(_ id: DestinationID) -> Bool {
        configured.contains(id)
    }

    /// Where a destination begins in this process's log; nil when it has no place there.
    func beginning(of id: DestinationID) -> Cursor? {
        beginnings[id]
    }

    /// The route of an event that the app gave none; nil while everybody who has a place in the log is there.
    ///
    /// What is recorded while a destination is away is not for it, so it must not be addressed to all.
    var everybodyByName: [UInt8]? {
        beginnings.count == present.count ? nil : Self.route(to: present)
    }

    /// A route as it lies in the log: the names, each once, separated by commas.
    static func route(to destinations: [DestinationID]) -> [UInt8] {
        Array(Array(Set(destinations)).sorted().map(\.rawValue).joined(separator: ",").utf8)
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
        beginnings = [:]
        for id in present { beginnings[id] = Cursor() }
    }
}

extension Journal {
    /// The destinations that events are kept for at present, in the order they were added.
    package var destinations: [DestinationID] { registry.withLock { $0.present } }

    /// Keeps events for a destination from now on. Does nothing when it is there already.
    ///
    /// A destination that is new gets what this process records from here on. One that was there before, in this process
    /// or an earlier one, goes on where it stopped. Any thread may call; the call may write a file.
    package func addDestination(_ id: DestinationID) {
        let beginning: (Cursor, WriterID)? = state.withLock { state in
            let end = state.beginning
            let beginning = Cursor(addedAt: end.position, next: end.next)
            let isNew = registry.withLock { $0.add(id, from: beginning) }
            state.everybodyByName = registry.withLock { $0.everybodyByName }
            return isNew ? (beginning, state.id) : nil
        }
        guard let (cursor, writer) = beginning else { return }
        do throws(StorageError) {
            // Others that deliver keep segments for those who have a cursor. One that is there says more than this.
            _ = try storage.create(folder.cursor(writer, id), with: cursor.fileBytes(of: writer, for: id))
        } catch {
            // The consumer of this process knows the beginning from memory, and writes the cursor when it moves.
        }
    }

    /// Keeps no more events for a destination. What waits for it stays until it is added again, or until the limits of
    /// age and bytes; what is recorded meanwhile is not for it. Any thread may call.
    package func removeDestination(_ id: DestinationID) {
        state.withLock { state in
            registry.withLock { $0.remove(id) }
            state.everybodyByName = registry.withLock { $0.everybodyByName }
        }
    }
}
