// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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

    private let folder: String
    private let path: String
    private let storage: any JournalStorage

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder
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

    /// The file's content for a state that a process keeps.
    ///
    /// - Parameter writer: the process's writer; it is noted while the app is in sight, because what it recorded last then
    ///   tells how long the process lived, should it be killed.
    func bytes(_ behavior: AppBehavior, of writer: WriterID) -> [UInt8] {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return Array(
                try encoder.encode(
                    Kept(behavior: behavior, writer: behavior.appState.isForeground ? writer.description : nil)
                )
            )
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

    /// When the process that kept this content recorded last, if it was in sight: it lived at least until then. nil when it
    /// was not, when nothing of what it recorded is left, or when an older version wrote the content.
    ///
    /// - Complexity: O(size of the writer's last segment).
    func lastSign(in content: [UInt8]) -> DeviceTime? {
        do {
            guard let writer = try JSONValue.parse(content)["writer"]?.string.flatMap({ WriterID($0) }),
                let last = try JournalInspector(folder: folder, storage: storage).lastEvent(of: writer)
            else { return nil }
            let event = try Event(json: last.payload)
            return DeviceTime(wall: event.time, monotonic: event.monotonic, boot: last.boot)
        } catch {
            return nil  // What cannot be read now says nothing; the heartbeat that was kept counts then.
        }
    }

    /// The same of the file as it is now; read before anything of the journal can be delivered and removed.
    func lastSign() -> DeviceTime? {
        // As above: without a file, or one that can be read, there is no sign.
        (try? storage.contents(of: path))?.flatMap { lastSign(in: $0) }
    }

    private struct Kept: Codable {
        var version = 1
        var behavior: AppBehavior
        var writer: String?
    }
}
