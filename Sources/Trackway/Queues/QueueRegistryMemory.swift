// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

/// What must outlive the process about destinations that come and go, and about queues.
struct QueueRegistryMemory: Sendable, Hashable, Codable {
    /// Something that is to be remembered.
    enum Change: Sendable, Hashable {
        /// A destination was added at run time: what is recorded before it is added again in the next run is for it, too.
        /// Whether it is a target of the app's is remembered with it.
        case added(DestinationID, isTarget: Bool = false)
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
    /// Those of ``added`` that are targets of the app's; nil for none, as files of before there were any say.
    private var targets: [String]?

    /// So many destinations are expected at most. An app that adds others in each run and removes none, perhaps because a new
    /// version names them differently, would keep events for ever more of them.
    static let maxExpected = 256

    /// Beyond so many queues, those that are not there are forgotten.
    static let most = 512

    /// Nothing is known.
    init() {}

    /// The destinations that were added and not removed, in the order they were added last.
    var destinations: [DestinationID] { added.compactMap { DestinationID($0) } }

    /// Those among them that are targets of the app's.
    var targetIDs: Set<DestinationID> { Set((targets ?? []).compactMap { DestinationID($0) }) }

    /// When an upload of a queue was last asked for.
    func lastUpload(of id: DestinationID) -> DeviceTime? { uploads[id.rawValue] }

    mutating func apply(_ change: Change) {
        switch change {
        case .added(let id, let isTarget):
            added.removeAll { $0 == id.rawValue }
            added = added.suffix(Self.maxExpected - 1) + [id.rawValue]
            note(id, isTarget: isTarget)
        case .removed(let id):
            added.removeAll { $0 == id.rawValue }
            note(id, isTarget: false)
        case .uploaded(let id, let time):
            uploads[id.rawValue] = time
            if uploads.count > Self.most {
                uploads = uploads.filter { $0.key == id.rawValue || added.contains($0.key) }
            }
        case .erased(let present):
            let former = targets
            self = QueueRegistryMemory()
            added = present.map(\.rawValue)
            targets = former
            forgetOthers()
        }
    }

    private mutating func note(_ id: DestinationID, isTarget: Bool) {
        targets = (targets ?? []).filter { $0 != id.rawValue } + (isTarget ? [id.rawValue] : [])
        forgetOthers()
    }

    /// Keeps no target that is not there.
    private mutating func forgetOthers() {
        let left = (targets ?? []).filter { added.contains($0) }
        targets = left.isEmpty ? nil : left
    }
}

extension QueueRegistryMemory.Change {
    /// True when nothing is left of an earlier change once this one is made.
    func replaces(_ earlier: Self) -> Bool {
        switch (self, earlier) {
        case (.erased, _):
            true
        case (.added(let id, _), .added(let other, _)), (.added(let id, _), .removed(let other)),
            (.removed(let id), .added(let other, _)), (.removed(let id), .removed(let other)),
            (.uploaded(let id, _), .uploaded(let other, _)):
            id == other
        default:
            // Changes of different things go beside each other.
            false
        }
    }
}
