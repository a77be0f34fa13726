// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// An erased installation of this folder, until every destination knows of the erasure.
package struct Erasure: Sendable, Hashable {
    /// The former identity.
    package let installation: InstallationID
    /// The proof that it was ours.
    ///
    /// Nil for an identity created by an early version, and for one whose file was damaged.
    package let proof: InstallationSecret?
    /// The position of the event that reports the erasure; nil if none.
    var told: Place?

    /// An event's position in a writer's log.
    struct Place: Sendable, Hashable {
        var writer: WriterID
        var sequence: UInt64
    }
}

/// The file of erasures that some destination may not know of yet.
///
/// An erasure is listed before the identity is removed, so that the former identity can still be proven after a kill or
/// another erasure. It leaves the list when every destination has passed the event that reports it, regardless of the
/// event's outcome there.
struct ErasureList: Sendable, Hashable {
    /// The maximum number of remembered erasures; beyond it the oldest are dropped.
    ///
    /// An app reaches it by erasing repeatedly while nothing may be sent.
    static let most = 256

    private(set) var entries: [Erasure] = []

    /// Reads the list.
    ///
    /// Returns an empty one when the file is missing or damaged. In that case, no proof of an erasure is left.
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

    /// Lists an erasure that is about to happen.
    mutating func add(_ installation: InstallationID, proof: InstallationSecret?) {
        entries.removeAll { $0.installation == installation }
        entries.append(Erasure(installation: installation, proof: proof))
        entries.removeFirst(max(0, entries.count - Self.most))
    }

    /// Records the position of the event that reports an erasure.
    mutating func note(_ installation: InstallationID, at place: Erasure.Place) {
        for index in entries.indices where entries[index].installation == installation { entries[index].told = place }
    }

    /// Clears the positions of all reporting events.
    ///
    /// All pending events are about to be dropped.
    mutating func clearReportPositions() {
        for index in entries.indices { entries[index].told = nil }
    }

    /// Removes the erasures whose events every destination has passed.
    ///
    /// Returns false when there was nothing to remove.
    ///
    /// - Complexity: O(entries · destinations), one small file each.
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
        guard let told = entry.told else { return false }
        // A writer's folder is removed when every destination has finished with it.
        guard try storage.names(in: folder.writers).contains(told.writer.description) else { return true }
        for destination in try CursorFile.destinations(of: told.writer, folder, storage) {
            guard let cursor = try CursorFile.load(told.writer, destination, folder, storage),
                cursor.next > told.sequence
            else { return false }
        }
        return true
    }
}

extension Erasure {
    /// Parses `installation proof writer sequence`, with a dash for an unknown value.
    ///
    /// Nil if invalid.
    fileprivate init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4, let installation = InstallationID(words[0]) else { return nil }
        let proof = InstallationSecret(words[1])
        guard proof != nil || words[1] == "-" else { return nil }
        self.init(installation: installation, proof: proof)
        guard let writer = WriterID(words[2]), let sequence = UInt64(words[3]) else { return }
        told = Place(writer: writer, sequence: sequence)
    }

    fileprivate var line: String {
        let words = [
            installation.description, proof?.description ?? "-", told?.writer.description ?? "-",
            told.map { "\($0.sequence)" } ?? "-",
        ]
        return words.joined(separator: " ")
    }
}

extension Journal {
    /// Returns the erased installations that no event reports yet, from oldest to newest.
    ///
    /// These are the one erased just now, and any whose report was prevented by a kill or another erasure. Removes
    /// those that every destination knows of.
    ///
    /// Must not run concurrently with ``erase()``. Reads only one small file if the list is empty.
    package func unreportedErasures() throws(JournalError) -> [Erasure] {
        do throws(StorageError) {
            var list = try ErasureList.load(folder, storage)
            guard !list.entries.isEmpty else { return [] }
            if try list.removeReported(folder, storage) { try list.save(folder, storage, durably: false) }
            // An erasure that was interrupted before the identity was removed has not happened.
            return list.entries.filter { $0.told == nil && $0.installation != installation }
        } catch {
            throw JournalError(error)
        }
    }

    /// Records that this process's event with this number reports an erasure.
    package func erasureReported(_ installation: InstallationID, at sequence: UInt64) throws(JournalError) {
        do throws(StorageError) {
            var list = try ErasureList.load(folder, storage)
            list.note(installation, at: Erasure.Place(writer: writer, sequence: sequence))
            try list.save(folder, storage, durably: false)
        } catch {
            throw JournalError(error)
        }
    }

    /// Lists the identity that is about to be removed.
    ///
    /// This happens before anything else is lost with it.
    func listErasure(proof: InstallationSecret?) throws(StorageError) {
        var list = try ErasureList.load(folder, storage)
        _ = try list.removeReported(folder, storage)
        list.clearReportPositions()
        list.add(installation, proof: proof)
        try list.save(folder, storage, durably: true)
    }
}
