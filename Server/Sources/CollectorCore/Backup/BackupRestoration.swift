// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// Restores a backup into an empty folder.
///
/// Until all files are restored, the folder has a marker that prevents a collector from starting in it.
public struct BackupRestoration: Sendable {
    private let backup: BackupFolder
    private let folder: String
    private let storage: any JournalStorage
    private let attributes: @Sendable (String) -> FileAttributes?

    /// Creates a restoration.
    ///
    /// - Parameters:
    ///   - backup: The folder of the backup.
    ///   - folder: The collector's folder, as an absolute path: missing, empty, or left by an interrupted restoration.
    ///   - storage: The storage of both folders.
    ///   - attributes: Returns the attributes of a file or folder, without following a symbolic link; nil if there is
    ///     none.
    public init(
        backup: String,
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        attributes: @escaping @Sendable (String) -> FileAttributes?
    ) {
        self.attributes = attributes
        self.backup = BackupFolder(path: backup, storage: storage)
        self.folder = folder
        self.storage = storage
    }

    /// Copies the files of the backup, and checks each of them.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - onProgress: Called before each file with the number of bytes done, and of all bytes.
    /// - Returns: The manifest of the backup.
    /// - Throws: ``BackupError``; the folder is then empty, if its files could be removed.
    /// - Complexity: O(bytes of the backup).
    public func run(
        at now: Timestamp,
        onProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(BackupError) -> BackupManifest {
        let manifest = try backup.requiredManifest()
        let lock = try prepare(manifest)
        defer { lock.release() }
        do {
            try copy(manifest, onProgress)
            let restored = RestoredFolder.content(backup: manifest.id, at: now)
            try storage.replace(folder + "/" + RestoredFolder.fileName, with: restored, durably: true)
            try storage.remove(folder + "/" + RestoredFolder.markerName)
            try storage.synchronizeFolder(folder)
            return manifest
        } catch {
            let isEmpty = removeAll()
            let outcome = isEmpty ? "\(folder) was emptied again" : "\(folder) is incomplete"
            if let damage = error as? BackupFileDamage {
                // A backup that runs at the same time deletes files of the manifest that was read.
                guard try backup.requiredManifest() == manifest else {
                    throw BackupError(
                        .inUse,
                        "a new backup was made in \(backup.path) meanwhile; \(outcome)",
                        remedy: "run the command again"
                    )
                }
                throw BackupError(
                    .damaged,
                    "the backup in \(backup.path) is damaged: \(damage); \(outcome)",
                    remedy: "restore another backup; `trackway backup verify` lists all damaged files"
                )
            }
            throw BackupError(error, outcome: outcome)
        }
    }

    /// Empties and locks the folder, and marks it as incomplete.
    private func prepare(_ manifest: BackupManifest) throws(BackupError) -> any StorageLock {
        let log = folder + "/intake"
        do {
            // A killed process may leave a part of the marker.
            let names = try storage.names(in: folder).filter { !$0.hasPrefix(RestoredFolder.markerName + "~") }
            let isInterrupted = names.contains(RestoredFolder.markerName)
            let isLocked = try names.contains("intake") && storage.size(of: log + "/log.lock") != nil
            if isLocked, try storage.lock(log + "/log.lock") == nil { throw inUse }
            guard names.isEmpty || isInterrupted else {
                throw BackupError(
                    .unusable,
                    "\(folder) is not empty: it contains “\(names.sorted()[0])”",
                    remedy: "pass a new or empty folder; move an existing collector's folder away first"
                )
            }
            try storage.makeFolder(folder)
            let marker = RestoredFolder.content(backup: manifest.id, at: manifest.created)
            try storage.replace(folder + "/" + RestoredFolder.markerName, with: marker, durably: true)
            if let end = folder.lastIndex(of: "/"), end > folder.startIndex {
                try storage.synchronizeFolder(String(folder[..<end]))
            }
            try storage.makeFolder(log)
            guard let lock = try storage.lock(log + "/log.lock") else { throw inUse }
            try remove("", keeping: [RestoredFolder.markerName, "intake/log.lock"])
            return lock
        } catch let error as BackupError {
            throw error
        } catch {
            throw BackupError(error, outcome: "nothing was restored")
        }
    }

    private var inUse: BackupError {
        BackupError(
            .inUse,
            "a collector or another restore is using \(folder)",
            remedy: "stop it first, or pass another folder with --data"
        )
    }

    private func copy(_ manifest: BackupManifest, _ onProgress: (Int, Int) -> Void) throws {
        var made: Set<String> = []
        var done = 0
        for file in manifest.files {
            onProgress(done, manifest.bytes)
            done += file.bytes
            let bytes = try backup.contents(of: file)
            let path = folder + "/" + file.path
            let parent = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
            if made.insert(parent).inserted {
                try storage.makeFolder(parent)
                try storage.synchronizeFolder(folder)
            }
            try storage.replace(path, with: bytes, durably: true)
        }
        onProgress(manifest.bytes, manifest.bytes)
    }

    /// Removes what was restored, the marker last.
    ///
    /// - Returns: Whether everything could be removed.
    private func removeAll() -> Bool {
        do {
            try remove("", keeping: [RestoredFolder.markerName])
            try storage.remove(folder + "/" + RestoredFolder.markerName)
            return true
        } catch {
            // The marker remains, so no collector starts in the folder.
            return false
        }
    }

    /// Removes the entries of a folder, except some paths.
    ///
    /// - Parameter prefix: The path of the folder in the collector's folder, with a trailing slash; empty for itself.
    private func remove(_ prefix: String, keeping kept: Set<String>) throws {
        for name in try storage.names(in: folder + (prefix.isEmpty ? "" : "/" + prefix.dropLast())) {
            let path = prefix + name
            if kept.contains(path) { continue }
            guard attributes(folder + "/" + path)?.kind == .folder else {
                try storage.remove(folder + "/" + path)
                continue
            }
            try remove(path + "/", keeping: kept)
            if !kept.contains(where: { $0.hasPrefix(path + "/") }) { try storage.removeFolder(folder + "/" + path) }
        }
    }
}

/// The files that mark a collector's folder as restored, or as not completely restored.
public enum RestoredFolder {
    /// The name of the file that a complete restoration leaves.
    static let fileName = "restored.json"
    /// The name of the file that exists until a restoration is complete.
    public static let markerName = "restoring.json"

    /// Returns the error for a folder with the marker.
    public static func unfinished(_ folder: String) -> BackupError {
        BackupError(
            .unusable,
            "a restore into \(folder) was interrupted, so its data is incomplete",
            remedy: "run `trackway backup restore` with this folder again"
        )
    }

    /// Returns the content of both files.
    static func content(backup id: String, at time: Timestamp) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("version", 1 as Int64)
            writer.member("backup", id)
            writer.member("time", time)
            writer.endObject()
            return writer.array()
        } + [UInt8(ascii: "\n")]
    }

    /// Returns the id of the backup from which a folder was restored; nil if it was not.
    static func backup(of folder: String, _ storage: any JournalStorage) throws -> String? {
        let path = folder + "/" + fileName
        guard let bytes = try storage.contents(of: path) else { return nil }
        // A file that cannot be parsed has no id either.
        let json = try? JSONValue.parse(bytes, limits: JSONLimits(bytes: 4096, depth: 4))
        guard let id = json?["backup"]?.string else {
            throw BackupError(
                .damaged,
                "\(path) cannot be read",
                remedy: "delete the file, and back up to a new folder"
            )
        }
        return id
    }
}
