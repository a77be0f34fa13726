// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayJournal

/// The reader of the intake log for the indexer.
///
/// The follower reads from the index's position, and never beyond the end of stable storage.
struct LogFollower: Sendable {
    private let folder: String
    private let storage: any JournalStorage
    private var reader: LogReader?
    /// A record that was read but must not be returned yet.
    private var pending: LogEntry?
    /// The end of the last record returned.
    private(set) var position = LogPosition.start
    private var damageTaken = 0

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder
        self.storage = storage
    }

    /// Moves to `cursor`, unless already there.
    mutating func align(to cursor: LogPosition) {
        if reader != nil, position == cursor { return }
        reader = LogReader(folder: folder, storage: storage, from: cursor)
        pending = nil
        position = cursor
        damageTaken = 0
    }

    /// Discards the current position, because a returned record was not indexed.
    mutating func reset() {
        reader = nil
        pending = nil
    }

    /// Returns the next record that ends at or before `limit`, or nil.
    mutating func next(upTo limit: LogPosition) throws(JournalError) -> LogEntry? {
        if pending == nil { pending = try reader?.next() }
        guard let entry = pending, entry.end <= limit else { return nil }
        pending = nil
        position = entry.end
        return entry
    }

    /// Passes the payload of the record that ``next(upTo:)`` returned last.
    ///
    /// The payload is valid only during `body`.
    func withPayload<Result>(of entry: LogEntry, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard let reader else { throw StoreError("the log in \(folder) is not being read") }
        return try reader.withPayload(of: entry) { bytes in Swift.Result { try body(bytes) } }.get()
    }

    /// Returns the number of damaged ranges skipped since the last call.
    mutating func takeDamage() -> Int {
        guard let reader else { return 0 }
        let all = reader.damage.gaps + reader.damage.tornTails
        defer { damageTaken = all }
        return all - damageTaken
    }
}
