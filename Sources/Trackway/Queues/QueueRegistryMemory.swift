// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

/// What must outlive the process about destinations that come and go, and about queues.
struct QueueRegistryMemory: Sendable, Hashable, Codable {
    /// Something that is to be remembered.
    enum Change: Sendable, Hashable {
        /// A destination was added at run time: what is recorded before it is added again in the next run is for it, too.
        case added(DestinationID)
        /// A destination was removed. What is known of its queue stays, for the time when it is added again.
        case removed(DestinationID)
        /// An upload of a queue was asked for.
        case uploaded(DestinationID, DeviceTime)
        /// Everything is forgotten but these destinations, which are there.
        case erased([DestinationID])
    }

    /// By a destination's id; texts, so that the file shows them as keys.
    private var added: [String] = []
    private var uploads: [String: DeviceTime] = [:]

    /// So many destinations are expected at most. An app that adds others in each run and removes none, perhaps because a new
    /// version names them differently, would keep events for ever more of them.
    static let maxExpected = 256

    /// Beyond so many queues, those that are not there are forgotten.
    static let most = 512

    /// Nothing is known.
    init() {}

    /// The destinations that were added and not removed, in the order they were added last.
    var destinations: [DestinationID] { added.compactMap { DestinationID($0) } }

    /// When an upload of a queue was last asked for.
    func lastUpload(of id: DestinationID) -> DeviceTime? { uploads[id.rawValue] }

    mutating func apply(_ change: Change) {
        switch change {
        case .added(let id):
            added.removeAll { $0 == id.rawValue }
            added = added.suffix(Self.maxExpected - 1) + [id.rawValue]
        case .removed(let id):
            added.removeAll { $0 == id.rawValue }
        case .uploaded(let id, let time):
            uploads[id.rawValue] = time
            if uploads.count > Self.most {
                uploads = uploads.filter { $0.key == id.rawValue || added.contains($0.key) }
            }
        case .erased(let present):
            self = QueueRegistryMemory()
            added = present.map(\.rawValue)
        }
    }
}

extension QueueRegistryMemory.Change {
    /// True when nothing is left of an earlier change once this one is made.
    func replaces(_ earlier: Self) -> Bool {
        switch (self, earlier) {
        case (.erased, _):
            true
        case (.added(let id), .added(let other)), (.added(let id), .removed(let other)),
            (.removed(let id), .added(let other)), (.removed(let id), .removed(let other)),
            (.uploaded(let id, _), .uploaded(let other, _)):
            id == other
        default:
            // Changes of different things go beside each other.
            false
        }
    }
}
