// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CSiftCompatibility
package import TrackwayCore

/// The queues and their state.
///
/// Two queues are part of the SDK and always exist as destinations; the table records whether the app sees them.
package struct SiftQueueTable: Sendable {
    /// A queue that the app sees.
    package struct Entry: Sendable {
        /// The queue's destination.
        package let destination: DestinationID
        /// The queue's rules.
        package let config: SiftQueueConfig
        /// The last event appended since the process started.
        package var lastEvent: SiftContent?
    }

    /// The action that adds a queue.
    package enum Addition: Sendable, Hashable {
        /// No action: the queue already exists or is being added.
        case reject
        /// Apply the rules to an existing destination.
        ///
        /// The destination belongs to the SDK or to a removed queue.
        case change(DestinationID)
        /// Add a destination.
        case add(DestinationID)
    }

    /// The queue for the app's events and for app state.
    package static let standard = "sift-default"
    /// The queue for device properties.
    package static let properties = "sift-devprops"
    /// The queues that are part of the SDK.
    package static let builtIn = [
        standard: DestinationID(queue: standard), properties: DestinationID(queue: properties),
    ]

    private var entries: [String: Entry]
    /// Queues whose destination is being added.
    private var entriesBeingAdded: Set<String> = []
    /// Queues of the SDK that the app has removed.
    private var removed: Set<String> = []
    /// Destinations of removed queues whose handed-over events may not have been delivered yet.
    package private(set) var draining: Set<DestinationID> = []

    /// Creates the queues of a new installation.
    package init() {
        entries = [
            Self.standard: Entry(
                destination: DestinationID(queue: Self.standard),
                config: SFIosAppStateCollectorQueueConfig
            )
        ]
    }

    /// A queue, or nil if the app sees none with this name.
    package subscript(identifier: String) -> Entry? { entries[identifier] }

    /// Whether the device properties queue appears automatically once it is used.
    package var expectsProperties: Bool {
        entries[Self.properties] == nil && !removed.contains(Self.properties)
            && !entriesBeingAdded.contains(Self.properties)
    }

    /// The destinations of an upload: those of all queues.
    ///
    /// They include that of the device properties queue, even before the app sees it.
    package var destinations: [DestinationID] {
        var all = entries.values.map(\.destination)
        if expectsProperties { all.append(DestinationID(queue: Self.properties)) }
        return all
    }

    // MARK: Changes

    /// Begins adding a queue.
    ///
    /// Call ``finishAdding(_:_:)`` or ``cancelAdding(_:)`` afterward, unless the result is ``Addition/reject``.
    package mutating func add(_ identifier: String) -> Addition {
        guard entries[identifier] == nil, entriesBeingAdded.insert(identifier).inserted else { return .reject }
        let id = DestinationID(queue: identifier)
        let isExisting = Self.builtIn[identifier] != nil || draining.remove(id) != nil
        return isExisting ? .change(id) : .add(id)
    }

    /// Completes adding a queue.
    package mutating func finishAdding(_ identifier: String, _ config: SiftQueueConfig) {
        entriesBeingAdded.remove(identifier)
        removed.remove(identifier)
        entries[identifier] = Entry(destination: DestinationID(queue: identifier), config: config)
    }

    /// Cancels adding a queue that could not be created.
    package mutating func cancelAdding(_ identifier: String) {
        entriesBeingAdded.remove(identifier)
    }

    /// Shows the device properties queue after a collection.
    package mutating func showPropertiesQueue() {
        guard expectsProperties else { return }
        finishAdding(Self.properties, SFIosDevicePropertiesCollectorQueueConfig)
    }

    /// Removes a queue.
    ///
    /// - Returns: The removed queue, or nil if it does not exist.
    package mutating func remove(_ identifier: String) -> Entry? {
        guard let entry = entries.removeValue(forKey: identifier) else { return nil }
        if Self.builtIn[identifier] == nil {
            draining.insert(entry.destination)
        } else {
            removed.insert(identifier)
        }
        return entry
    }

    /// Adds a queue that was removed in an earlier process and is not fully delivered yet.
    package mutating func addDraining(_ id: DestinationID) {
        guard !entries.values.contains(where: { $0.destination == id }) else { return }
        draining.insert(id)
    }

    /// Removes a removed queue whose handed-over events have all been delivered.
    package mutating func finishDraining(_ id: DestinationID) {
        draining.remove(id)
    }

    /// Saves the last event of a queue.
    package mutating func setLastEvent(_ content: SiftContent, of identifier: String) {
        entries[identifier]?.lastEvent = content
    }
}

extension DestinationID {
    /// The destination of the queue with this name.
    ///
    /// A name that is not a valid destination ID (capital letters, a slash, an emoji, too long or empty) is hashed,
    /// with a prefix that no other name gets. Different queues therefore have different destinations, and a queue keeps
    /// its destination in the next process.
    init(queue identifier: String) {
        if let id = DestinationID("sift.\(identifier)"), !identifier.isEmpty {
            self = id
            return
        }
        let hash = SHA256.hash(identifier.utf8).prefix(28).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        // The text has 7 plus 56 characters from a-z, 0-9, `-` and `.`, so it is always a valid ID.
        self = DestinationID("sift-q.\(hash.joined())") ?? "sift-q"
    }
}
