// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayLifecycle

/// The persisted state of queues and of destinations added at run time.
struct QueueRegistryMemory: Sendable, Equatable, Codable {
    /// A change to store.
    enum Change: Sendable, Equatable {
        /// A destination was added at run time.
        ///
        /// Events recorded before the next run adds the destination again are addressed to it, too. The change also
        /// stores whether the destination is app-managed.
        case added(DestinationID, isAppManaged: Bool = false)
        /// A destination was removed.
        ///
        /// The state of its queue stays in case the destination is added again.
        case removed(DestinationID)
        /// An upload of a queue was requested.
        case uploaded(DestinationID, DeviceTime)
        /// Everything was erased except these existing destinations.
        case erased([DestinationID])
    }

    /// The ids of added destinations.
    ///
    /// Ids are stored as text, so that they can be keys in the file.
    private var added: [String] = []
    private var uploads: [String: DeviceTime] = [:]
    /// The app-managed destinations in ``added``.
    ///
    /// nil if there are none, as in files of older versions.
    private var targets: [String]?

    /// The maximum number of expected destinations.
    ///
    /// An app that adds new destinations in each run and removes none, perhaps because a new version names them
    /// differently, would otherwise keep events for more and more of them.
    static let maxExpected = 256

    /// The number of queues above which queues with no destination are removed.
    static let maximumQueues = 512

    /// Creates empty state.
    init() {}

    /// The destinations that were added and not removed.
    ///
    /// They are in the order in which they were last added.
    var destinations: [DestinationID] { added.compactMap { DestinationID($0) } }

    /// The app-managed destinations among ``destinations``.
    var localDestinationIDs: Set<DestinationID> { Set((targets ?? []).compactMap { DestinationID($0) }) }

    /// Returns the time of a queue's last upload request.
    func lastUpload(of id: DestinationID) -> DeviceTime? { uploads[id.rawValue] }

    mutating func apply(_ change: Change) {
        switch change {
        case .added(let id, let isAppManaged):
            added.removeAll { $0 == id.rawValue }
            added = added.suffix(Self.maxExpected - 1) + [id.rawValue]
            note(id, isAppManaged: isAppManaged)
        case .removed(let id):
            added.removeAll { $0 == id.rawValue }
            note(id, isAppManaged: false)
        case .uploaded(let id, let time):
            uploads[id.rawValue] = time
            if uploads.count > Self.maximumQueues {
                uploads = uploads.filter { $0.key == id.rawValue || added.contains($0.key) }
            }
        case .erased(let present):
            let former = targets
            self = QueueRegistryMemory()
            added = present.map(\.rawValue)
            targets = former
            removeStaleTargets()
        }
    }

    private mutating func note(_ id: DestinationID, isAppManaged: Bool) {
        targets = (targets ?? []).filter { $0 != id.rawValue } + (isAppManaged ? [id.rawValue] : [])
        removeStaleTargets()
    }

    /// Removes app-managed destinations that no longer exist.
    private mutating func removeStaleTargets() {
        let left = (targets ?? []).filter { added.contains($0) }
        targets = left.isEmpty ? nil : left
    }
}

extension QueueRegistryMemory.Change {
    /// Whether this change makes an earlier one obsolete.
    func replaces(_ earlier: Self) -> Bool {
        switch (self, earlier) {
        case (.erased, _):
            true
        case (.added(let id, _), .added(let other, _)), (.added(let id, _), .removed(let other)),
            (.removed(let id), .added(let other, _)), (.removed(let id), .removed(let other)),
            (.uploaded(let id, _), .uploaded(let other, _)):
            id == other
        default:
            // Changes of other kinds do not replace each other.
            false
        }
    }
}
