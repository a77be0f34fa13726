// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayJournal

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// When snapshots were taken and what was told of the device, kept from one process to the next.
///
/// A write is with the kernel when ``write(_:)`` returns. After power loss an older state may come back, which costs a few
/// snapshots more. Processes of one installation each keep their own count, and leave the file to whoever writes last.
struct SnapshotFile: Sendable {
    /// What lies in the file.
    enum Content {
        /// There is no file.
        case nothing
        /// What ``write(_:)`` wrote.
        case kept(SnapshotMemory)
        /// Something else.
        case damaged(String)
    }

    private let path: String
    private let storage: any JournalStorage

    init(folder: String, storage: any JournalStorage) {
        path = folder + "/snapshots"
        self.storage = storage
    }

    func read() throws(StorageError) -> Content {
        guard let bytes = try storage.contents(of: path) else { return .nothing }
        do {
            return .kept(try JSONDecoder().decode(Kept.self, from: Data(bytes)).memory)
        } catch {
            return .damaged("\(path): \(error)")
        }
    }

    func write(_ memory: SnapshotMemory) throws(StorageError) {
        try storage.replace(path, with: bytes(memory), durably: false)
    }

    func remove() throws(StorageError) {
        try storage.remove(path)
    }

    private func bytes(_ memory: SnapshotMemory) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return Array(try encoder.encode(Kept(memory: memory)))
        } catch {
            // Values of ours, made of texts, numbers and flags: there is nothing that could not be written.
            assertionFailure("what is known of snapshots cannot be encoded: \(error)")
            return []
        }
    }

    private struct Kept: Codable {
        var version = 1
        var memory: SnapshotMemory
    }
}
