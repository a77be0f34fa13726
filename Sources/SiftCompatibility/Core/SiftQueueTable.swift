// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CSiftCompatibility
package import TrackwayEvents

/// Which queues there are, and what is known about each.
///
/// Two are part of the SDK and always there as destinations; the table says whether the app sees them.
package struct SiftQueueTable: Sendable {
    /// A queue that the app sees.
    package struct Entry: Sendable {
        /// The destination that it is.
        package let destination: DestinationID
        /// Its rules.
        package let config: SiftQueueConfig
        /// The last event taken since the process began.
        package var lastEvent: SiftContent?
    }

    /// What is to be done so that a queue is there.
    package enum Addition: Sendable, Hashable {
        /// Nothing: it is there, or is being added.
        case refuse
        /// Give a destination of the SDK's own these rules.
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
    /// Queues whose destination is on its way.
    private var arriving: Set<String> = []
    /// Queues of the SDK's own that the app has removed.
    private var removed: Set<String> = []
    /// Destinations of queues that the app has removed, of which something that was handed over may not be delivered yet.
    package private(set) var leaving: Set<DestinationID> = []

    /// The queues as an installation begins with them.
    package init() {
        entries = [
            Self.standard: Entry(
                destination: DestinationID(queue: Self.standard),
                config: SFIosAppStateCollectorQueueConfig
            )
        ]
    }

    /// A queue; nil when the app sees none of this name.
    package subscript(identifier: String) -> Entry? { entries[identifier] }

    /// Whether the queue of device properties appears by itself, as soon as it is used.
    package var expectsProperties: Bool {
        entries[Self.properties] == nil && !removed.contains(Self.properties) && !arriving.contains(Self.properties)
    }

    /// The destinations that an upload is about: those of all queues, device properties included before the app sees them.
    package var destinations: [DestinationID] {
        var all = entries.values.map(\.destination)
        if expectsProperties { all.append(DestinationID(queue: Self.properties)) }
        return all
    }

    // MARK: Changes

    /// A queue is to be added. Answer with ``added(_:_:)`` or ``notAdded(_:)``, unless it is refused.
    package mutating func add(_ identifier: String) -> Addition {
        guard entries[identifier] == nil, arriving.insert(identifier).inserted else { return .refuse }
        let id = DestinationID(queue: identifier)
        let isThere = Self.builtIn[identifier] != nil || leaving.remove(id) != nil
        return isThere ? .change(id) : .add(id)
    }

    /// The queue is there.
    package mutating func added(_ identifier: String, _ config: SiftQueueConfig) {
        arriving.remove(identifier)
        removed.remove(identifier)
        entries[identifier] = Entry(destination: DestinationID(queue: identifier), config: config)
    }

    /// The queue could not be made.
    package mutating func notAdded(_ identifier: String) {
        arriving.remove(identifier)
    }

    /// Device properties were collected.
    package mutating func propertiesAppeared() {
        guard expectsProperties else { return }
        added(Self.properties, SFIosDevicePropertiesCollectorQueueConfig)
    }

    /// A queue is to be gone.
    ///
    /// - Returns: What it was; nil when there is no such queue.
    package mutating func remove(_ identifier: String) -> Entry? {
        guard let entry = entries.removeValue(forKey: identifier) else { return nil }
        if Self.builtIn[identifier] == nil {
            leaving.insert(entry.destination)
        } else {
            removed.insert(identifier)
        }
        return entry
    }

    /// A removed queue of an earlier process is there until it is delivered.
    package mutating func isLeaving(_ id: DestinationID) {
        guard !entries.values.contains(where: { $0.destination == id }) else { return }
        leaving.insert(id)
    }

    /// Everything that was handed over of a removed queue is delivered.
    package mutating func left(_ id: DestinationID) {
        leaving.remove(id)
    }

    /// An event was taken into a queue.
    package mutating func appended(_ content: SiftContent, to identifier: String) {
        entries[identifier]?.lastEvent = content
    }
}

extension DestinationID {
    /// The destination that a queue of this name is.
    ///
    /// A name that is none of a destination's (capital letters, a slash, an emoji, too long or empty) is hashed, under a
    /// beginning that no other name gets: different queues are different destinations, and the same queue is the same one
    /// in the next process.
    init(queue identifier: String) {
        if let id = DestinationID("sift.\(identifier)"), !identifier.isEmpty {
            self = id
            return
        }
        let hash = SHA256.hash(identifier.utf8).prefix(28).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        // 7 and 56 characters out of a-z, 0-9 and -: always a valid name.
        self = DestinationID("sift-q.\(hash.joined())") ?? "sift-q"
    }
}
