// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// The folder of a backup.
///
/// The manifest is `backup.json`. The content of a file with the SHA-256 *h* is the file `files/h`, which never changes.
/// A new backup adds files, replaces the manifest atomically, and then deletes the files that the new manifest does not
/// name. So at every instant, the manifest describes a complete backup.
struct BackupFolder: Sendable {
    let path: String
    let storage: any JournalStorage

    static let manifestName = "backup.json"
    static let filesName = "files"
    static let lockName = "backup.lock"

    var manifestPath: String { path + "/" + Self.manifestName }
    var filesPath: String { path + "/" + Self.filesName }

    func path(of hash: String) -> String { filesPath + "/" + hash }

    /// Returns the manifest; nil if there is none.
    func manifest() throws(BackupError) -> BackupManifest? {
        let bytes: [UInt8]?
        do {
            bytes = try storage.wholeContents(of: manifestPath)
        } catch {
            throw BackupError(error, outcome: "nothing was changed")
        }
        return try bytes.map { bytes throws(BackupError) in try BackupManifest(json: bytes, path: manifestPath) }
    }

    /// Returns the manifest.
    ///
    /// - Throws: ``BackupError`` `missing` if the folder has none.
    func requiredManifest() throws(BackupError) -> BackupManifest {
        guard let manifest = try manifest() else {
            throw BackupError(
                .missing,
                "\(path) contains no backup: \(Self.manifestName) is missing",
                remedy: "pass the folder that `trackway backup` wrote to"
            )
        }
        return manifest
    }

    /// Takes the lock of the folder.
    ///
    /// - Throws: ``BackupError`` `inUse`.
    func lock() throws(BackupError) -> any StorageLock {
        let lock: (any StorageLock)?
        do {
            lock = try storage.lock(path + "/" + Self.lockName)
        } catch {
            throw BackupError(error, outcome: "nothing was changed")
        }
        guard let lock else {
            throw BackupError(
                .inUse,
                "another backup is being written to \(path)",
                remedy: "wait until it ends, or pass another folder"
            )
        }
        return lock
    }

    /// Returns the content of a file of the backup, if it is intact.
    ///
    /// - Throws: ``BackupFileDamage`` or a storage error.
    func contents(of file: BackupFile) throws -> [UInt8] {
        guard let bytes = try storage.wholeContents(of: path(of: file.hash)) else {
            throw BackupFileDamage(path: file.path, hash: file.hash, reason: "is missing")
        }
        guard bytes.count == file.bytes else {
            throw BackupFileDamage(
                path: file.path,
                hash: file.hash,
                reason: "has \(bytes.count) bytes instead of \(file.bytes)"
            )
        }
        guard BackupManifest.digest(bytes) == file.hash else {
            throw BackupFileDamage(path: file.path, hash: file.hash, reason: "has changed")
        }
        return bytes
    }
}

/// A file of a backup that is missing or has changed.
struct BackupFileDamage: Error, CustomStringConvertible {
    let path: String
    let hash: String
    let reason: String

    var description: String { "\(path): files/\(hash) \(reason)" }
}

extension JournalStorage {
    /// Returns the content of a file with as few reads as possible; nil if the file does not exist.
    func wholeContents(of path: String) throws(StorageError) -> [UInt8]? {
        guard let size = try size(of: path) else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        var failure: StorageError?
        let count = bytes.withUnsafeMutableBytes { buffer -> Int? in
            do throws(StorageError) {
                return try read(path, at: 0, into: buffer)
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
        guard let count else { return nil }
        bytes.removeLast(size - count)
        return bytes
    }
}
