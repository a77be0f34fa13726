// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
package import TrackwayJournal

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A small part of the installation's state, in its own file.
///
/// Successive processes share the file. A write has reached the kernel when it returns, so it survives a kill of the
/// process. After power loss, an older state may be restored, unless ``synchronize()`` succeeded before. A file of a
/// newer version is read as far as it can be decoded. Safe from any thread. Every call may wait for the disk, but only
/// ``exclusively(_:_:)`` waits for another process.
package struct StateFile<Value: Sendable>: Sendable {
    /// The content of the file.
    package enum Content: Sendable {
        /// The file does not exist.
        case missing
        /// The file contains a value; `bytes` are its encoded form.
        case stored(Value, bytes: [UInt8])
        /// The content cannot be decoded or exceeds the size limit.
        ///
        /// The text names the problem and the path.
        case damaged(String)
    }

    /// The way in which new content replaces the old.
    package enum WriteMode: Sendable {
        /// Atomic: a reader sees either the old or the new content.
        case atomic
        /// In place: the write takes only microseconds.
        ///
        /// The content must be verifiable, for example by a checksum. A missing folder is created.
        case inPlace
    }

    /// The path of the file.
    package let path: String
    private let folder: String
    private let storage: any JournalStorage
    private let format: StateFormat<Value>
    private let mode: WriteMode
    private let maxBytes: Int?

    /// Creates a reference to a file; nothing is read yet.
    ///
    /// - Parameters:
    ///   - name: The file's name in the folder.
    ///   - folder: The folder, an absolute path.
    ///   - storage: The storage that contains the folder.
    ///   - format: The format of the file.
    ///   - mode: The way in which new content replaces the old.
    ///   - maxBytes: The maximum size. A larger file counts as damaged and is not read, and a larger value is not
    ///     written. The default exceeds the size that any state can reach under the event limits. nil skips the check,
    ///     which saves a system call.
    package init(
        _ name: String,
        in folder: String,
        of storage: any JournalStorage,
        format: StateFormat<Value>,
        mode: WriteMode = .atomic,
        maxBytes: Int? = 1 << 26
    ) {
        path = folder + "/" + name
        self.folder = folder
        self.storage = storage
        self.format = format
        self.mode = mode
        self.maxBytes = maxBytes
    }

    // MARK: Reading

    /// Reads the file.
    ///
    /// - Throws: If the file exists but currently cannot be read.
    package func read() throws(StorageError) -> Content {
        if let maxBytes, let size = try storage.size(of: path), size > maxBytes {
            return .damaged("\(path): \(size) bytes; the maximum is \(maxBytes)")
        }
        guard let bytes = try storage.contents(of: path) else { return .missing }
        do {
            return .stored(try format.value(bytes), bytes: bytes)
        } catch {
            return .damaged("\(path): \(error)")
        }
    }

    /// The stored value.
    ///
    /// nil if the value is missing, or currently cannot be read or decoded.
    package var storedValue: Value? {
        // This property is for callers that can continue without the stored value; callers that must distinguish the
        // cases call `read`.
        guard case .stored(let value, _)? = try? read() else { return nil }
        return value
    }

    // MARK: Writing

    /// Encodes a value.
    ///
    /// Equal values have the same bytes.
    func bytes(of value: Value) throws(StorageError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try format.bytes(value)
        } catch {
            // Values consist of the SDK's own texts, numbers and flags, all of which can be encoded.
            assertionFailure("a state cannot be encoded: \(error)")
            throw StorageError(.other, operation: "encode", path: path)
        }
        guard bytes.count <= maxBytes ?? .max else {
            throw StorageError(
                .other,
                operation: "store \(bytes.count) bytes, which exceeds the limit, in",
                path: path
            )
        }
        return bytes
    }

    /// Writes a value.
    package func write(_ value: Value) throws(StorageError) {
        try write(bytes: bytes(of: value))
    }

    /// Writes bytes that ``bytes(of:)`` returned.
    func write(bytes: [UInt8]) throws(StorageError) {
        switch mode {
        case .atomic:
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

    /// Removes the file if it exists.
    package func remove() throws(StorageError) {
        try storage.remove(path)
    }

    /// Flushes the file to stable storage.
    ///
    /// Waits for the disk.
    package func synchronize() throws(StorageError) {
        try storage.synchronize(path)
        try storage.synchronizeFolder(folder)
    }

    // MARK: Sharing between processes

    /// Acquires the lock file next to the file (`<file>.lock`).
    ///
    /// nil while another process holds it. Use this method in a process that holds the lock for its lifetime.
    package func lock() throws(StorageError) -> (any StorageLock)? {
        try storage.lock(path + ".lock")
    }

    /// Calls `body` while no other process has access to the file.
    ///
    /// `body` reads, changes and replaces the file. The lock next to the file grants access and is released when its
    /// holder ends. The lock is held for about as long as reading and writing two small files takes. The wait is
    /// bounded nevertheless, because the system may have suspended the holder; recording threads never wait here. If
    /// the lock cannot be opened, for example because another user created it, `body` is called without it: the certain
    /// loss of this decision is worse than the possible loss of another one.
    ///
    /// - Returns: False if another process held the lock the entire time; in that case, `body` was not called.
    /// - Throws: Any error that `body` throws.
    package func exclusively(_ attempts: LockAttempts, _ body: () throws(StorageError) -> Void) throws(StorageError)
        -> Bool
    {
        var remaining = attempts.rawValue
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
            remaining -= 1
            guard remaining > 0 else { return false }
            // Nothing signals the semaphore; the thread sleeps for a millisecond.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        }
    }

    /// The error for a lock that another process held during all attempts.
    package var lockUnavailable: StorageError {
        StorageError(.other, operation: "lock, because another process holds it,", path: path)
    }
}

/// The maximum number of attempts to lock a file, one millisecond apart.
package enum LockAttempts: Int, Sendable {
    case once = 1
    /// For the app's threads.
    case few = 50
    /// For the storage queue.
    case many = 1_000
}

/// The format of a ``StateFile``.
package struct StateFormat<Value: Sendable>: Sendable {
    /// Encodes a value.
    let bytes: @Sendable (Value) throws -> [UInt8]
    /// Decodes a value; throws if the bytes are damaged.
    let value: @Sendable ([UInt8]) throws -> Value
}

extension StateFormat where Value: Codable {
    /// JSON with sorted keys.
    ///
    /// The value is the entire file, including its version.
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

/// Decides whether to report a lasting failure.
///
/// A failure is reported once, and again after a recovery.
///
/// Without this check, a full disk would be reported with every event.
struct ReportedFailure: Sendable {
    private var isReported = false

    /// Notes a failure.
    ///
    /// - Returns: Whether to report it.
    mutating func noteFailure() -> Bool {
        defer { isReported = true }
        return !isReported
    }

    /// Notes a success.
    mutating func noteSuccess() {
        isReported = false
    }
}
