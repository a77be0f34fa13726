// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The registered destinations, and where each starts in this process's own log.
///
/// Events are stored for registered destinations. A removed destination keeps its place in the log: its pending events
/// stay, and their delivery resumes when it is added again.
struct DestinationRegistry: Sendable {
    /// The registered destinations, in the order they were added.
    private(set) var present: [DestinationID] = []
    /// ``present`` as a set.
    private var presentSet: Set<DestinationID> = []
    private var beginnings: [DestinationID: Cursor] = [:]
    private let configured: Set<DestinationID>
    /// The app-managed destinations.
    private var kept: Set<DestinationID>

    /// - Parameters:
    ///   - destinations: the destinations of the configuration.
    ///   - expected: those added at run time that are registered from the start, because an earlier run had them.
    ///   - kept: the app-managed ones among them.
    init(_ destinations: [DestinationID], expecting expected: [DestinationID] = [], kept: Set<DestinationID> = []) {
        configured = Set(destinations)
        self.kept = kept
        for id in destinations + expected { add(id, from: Cursor(), isKept: kept.contains(id)) }
    }

    /// Whether a destination is app-managed.
    ///
    /// Nil when it is not registered and this process cannot know.
    func isKept(_ id: DestinationID) -> Bool? {
        presentSet.contains(id) ? kept.contains(id) : nil
    }

    /// The registered app-managed destinations.
    var presentKept: [DestinationID] {
        kept.isEmpty ? [] : present.filter { kept.contains($0) }
    }

    /// Whether there are app-managed destinations.
    var keeps: Bool { !kept.isEmpty }

    /// Whether a destination gets the events of a log that does not know it.
    ///
    /// Events recorded by an earlier run or another process go to the destinations that the configuration names now,
    /// but not to one that is only added later.
    func takesBacklog(_ id: DestinationID) -> Bool {
        configured.contains(id)
    }

    /// Where a destination starts in this process's log.
    ///
    /// Nil when it has no place there.
    func beginning(of id: DestinationID) -> Cursor? {
        beginnings[id]
    }

    /// The route of an event that the app did not route.
    ///
    /// Nil while every destination in the log is registered. Events recorded while a destination is removed are not for
    /// it, so they must name their destinations.
    var everybodyByName: [UInt8]? {
        beginnings.count == present.count ? nil : Self.route(to: present)
    }

    /// The stored form of a route: the names, each once, separated by commas.
    static func route(to destinations: [DestinationID]) -> [UInt8] {
        Array(Array(Set(destinations)).sorted().map(\.rawValue).joined(separator: ",").utf8)
    }

    /// Adds a destination.
    ///
    /// - Parameters:
    ///   - beginning: where its events start, unless it was there before.
    ///   - isKept: whether it is app-managed.
    /// - Returns: true when it gets a place in the log for the first time.
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

    /// Resets all places for a new log: every registered destination starts with it.
    mutating func restart() {
        beginnings = [:]
        for id in present {
            beginnings[id] = Cursor()
            beginnings[id]?.isKept = kept.contains(id)
        }
    }
}

extension Journal {
    /// The destinations that events are currently stored for, in the order they were added.
    package var destinations: [DestinationID] { registry.withLock { $0.present } }

    /// Whether a registered destination is app-managed.
    package func isKept(_ id: DestinationID) -> Bool {
        registry.withLock { $0.isKept(id) } ?? false
    }

    /// Returns the app-managed destinations.
    ///
    /// Includes registered ones and those for which earlier runs or other processes left events.
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

    /// Stores events for a destination from now on.
    ///
    /// Does nothing when it is already registered. A new destination gets the events this process records from now on.
    /// One that existed before, in this process or an earlier one, resumes where it stopped. Any thread may call; the
    /// call may write a file.
    ///
    /// - Parameter isKept: true when the destination is app-managed (``snapshot(for:admitting:filtering:)``): its
    ///   events have no age limit and a separate byte limit.
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
            // Other delivering processes keep segments for destinations that have a cursor. An existing cursor is more
            // recent than this one.
            _ = try storage.create(folder.cursor(writer, id), with: cursor.fileBytes(of: writer, for: id))
        } catch {
            // The consumer of this process knows the beginning from memory, and writes the cursor when it advances.
        }
    }

    /// Stops storing events for a destination.
    ///
    /// Its pending events stay until it is added again, or until they exceed the limits of age and bytes. Events
    /// recorded in the meantime are not addressed to it. Any thread may call.
    package func removeDestination(_ id: DestinationID) {
        state.withLock { state in
            registry.withLock { $0.remove(id) }
            state.everybodyByName = registry.withLock { $0.everybodyByName }
        }
    }
}
