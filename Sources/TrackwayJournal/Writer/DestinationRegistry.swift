// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The destinations that events are kept for at present, and where each of them begins in this process's own log.
///
/// One that was removed keeps its place in the log: what waits for it stays, and goes on when it is added again.
struct DestinationRegistry: Sendable {
    /// Those that are there, in the order they were added.
    private(set) var present: [DestinationID] = []
    /// The same as a set.
    private var presentSet: Set<DestinationID> = []
    private var beginnings: [DestinationID: Cursor] = [:]
    private let configured: Set<DestinationID>
    /// Those whose events wait for the app itself.
    private var kept: Set<DestinationID>

    /// - Parameters:
    ///   - destinations: those of the configuration.
    ///   - expected: those of run time that are there from the start, because an earlier run had them.
    ///   - kept: those among them whose events wait for the app itself.
    init(_ destinations: [DestinationID], expecting expected: [DestinationID] = [], kept: Set<DestinationID> = []) {
        configured = Set(destinations)
        self.kept = kept
        for id in destinations + expected { add(id, from: Cursor(), isKept: kept.contains(id)) }
    }

    /// Whether a destination's events wait for the app itself; nil when it is not there, so that nobody here knows.
    func isKept(_ id: DestinationID) -> Bool? {
        presentSet.contains(id) ? kept.contains(id) : nil
    }

    /// Those present whose events wait for the app itself.
    var presentKept: [DestinationID] {
        kept.isEmpty ? [] : present.filter { kept.contains($0) }
    }

    /// Whether there are destinations whose events wait for the app itself.
    var keeps: Bool { !kept.isEmpty }

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
    /// - Parameters:
    ///   - beginning: where its events begin, unless it was there before.
    ///   - isKept: whether its events wait for the app itself.
    /// - Returns: true when it has a place in the log for the first time.
    @discardableResult
    mutating func add(_ id: DestinationID, from beginning: Cursor, isKept: Bool) -> Bool {
        if presentSet.insert(id).inserted { present.append(id) }
        if isKept { kept.insert(id) } else { kept.remove(id) }
        beginnings[id]?.isKept = isKept
        guard beginnings[id] == nil else { return false }
        beginnings[id] = beginning
        beginnings[id]?.isKept = isKept
        return true
    }

    mutating func remove(_ id: DestinationID) {
        guard presentSet.remove(id) != nil else { return }
        present.removeAll { $0 == id }
    }

    /// A new log begins: everybody who is there begins with it.
    mutating func restart() {
        beginnings = [:]
        for id in present {
            beginnings[id] = Cursor()
            beginnings[id]?.isKept = kept.contains(id)
        }
    }
}

extension Journal {
    /// The destinations that events are kept for at present, in the order they were added.
    package var destinations: [DestinationID] { registry.withLock { $0.present } }

    /// Whether a destination is there whose events wait for the app itself.
    package func isKept(_ id: DestinationID) -> Bool {
        registry.withLock { $0.isKept(id) } ?? false
    }

    /// The destinations whose events wait for the app itself: those that are there, and those that earlier runs or other
    /// processes left something for.
    ///
    /// - Throws: when the folder cannot be read now.
    /// - Complexity: O(number of writers and destinations); reads the cursors.
    package func keptDestinations() throws(JournalError) -> Set<DestinationID> {
        let present = destinations
        var kept = Set(present.filter { isKept($0) })
        try JournalError.wrap { () throws(StorageError) in
            for id in try storage.names(in: folder.writers).compactMap({ WriterID($0) }) {
                for destination in try CursorFile.destinations(of: id, folder, storage)
                where !present.contains(destination) && !kept.contains(destination) {
                    let cursor = try CursorFile.load(id, destination, folder, storage)
                    if cursor?.isKept == true { kept.insert(destination) }
                }
            }
        }
        return kept
    }

    /// Keeps events for a destination from now on. Does nothing when it is there already.
    ///
    /// A destination that is new gets what this process records from here on. One that was there before, in this process
    /// or an earlier one, goes on where it stopped. Any thread may call; the call may write a file.
    ///
    /// - Parameter isKept: true when its events wait for the app itself (``snapshot(for:admitting:)``): they have no age limit and
    ///   a limit of bytes of their own.
    package func addDestination(_ id: DestinationID, isKept: Bool = false) {
        let beginning: (Cursor, WriterID)? = state.withLock { state in
            let end = state.beginning
            var beginning = Cursor(addedAt: end.position, next: end.next)
            beginning.isKept = isKept
            let isNew = registry.withLock { $0.add(id, from: beginning, isKept: isKept) }
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
