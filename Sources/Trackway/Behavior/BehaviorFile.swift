// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayBehavior
internal import TrackwayJournal

/// What the behaviour machines know, kept from one process to the next, and the lock that says which process of an
/// installation keeps it.
///
/// A write is with the kernel when ``write(_:)`` returns: it survives the death of the process. After power loss an older
/// state may come back, which costs at most the last change of screen or session.
struct BehaviorFile: Sendable {
    /// What lies in the file.
    enum Content {
        /// There is no file: the installation never ran.
        case nothing
        /// What ``write(_:)`` wrote.
        case kept(AppBehavior, bytes: [UInt8])
        /// Something else.
        case damaged(String)
    }

    private let path: String
    private let storage: any JournalStorage

    init(folder: String, storage: any JournalStorage) {
        path = folder + "/behavior"
        self.storage = storage
    }

    /// Takes the lock that one process at a time has; nil while another one does.
    func lock() throws(StorageError) -> (any StorageLock)? {
        try storage.lock(path + ".lock")
    }

    func read() throws(StorageError) -> Content {
        guard let bytes = try storage.contents(of: path) else { return .nothing }
        do {
            return .kept(try JSONDecoder().decode(Kept.self, from: Data(bytes)).behavior, bytes: bytes)
        } catch {
            return .damaged("\(path): \(error)")
        }
    }

    func bytes(_ behavior: AppBehavior) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return Array(try encoder.encode(Kept(behavior: behavior)))
        } catch {
            // Values of ours, made of texts, numbers and flags: there is nothing that could not be written.
            assertionFailure("the behaviour cannot be encoded: \(error)")
            return []
        }
    }

    func write(_ bytes: [UInt8]) throws(StorageError) {
        try storage.replace(path, with: bytes, durably: false)
    }

    func remove() throws(StorageError) {
        try storage.remove(path)
    }

    private struct Kept: Codable {
        var version = 1
        var behavior: AppBehavior
    }
}
