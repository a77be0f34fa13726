// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// An installation that was erased in this folder, as long as its erasing may not have been told everywhere.
package struct Erasure: Sendable, Hashable {
    /// The former identity.
    package let installation: InstallationID
    /// What proves that it was ours; nil for one that a first version made, and for one whose file was damaged.
    package let proof: InstallationSecret?
    /// Where the event lies that tells of it; nil while there is none.
    var told: Place?

    /// An event's place in a writer's log.
    struct Place: Sendable, Hashable {
        var writer: WriterID
        var sequence: UInt64
    }
}

/// The file of erasings that some destination may not know of yet.
///
/// An erasing is listed before the identity goes, so that no kill and no later erasing can make the former one impossible to
/// prove. It leaves the list when every destination has passed the event that tells of it, whatever became of it there.
struct ErasureList: Sendable, Hashable {
    /// The most erasings that are remembered; beyond it the oldest are forgotten. An app gets there that erases
    /// again and again while nothing may be sent.
    static let most = 256

    private(set) var entries: [Erasure] = []

    /// Reads the list; an empty one when there is no file, or a damaged one: then there is nothing left to prove with.
    static func load(_ folder: JournalFolder, _ storage: any JournalStorage) throws(StorageError) -> ErasureList {
        var list = ErasureList()
        guard let bytes = try storage.contents(of: folder.erased), let lines = CheckedLines(bytes) else { return list }
        list.entries = lines.all("erased").compactMap { Erasure(line: $0) }
        return list
    }

    /// Writes the list, or removes the file when there is nothing to be remembered.
    func save(_ folder: JournalFolder, _ storage: any JournalStorage, durably: Bool) throws(StorageError) {
        guard !entries.isEmpty else { return try storage.remove(folder.erased) }
        var lines = CheckedLines()
        for entry in entries { lines.add("erased", entry.line) }
        try storage.replace(folder.erased, with: lines.bytes, durably: durably)
    }

    /// Lists an erasing that is about to happen.
    mutating func add(_ installation: InstallationID, proof: InstallationSecret?) {
        entries.removeAll { $0.installation == installation }
        entries.append(Erasure(installation: installation, proof: proof))
        entries.removeFirst(max(0, entries.count - Self.most))
    }

    /// Notes where the event lies that tells of an erasing.
    mutating func note(_ installation: InstallationID, at place: Erasure.Place) {
        for index in entries.indices where entries[index].installation == installation { entries[index].told = place }
    }

    /// Everything that waits is about to be given up: nobody can be told by it any more.
    mutating func giveUpWaiting() {
        for index in entries.indices { entries[index].told = nil }
    }

    /// Forgets what every destination has passed. False when there was nothing to forget.
    ///
    /// - Complexity: O(entries · destinations), a small file each.
    mutating func forgetTold(_ folder: JournalFolder, _ storage: any JournalStorage) throws(StorageError) -> Bool {
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
        // A folder goes when everybody has finished with it.
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
    /// Reads `installation proof writer sequence`, where what is unknown is a dash; nil when it says something else.
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
    /// The installations that were erased in this folder and of which nothing tells yet, oldest first: the one erased just
    /// now, and any that a kill or another erasing kept from being told. Forgets those that every destination knows of.
    ///
    /// Not for use beside ``erase()``. Reads one small file when there are none.
    package func untoldErasures() throws(JournalError) -> [Erasure] {
        do throws(StorageError) {
            var list = try ErasureList.load(folder, storage)
            guard !list.entries.isEmpty else { return [] }
            if try list.forgetTold(folder, storage) { try list.save(folder, storage, durably: false) }
            // An erasing that was cut short before the identity went has not happened.
            return list.entries.filter { $0.told == nil && $0.installation != installation }
        } catch {
            throw JournalError(error)
        }
    }

    /// Notes that this process's event of this number tells of an erasing.
    package func erasureTold(_ installation: InstallationID, at sequence: UInt64) throws(JournalError) {
        do throws(StorageError) {
            var list = try ErasureList.load(folder, storage)
            list.note(installation, at: Erasure.Place(writer: writer, sequence: sequence))
            try list.save(folder, storage, durably: false)
        } catch {
            throw JournalError(error)
        }
    }

    /// Lists the identity that is about to go, before anything else is lost with it.
    func listErasure(proof: InstallationSecret?) throws(StorageError) {
        var list = try ErasureList.load(folder, storage)
        _ = try list.forgetTold(folder, storage)
        list.giveUpWaiting()
        list.add(installation, proof: proof)
        try list.save(folder, storage, durably: true)
    }
}
