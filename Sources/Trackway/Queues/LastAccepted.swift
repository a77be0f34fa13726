// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal

/// What each queue that suppresses repeats took last: a small file of its own in the folder `taken`.
///
/// It is written with every event such a queue takes, on the thread that records, so it is written where it lies. That
/// survives the death of the process. A file that power loss left in pieces shows by its checksum and counts as nothing
/// known: an event that says nothing new is then taken, and none is lost.
struct LastAccepted: Sendable {
    private let folder: String
    private let storage: any JournalStorage

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder + "/taken"
        self.storage = storage
    }

    /// What a queue took last; nothing when that is not known.
    func read(_ id: DestinationID) throws(StorageError) -> DuplicateSuppression<String> {
        guard let bytes = try storage.contents(of: path(id)) else { return DuplicateSuppression() }
        return DuplicateSuppression(last: Self.taken(bytes))
    }

    /// Keeps what a queue took last.
    func write(_ latest: DuplicateSuppression<String>, of id: DestinationID) throws(StorageError) {
        guard let last = latest.last else { return try remove(id) }
        let bytes = Self.bytes(last)
        do throws(StorageError) {
            try storage.overwrite(path(id), with: bytes)
        } catch {
            guard error.code == .missing else { throw error }
            try storage.makeFolder(folder)
            try storage.overwrite(path(id), with: bytes)
        }
    }

    /// The queues of which something is kept.
    func known() throws(StorageError) -> [DestinationID] {
        try storage.names(in: folder).compactMap { DestinationID($0) }.sorted()
    }

    /// Forgets what a queue took.
    func remove(_ id: DestinationID) throws(StorageError) {
        try storage.remove(path(id))
    }

    private func path(_ id: DestinationID) -> String { folder + "/" + id.rawValue }

    private static func bytes(_ taken: DuplicateSuppression<String>.Taken) -> [UInt8] {
        var lines = CheckedLines()
        lines.add("taken", 1)
        lines.add("content", taken.content)
        lines.add("wall", taken.at.wall.milliseconds)
        lines.add("monotonic", taken.at.monotonic.milliseconds)
        lines.add("boot", taken.at.boot)
        return lines.bytes
    }

    private static func taken(_ bytes: [UInt8]) -> DuplicateSuppression<String>.Taken? {
        guard let lines = CheckedLines(bytes), let content = lines["content"], let boot = lines["boot"],
            let wall = lines["wall"].flatMap({ Int64($0) }),
            let monotonic = lines["monotonic"].flatMap({ Int64($0) })
        else { return nil }
        let at = DeviceTime(
            wall: Timestamp(milliseconds: wall),
            monotonic: MonotonicTime(milliseconds: monotonic),
            boot: boot
        )
        return DuplicateSuppression.Taken(content: content, at: at)
    }
}
