// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// An erased installation whose erasure some destinations may not know about.
package struct Erasure: Sendable, Equatable {
    /// The former identity.
    package let installation: InstallationID
    /// The proof that the identity belonged to this folder.
    ///
    /// Nil for an identity created by an early version, or whose file was damaged.
    package let proof: InstallationSecret?
    /// The position of the event that reports the erasure; nil if none.
    var reportedAt: Place?

    /// An event's position in a writer's log.
    struct Place: Sendable, Equatable {
        var writer: WriterID
        var sequence: UInt64
    }
}

/// The stored list of erasures that some destinations may not know about.
///
/// An erasure is listed before the identity is removed, so that the former identity can still be proven if the
/// process is killed or another erasure follows. An erasure is removed from the list when every destination has
/// passed the event that reports it, regardless of the event's outcome.
struct ErasureList: Sendable, Equatable {
    /// The maximum number of erasures; beyond it, the oldest are dropped.
    ///
    /// An app can reach this limit by erasing repeatedly while nothing may be sent.
    static let maximumCount = 256

    private(set) var entries: [Erasure] = []

    /// Loads the list from its file.
    ///
    /// Returns an empty list if the file is missing or damaged; the proofs are then lost.
    static func load(_ folder: JournalFolder, _ storage: any JournalStorage) throws(StorageError) -> ErasureList {
        var list = ErasureList()
        guard let bytes = try storage.contents(of: folder.erased), let lines = ChecksummedKeyValueFile(bytes) else {
            return list
        }
        list.entries = lines.all("erased").compactMap { Erasure(line: $0) }
        return list
    }

    /// Writes the list, or removes the file when the list is empty.
    func save(_ folder: JournalFolder, _ storage: any JournalStorage, durably: Bool) throws(StorageError) {
        guard !entries.isEmpty else { return try storage.remove(folder.erased) }
        var lines = ChecksummedKeyValueFile()
        for entry in entries { lines.add("erased", entry.line) }
        try storage.replace(folder.erased, with: lines.bytes, durably: durably)
    }

    /// Adds an erasure that is about to happen.
    mutating func add(_ installation: InstallationID, proof: InstallationSecret?) {
        entries.removeAll { $0.installation == installation }
        entries.append(Erasure(installation: installation, proof: proof))
        entries.removeFirst(max(0, entries.count - Self.maximumCount))
    }

    /// Records the position of the event that reports an erasure.
    mutating func markReported(_ installation: InstallationID, at place: Erasure.Place) {
        for index in entries.indices where entries[index].installation == installation {
            entries[index].reportedAt = place
        }
    }

    /// Clears the positions of all reporting events.
    ///
    /// Called when all pending events are about to be dropped.
    mutating func clearReportPositions() {
        for index in entries.indices { entries[index].reportedAt = nil }
    }

    /// Removes the erasures whose reporting events every destination has passed.
    ///
    /// Returns false if there was nothing to remove.
    ///
    /// - Complexity: O(entries × destinations); reads one small file for each combination.
    mutating func removeReported(_ folder: JournalFolder, _ storage: any JournalStorage) throws(StorageError) -> Bool {
        let before = entries.count
        var left: [Erasure] = []
        for entry in entries {
            let isPassed = try Self.isPassed(entry, folder, storage)
            if !isPassed { left.append(entry) }
        }
        entries = left
        return entries.count < before
    }

    private static func isPassed(
        _ entry: Erasure,
        _ folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> Bool {
        guard let reportedAt = entry.reportedAt else { return false }
        // A writer's folder is removed only when every destination has finished with its log.
        guard try storage.names(in: folder.writers).contains(reportedAt.writer.description) else { return true }
        for destination in try CursorFile.destinations(of: reportedAt.writer, folder, storage) {
            guard let cursor = try CursorFile.load(reportedAt.writer, destination, folder, storage),
                cursor.next > reportedAt.sequence
            else { return false }
        }
        return true
    }
}

extension Erasure {
    /// Parses `installation proof writer sequence`, with a hyphen for an unknown value.
    ///
    /// Nil if invalid.
    fileprivate init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4, let installation = InstallationID(words[0]) else { return nil }
        let proof = InstallationSecret(words[1])
        guard proof != nil || words[1] == "-" else { return nil }
        self.init(installation: installation, proof: proof)
        guard let writer = WriterID(words[2]), let sequence = UInt64(words[3]) else { return }
        reportedAt = Place(writer: writer, sequence: sequence)
    }

    fileprivate var line: String {
        let words = [
            installation.description, proof?.description ?? "-", reportedAt?.writer.description ?? "-",
            reportedAt.map { "\($0.sequence)" } ?? "-",
        ]
        return words.joined(separator: " ")
    }
}

extension Journal {
    /// Returns erased installations that no event has reported yet, oldest first.
    ///
    /// The result contains the installation that was just erased, and those that were not reported because the process
    /// was killed or another erasure followed. Removes the erasures that every destination knows about.
    ///
    /// Must not run concurrently with ``erase()``. Reads only one small file if the list is empty.
    package func unreportedErasures() throws(JournalError) -> [Erasure] {
        do throws(StorageError) {
            var list = try ErasureList.load(folder, storage)
            guard !list.entries.isEmpty else { return [] }
            if try list.removeReported(folder, storage) { try list.save(folder, storage, durably: false) }
            // An erasure that was interrupted before the identity was removed did not take place.
            return list.entries.filter { $0.reportedAt == nil && $0.installation != installation }
        } catch {
            throw JournalError(error)
        }
    }

    /// Records which of this process's events reports an erasure.
    package func erasureReported(_ installation: InstallationID, at sequence: UInt64) throws(JournalError) {
        do throws(StorageError) {
            var list = try ErasureList.load(folder, storage)
            list.markReported(installation, at: Erasure.Place(writer: writer, sequence: sequence))
            try list.save(folder, storage, durably: false)
        } catch {
            throw JournalError(error)
        }
    }

    /// Adds the identity that is about to be removed to the list.
    ///
    /// Must be called before any other data of the identity is removed.
    func listErasure(proof: InstallationSecret?) throws(StorageError) {
        var list = try ErasureList.load(folder, storage)
        _ = try list.removeReported(folder, storage)
        list.clearReportPositions()
        list.add(installation, proof: proof)
        try list.save(folder, storage, durably: true)
    }
}
