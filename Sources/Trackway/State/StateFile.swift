// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
package import TrackwayJournal

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A small state of the installation in a file of its own, kept from one process to the next.
///
/// A write is with the kernel when it returns: it survives the death of the process. After power loss an older state may
/// come back, unless ``synchronize()`` succeeded before. A file of a newer version is read as far as it is understood.
/// Any thread; every call may wait for the disk, and only ``exclusively(_:_:)`` for another process.
package struct StateFile<Value: Sendable>: Sendable {
    /// What lies in the file.
    package enum Content: Sendable {
        /// There is no file.
        case nothing
        /// A value, and the bytes that it was read from.
        case kept(Value, bytes: [UInt8])
        /// Something that cannot be understood, or is larger than any state of this kind; what and where.
        case damaged(String)
    }

    /// How new content takes the place of the old.
    package enum Writing: Sendable {
        /// In one step: a reader sees the old or the new content, never a mix.
        case replacing
        /// Where it lies, in microseconds: what is read must prove itself, by a checksum say. A missing folder is made.
        case inPlace
    }

    /// Where the file lies.
    package let path: String
    private let folder: String
    private let storage: any JournalStorage
    private let format: StateFormat<Value>
    private let writing: Writing
    private let maxBytes: Int?

    /// The file of a name; nothing is read yet.
    ///
    /// - Parameters:
    ///   - name: the file's name in the folder.
    ///   - folder: the folder, an absolute path.
    ///   - storage: the storage that the folder is in.
    ///   - format: what the file's bytes mean.
    ///   - writing: how new content takes the place of the old.
    ///   - maxBytes: a larger file counts as damaged and is not read, and a larger value is not written. By default more
    ///     than the limits of events let any state become. nil asks for no size, which saves a system call.
    package init(
        _ name: String,
        in folder: String,
        of storage: any JournalStorage,
        format: StateFormat<Value>,
        writing: Writing = .replacing,
        maxBytes: Int? = 1 << 26
    ) {
        path = folder + "/" + name
        self.folder = folder
        self.storage = storage
        self.format = format
        self.writing = writing
        self.maxBytes = maxBytes
    }

    // MARK: Reading

    /// Reads the file.
    ///
    /// - Throws: when it is there and cannot be read now.
    package func read() throws(StorageError) -> Content {
        if let maxBytes, let size = try storage.size(of: path), size > maxBytes {
            return .damaged("\(path): \(size) bytes, of at most \(maxBytes)")
        }
        guard let bytes = try storage.contents(of: path) else { return .nothing }
        do {
            return .kept(try format.value(bytes), bytes: bytes)
        } catch {
            return .damaged("\(path): \(error)")
        }
    }

    /// The value in the file; nil when there is none, or it cannot be read or understood now.
    package var readable: Value? {
        // For callers who go on with what they know; who must tell the cases apart reads.
        guard case .kept(let value, _)? = try? read() else { return nil }
        return value
    }

    // MARK: Writing

    /// The file's content for a value. The same value has the same bytes.
    func bytes(of value: Value) throws(StorageError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try format.bytes(value)
        } catch {
            // Values of ours, made of texts, numbers and flags: there is nothing that could not be written.
            assertionFailure("a state cannot be encoded: \(error)")
            throw StorageError(.other, operation: "encode", path: path)
        }
        guard bytes.count <= maxBytes ?? .max else {
            throw StorageError(
                .other,
                operation: "keep \(bytes.count) bytes, which nobody would read again, in",
                path: path
            )
        }
        return bytes
    }

    /// Writes a value.
    package func write(_ value: Value) throws(StorageError) {
        try write(bytes: bytes(of: value))
    }

    /// Writes what ``bytes(of:)`` gave.
    func write(bytes: [UInt8]) throws(StorageError) {
        switch writing {
        case .replacing:
            try storage.replace(path, with: bytes, durably: false)
        case .inPlace:
            do throws(StorageError) {
                try storage.overwrite(path, with: bytes)
            } catch {
                guard error.code == .missing else { throw error }
                try storage.makeFolder(folder)
                try storage.overwrite(path, with: bytes)
            }
        }
    }

    /// Removes the file; a missing one is fine.
    package func remove() throws(StorageError) {
        try storage.remove(path)
    }

    /// Brings what was written to stable storage. May take as long as the disk does.
    package func synchronize() throws(StorageError) {
        try storage.synchronize(path)
        try storage.synchronizeFolder(folder)
    }

    // MARK: Processes that share the file

    /// Takes the lock beside the file (`<file>.lock`), for a process that keeps it as long as it lives; nil while another
    /// one has it.
    func lock() throws(StorageError) -> (any StorageLock)? {
        try storage.lock(path + ".lock")
    }

    /// Has `body` called, which reads, changes and replaces the file, while no other process does the same.
    ///
    /// The lock beside the file says whose turn it is; it dies with its holder. A turn takes as long as two small files do.
    /// Waiting is bounded all the same, because the system may have stopped the holder in the middle of it; recording
    /// threads never wait here. Where the lock itself cannot be opened, perhaps because another user made it, `body` is
    /// called without: to lose a decision for certain is worse than to lose another's by chance.
    ///
    /// - Returns: false when it was another process's turn all the time; `body` was not called then.
    /// - Throws: what `body` throws.
    package func exclusively(_ attempts: TurnAttempts, _ body: () throws(StorageError) -> Void) throws(StorageError)
        -> Bool
    {
        var left = attempts.rawValue
        while true {
            let lock: (any StorageLock)?
            do throws(StorageError) {
                lock = try self.lock()
            } catch {
                try body()
                return true
            }
            if let lock {
                defer { lock.release() }
                try body()
                return true
            }
            left -= 1
            guard left > 0 else { return false }
            // Nobody signals it: this is how a thread rests for a millisecond.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        }
    }

    /// What to report when it was another process's turn all the time.
    package var notOurTurn: StorageError {
        StorageError(.other, operation: "have a turn at, which another process holds,", path: path)
    }
}

/// How often to ask for the turn at a file, a millisecond apart.
package enum TurnAttempts: Int, Sendable {
    case once = 1
    /// On a thread of the app.
    case few = 50
    /// On the storage's own thread.
    case many = 1_000
}

/// What the bytes of a ``StateFile`` mean.
package struct StateFormat<Value: Sendable>: Sendable {
    /// The bytes of a value.
    let bytes: @Sendable (Value) throws -> [UInt8]
    /// The value of bytes; throws when they are damaged.
    let value: @Sendable ([UInt8]) throws -> Value
}

extension StateFormat where Value: Codable {
    /// JSON with sorted keys. The value is the whole of the file, its version included.
    package static var json: StateFormat {
        StateFormat(
            bytes: { value in
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return Array(try encoder.encode(value))
            },
            value: { try JSONDecoder().decode(Value.self, from: Data($0)) }
        )
    }
}

/// Whether a difficulty that lasts is to be reported: the first time, and again once it had been over. A full disk would
/// be reported with every event otherwise.
struct ReportedFailure: Sendable {
    private var isReported = false

    /// It failed.
    ///
    /// - Returns: whether that is to be reported.
    mutating func failed() -> Bool {
        defer { isReported = true }
        return !isReported
    }

    /// It works again.
    mutating func worked() {
        isReported = false
    }
}
