// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The registered destinations and their starting cursors in this process's log.
///
/// Events are stored for registered destinations. A removed destination keeps its cursor: its pending events stay,
/// and their delivery resumes when it is added again.
struct DestinationRegistry: Sendable {
    /// The registered destinations, in the order in which they were added.
    private(set) var present: [DestinationID] = []
    /// The elements of ``present`` as a set.
    private var presentSet: Set<DestinationID> = []
    private var beginnings: [DestinationID: Cursor] = [:]
    private let configured: Set<DestinationID>
    /// The app-managed destinations.
    private var appManaged: Set<DestinationID>

    /// - Parameters:
    ///   - destinations: the destinations of the configuration.
    ///   - expected: destinations that an earlier run added at run time; registered from the start.
    ///   - appManaged: the app-managed destinations among both.
    init(_ destinations: [DestinationID], expecting expected: [DestinationID] = [], appManaged: Set<DestinationID> = [])
    {
        configured = Set(destinations)
        self.appManaged = appManaged
        for id in destinations + expected { add(id, from: Cursor(), isAppManaged: appManaged.contains(id)) }
    }

    /// Whether a destination is app-managed.
    ///
    /// Nil if the destination is not registered, in which case this process cannot know.
    func isAppManaged(_ id: DestinationID) -> Bool? {
        presentSet.contains(id) ? appManaged.contains(id) : nil
    }

    /// The registered app-managed destinations.
    var presentAppManaged: [DestinationID] {
        appManaged.isEmpty ? [] : present.filter { appManaged.contains($0) }
    }

    /// Whether there are app-managed destinations.
    var hasAppManaged: Bool { !appManaged.isEmpty }

    /// Whether a destination receives events from logs that have no cursor for it.
    ///
    /// Events recorded by an earlier run or another process go to the destinations that the configuration names, but
    /// not to destinations added later.
    func takesBacklog(_ id: DestinationID) -> Bool {
        configured.contains(id)
    }

    /// Returns the cursor at which a destination starts in this process's log.
    ///
    /// Nil if the destination was never added.
    func beginning(of id: DestinationID) -> Cursor? {
        beginnings[id]
    }

    /// The explicit route for events that the app did not route.
    ///
    /// Nil while every destination in the log is registered. Events recorded while a destination is removed are not
    /// for that destination, so they must name their destinations.
    var explicitRoute: [UInt8]? {
        beginnings.count == present.count ? nil : Self.route(to: present)
    }

    /// Returns the stored form of a route: the distinct names, separated by commas.
    static func route(to destinations: [DestinationID]) -> [UInt8] {
        Array(Array(Set(destinations)).ordered().map(\.rawValue).joined(separator: ",").utf8)
    }

    /// Adds a destination.
    ///
    /// - Parameters:
    ///   - beginning: the cursor at which its events start; ignored if the destination was added before.
    ///   - isAppManaged: whether the destination is app-managed.
    /// - Returns: true if the destination had never been added before.
    @discardableResult
    mutating func add(_ id: DestinationID, from beginning: Cursor, isAppManaged: Bool) -> Bool {
        if presentSet.insert(id).inserted { present.append(id) }
        if isAppManaged { appManaged.insert(id) } else { appManaged.remove(id) }
        beginnings[id]?.isAppManaged = isAppManaged
        guard beginnings[id] == nil else { return false }
        beginnings[id] = beginning
        beginnings[id]?.isAppManaged = isAppManaged
        return true
    }

    mutating func remove(_ id: DestinationID) {
        guard presentSet.remove(id) != nil else { return }
        present.removeAll { $0 == id }
    }

    /// Resets all cursors for a new log: every registered destination starts at its beginning.
    mutating func restart() {
        beginnings = [:]
        for id in present {
            beginnings[id] = Cursor()
            beginnings[id]?.isAppManaged = appManaged.contains(id)
        }
    }
}

extension Journal {
    /// The registered destinations, in the order in which they were added.
    package var destinations: [DestinationID] { registry.withLock { $0.present } }

    /// Whether a registered destination is app-managed.
    package func isAppManaged(_ id: DestinationID) -> Bool {
        registry.withLock { $0.isAppManaged(id) } ?? false
    }

    /// Returns the app-managed destinations.
    ///
    /// Includes registered destinations and those for which earlier runs or other processes left events.
    ///
    /// - Throws: an error if the folder currently cannot be read.
    /// - Complexity: O(number of writers and destinations); reads the cursors.
    package func appManagedDestinations() throws(JournalError) -> Set<DestinationID> {
        let present = destinations
        var appManaged = Set(present.filter { isAppManaged($0) })
        try JournalError.wrap { () throws(StorageError) in
            for id in try storage.names(in: folder.writers).compactMap({ WriterID($0) }) {
                for destination in try CursorFile.destinations(of: id, folder, storage)
                where !present.contains(destination) && !appManaged.contains(destination) {
                    let cursor = try CursorFile.load(id, destination, folder, storage)
                    if cursor?.isAppManaged == true { appManaged.insert(destination) }
                }
            }
        }
        return appManaged
    }

    /// Starts storing events for a destination.
    ///
    /// If the destination is already registered, only `isAppManaged` takes effect. A new destination receives the
    /// events that this process records after the call. A destination that existed before, in this process or an
    /// earlier one, resumes where it stopped. Callable from any thread; may write a file.
    ///
    /// - Parameter isAppManaged: true if the destination is app-managed (``snapshot(for:admitting:filtering:)``); its
    ///   events then have no age limit and a separate byte limit.
    package func addDestination(_ id: DestinationID, isAppManaged: Bool = false) {
        let beginning: (Cursor, WriterID)? = state.withLock { state in
            let end = state.beginning
            var beginning = Cursor(addedAt: end.position, next: end.next)
            beginning.isAppManaged = isAppManaged
            let isNew = registry.withLock { $0.add(id, from: beginning, isAppManaged: isAppManaged) }
            state.explicitRoute = registry.withLock { $0.explicitRoute }
            return isNew ? (beginning, state.id) : nil
        }
        guard let (cursor, writer) = beginning else { return }
        do throws(StorageError) {
            // Other delivering processes keep segments for destinations that have a cursor file. An existing cursor
            // is more recent than this one.
            _ = try storage.create(folder.cursor(writer, id), with: cursor.fileBytes(of: writer, for: id))
        } catch {
            // This process's consumer gets the beginning from memory, and writes the cursor when it advances.
        }
    }

    /// Stops storing events for a destination.
    ///
    /// The destination's pending events stay until it is added again, or until they exceed the age or byte limits.
    /// Events recorded in the meantime are not addressed to the destination. Callable from any thread.
    package func removeDestination(_ id: DestinationID) {
        state.withLock { state in
            registry.withLock { $0.remove(id) }
            state.explicitRoute = registry.withLock { $0.explicitRoute }
        }
    }
}
