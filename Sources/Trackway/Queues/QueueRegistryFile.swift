// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// ``QueueRegistryMemory`` in a file of the installation.
///
/// A write is with the kernel when ``write(_:)`` returns: it survives the death of the process. After power loss an older
/// state may come back; that costs an upload too early, or an event that says nothing new.
struct QueueRegistryFile: Sendable {
    /// What lies in the file.
    enum Content {
        /// There is no file.
        case nothing
        /// What ``write(_:)`` wrote.
        case kept(QueueRegistryMemory)
        /// Something else.
        case damaged(String)
    }

    private let path: String
    private let storage: any JournalStorage
    /// Whose turn it is to read, change and replace the file.
    let turn: FileTurn

    /// It was another process's turn all the time.
    var notOurTurn: StorageError {
        StorageError(.other, operation: "have a turn at, which another process holds,", path: path)
    }

    init(folder: String, storage: any JournalStorage) {
        path = folder + "/streams"
        turn = FileTurn(of: path, in: storage)
        self.storage = storage
    }

    func read() throws(StorageError) -> Content {
        guard let bytes = try storage.contents(of: path) else { return .nothing }
        do {
            return .kept(try JSONDecoder().decode(Kept.self, from: Data(bytes)).registry)
        } catch {
            return .damaged("\(path): \(error)")
        }
    }

    func write(_ memory: QueueRegistryMemory) throws(StorageError) {
        try storage.replace(path, with: bytes(memory), durably: false)
    }

    private func bytes(_ memory: QueueRegistryMemory) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return Array(try encoder.encode(Kept(registry: memory)))
        } catch {
            // Values of ours, made of texts and numbers: there is nothing that could not be written.
            assertionFailure("what is known of queues cannot be encoded: \(error)")
            return []
        }
    }

    private struct Kept: Codable {
        var version = 1
        var registry: QueueRegistryMemory
    }
}
