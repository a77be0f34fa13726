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
        switch try file(id).read() {
        case .kept(let taken, _): DuplicateSuppression(last: taken)
        case .nothing, .damaged: DuplicateSuppression()
        }
    }

    /// Keeps what a queue took last.
    func write(_ latest: DuplicateSuppression<String>, of id: DestinationID) throws(StorageError) {
        guard let last = latest.last else { return try remove(id) }
        try file(id).write(last)
    }

    /// The queues of which something is kept.
    func known() throws(StorageError) -> [DestinationID] {
        try storage.names(in: folder).compactMap { DestinationID($0) }.sorted()
    }

    /// Forgets what a queue took.
    func remove(_ id: DestinationID) throws(StorageError) {
        try file(id).remove()
    }

    /// No size is asked for: that would be one more system call for each event.
    private func file(_ id: DestinationID) -> StateFile<DuplicateSuppression<String>.Taken> {
        StateFile(id.rawValue, in: folder, of: storage, format: .taken, writing: .inPlace, maxBytes: nil)
    }
}

extension StateFormat where Value == DuplicateSuppression<String>.Taken {
    /// Lines with a checksum.
    fileprivate static var taken: StateFormat {
        StateFormat(
            bytes: { taken in
                var lines = CheckedLines()
                lines.add("taken", 1)
                lines.add("content", taken.content)
                lines.add("wall", taken.at.wall.milliseconds)
                lines.add("monotonic", taken.at.monotonic.milliseconds)
                lines.add("boot", taken.at.boot)
                return lines.bytes
            },
            value: { bytes in
                guard let lines = CheckedLines(bytes), let content = lines["content"], let boot = lines["boot"],
                    let wall = lines["wall"].flatMap({ Int64($0) }),
                    let monotonic = lines["monotonic"].flatMap({ Int64($0) })
                else { throw Damage() }
                let at = DeviceTime(
                    wall: Timestamp(milliseconds: wall),
                    monotonic: MonotonicTime(milliseconds: monotonic),
                    boot: boot
                )
                return DuplicateSuppression.Taken(content: content, at: at)
            }
        )
    }

    private struct Damage: Error {}
}
