// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// Backs up a collector's folder, also while the collector runs.
///
/// The files are copied without stopping intake, erasures or retention. If a completed segment or an erasure's file
/// changes meanwhile, the changed files are copied once more, until nothing has changed during a round. The copy then
/// is the folder's state at one instant, except for independent settings such as boards, and records that were appended
/// while the last segment was copied.
///
/// A backup in the same folder as an earlier one copies only new and changed files.
public struct BackupWriter: Sendable {
    /// The folder with the log, in the collector's folder.
    static let logPrefix = "intake/"
    /// The folder with the plans and receipts of erasures, in the collector's folder.
    private static let erasuresPrefix = "erasures/"
    private static let erasureKeyName = "erasure-key"
    /// What answers need from expired events. It must not be older than the removal of a segment that is not copied.
    private static let retainedStateName = "retained.sqlite"
    /// The maximum number of rounds before the backup fails.
    private static let maximumRounds = 20
    /// The maximum depth of folders.
    private static let maximumDepth = 4

    /// The collector's folder, as an absolute path.
    public let source: String
    /// The folder of the backup, as an absolute path.
    public let target: String
    /// The version of the program, for the manifest.
    public let program: String
    /// Whether to copy all files again and to replace damaged ones.
    public let isFull: Bool
    private let storage: any JournalStorage
    private let attributes: @Sendable (String) -> FileAttributes?

    /// Creates a backup.
    ///
    /// - Parameters:
    ///   - source: The collector's folder, as an absolute path.
    ///   - target: The folder of the backup, as an absolute path; created if missing.
    ///   - program: The version of the program, for the manifest.
    ///   - isFull: Whether to copy all files again and to replace damaged ones.
    ///   - storage: The storage of both folders.
    ///   - attributes: Returns the attributes of a file or folder, without following a symbolic link; nil if there is
    ///     none.
    public init(
        source: String,
        target: String,
        program: String,
        isFull: Bool = false,
        storage: any JournalStorage = DiskStorage(),
        attributes: @escaping @Sendable (String) -> FileAttributes?
    ) {
        self.source = source
        self.target = target
        self.program = program
        self.isFull = isFull
        self.storage = storage
        self.attributes = attributes
    }

    /// The result of a backup.
    public struct Report: Sendable, Hashable {
        /// The new manifest.
        public var manifest: BackupManifest
        /// The manifest of the backup before; nil for the first one.
        public var previous: BackupManifest?
        /// The number of files that were written.
        public var writtenFiles = 0
        /// The number of bytes that were written.
        public var writtenBytes = 0
        /// The number of completed segments that an erasure has changed since the previous backup.
        public var replacedSegments = 0
        /// The number of segments that the log no longer has.
        public var removedSegments = 0
    }

    /// Makes the backup.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - randomUInt64: Returns random bits for the backup's id.
    ///   - onProgress: Called before each file with the number of bytes done, and of all bytes of this round.
    /// - Throws: ``BackupError``. The previous backup then is still complete.
    /// - Complexity: O(bytes of new and changed files), and O(1) for each other file. Holds one file in memory; a log
    ///   segment has 16 MiB, or the size of its only record.
    public func run(
        at now: Timestamp,
        randomUInt64: () -> UInt64,
        onProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(BackupError) -> Report {
        try checkSource()
        let folder = BackupFolder(path: target, storage: storage)
        try prepare(folder)
        let lock = try folder.lock()
        defer { lock.release() }
        let previous = try folder.manifest()
        do {
            try checkLineage(previous)
            try removeTemporaryFiles()
            var state = CopyState()
            for file in isFull ? [] : previous?.files ?? [] { state.known[file.path] = file }
            let files = try copy(to: folder, &state, onProgress)
            try checkEnd(files, previous)
            let manifest = BackupManifest(
                id: Self.identifier(randomUInt64()),
                created: now,
                program: program,
                collector: try fingerprint(),
                restoredFrom: try RestoredFolder.backup(of: source, storage),
                files: files
            )
            try storage.replace(folder.manifestPath, with: manifest.json, durably: true)
            try removeUnnamedFiles(manifest)
            return report(manifest, previous, state)
        } catch let error as BackupError {
            throw error
        } catch {
            throw BackupError(
                error,
                outcome: previous == nil ? "there is no backup in \(target) yet" : "the previous backup is unchanged"
            )
        }
    }

    private static func identifier(_ random: UInt64) -> String {
        HexadecimalText.encode(withUnsafeBytes(of: random.bigEndian) { Array($0) })
    }

    // MARK: Checks

    private func checkSource() throws(BackupError) {
        guard attributes(source)?.kind == .folder else {
            throw BackupError(.missing, "the folder \(source) does not exist", remedy: "pass the collector's --data")
        }
        guard attributes(source + "/stream.json") == nil else {
            throw BackupError(
                .unusable,
                "\(source) belongs to a collector of a cluster, whose events are in the stream and in ClickHouse",
                remedy: "back up the NATS servers and ClickHouse instead"
            )
        }
        guard attributes(source + "/" + RestoredFolder.markerName) == nil else {
            throw RestoredFolder.unfinished(source)
        }
        guard attributes(source + "/intake")?.kind == .folder else {
            throw BackupError(
                .missing,
                "\(source) is not a collector's folder: it has no folder “intake”",
                remedy: "pass the collector's --data; `trackway serve` creates the folder"
            )
        }
    }

    private func prepare(_ folder: BackupFolder) throws(BackupError) {
        let own: Set = [BackupFolder.manifestName, BackupFolder.filesName, BackupFolder.lockName]
        do {
            let others = try storage.names(in: target).filter { name in
                !own.contains(name) && !name.hasPrefix(BackupFolder.manifestName + "~")
            }
            guard others.isEmpty else {
                throw BackupError(
                    .unusable,
                    "\(target) contains other files, such as “\(others.sorted()[0])”",
                    remedy: "pass a new or empty folder, or one with a backup"
                )
            }
            try storage.makeFolder(folder.filesPath)
            // The names of the new folders must survive power loss, too.
            try storage.synchronizeFolder(target)
            if let end = target.lastIndex(of: "/"), end > target.startIndex {
                try storage.synchronizeFolder(String(target[..<end]))
            }
        } catch let error as BackupError {
            throw error
        } catch {
            throw BackupError(error, outcome: "nothing was backed up")
        }
    }

    /// Checks that the earlier backup is of the same collector, and of this folder's history.
    private func checkLineage(_ previous: BackupManifest?) throws {
        guard let previous else { return }
        let remedy = "pass a new folder; the backup in \(target) stays as it is"
        guard previous.collector == (try fingerprint()) else {
            throw BackupError(.unusable, "\(target) contains a backup of another collector", remedy: remedy)
        }
        let origin = try RestoredFolder.backup(of: source, storage)
        guard origin == previous.restoredFrom || origin == previous.id else {
            throw BackupError(
                .unusable,
                "\(source) was restored from a backup, and \(target) has a backup of the time before or of another copy",
                remedy: remedy
            )
        }
    }

    /// Checks that the log still has the records of the earlier backup.
    ///
    /// A log that ends earlier was replaced, and its backup may be the only copy of the other records.
    private func checkEnd(_ files: [BackupFile], _ previous: BackupManifest?) throws(BackupError) {
        let end = files.compactMap { $0.segment?.end }.max() ?? .start
        guard let previous, end < previous.end else { return }
        throw BackupError(
            .unusable,
            "the log in \(source) ends at \(end), but the backup in \(target) has records up to \(previous.end)",
            remedy: "the log was removed or replaced: restore that backup, or back up to a new folder"
        )
    }

    private func fingerprint() throws -> String {
        guard let content = try storage.contents(of: source + "/" + Self.erasureKeyName) else { return "" }
        let text = String(decoding: content, as: UTF8.self).filter { !$0.isWhitespace }
        return ErasureKey(text)?.fingerprint ?? ""
    }

    // MARK: Copying

    private struct CopyState {
        /// The files of the earlier backup, and those that were copied, by path.
        var known: [String: BackupFile] = [:]
        /// The paths that were copied in this run.
        var copied: Set<String> = []
        var writtenFiles = 0
        var writtenBytes = 0
    }

    /// Copies rounds of files until nothing has changed during a round.
    ///
    /// - Returns: The files by path.
    private func copy(
        to folder: BackupFolder,
        _ state: inout CopyState,
        _ onProgress: (Int, Int) -> Void
    ) throws -> [BackupFile] {
        var listing = try list()
        for _ in 0..<Self.maximumRounds {
            let files = try copyRound(listing, to: folder, &state, onProgress)
            let after = try list()
            if isSame(after, as: files) { return files.sorted { $0.path < $1.path } }
            listing = after
        }
        throw BackupError(
            .inUse,
            "erasures or retention changed the log during all \(Self.maximumRounds) attempts to copy it",
            remedy: "run the command again later"
        )
    }

    private func copyRound(
        _ listing: [String: FileAttributes],
        to folder: BackupFolder,
        _ state: inout CopyState,
        _ onProgress: (Int, Int) -> Void
    ) throws -> [BackupFile] {
        let newest = listing.keys.compactMap(SegmentCopy.number(ofPath:)).max()
        // The log is copied last, so it contains the requests of all erasures whose plans were copied.
        let order = listing.sorted { left, right in
            (SegmentCopy.number(ofPath: left.key) ?? 0, left.key) < (
                SegmentCopy.number(ofPath: right.key) ?? 0, right.key
            )
        }
        let total = order.reduce(0) { $0 + $1.value.bytes }
        var done = 0
        var files: [BackupFile] = []
        for (path, original) in order {
            onProgress(done, total)
            done += original.bytes
            let number = SegmentCopy.number(ofPath: path)
            if let known = state.known[path], isUnchanged(known, original, isNewest: number == newest),
                attributes(folder.path(of: known.hash))?.bytes == known.bytes
            {
                files.append(known)
                continue
            }
            var segment: BackupSegment?
            let bytes: [UInt8]
            if let number {
                guard
                    let copy = try SegmentCopy(
                        number,
                        in: source + "/intake",
                        isNewest: number == newest,
                        storage
                    )
                else { continue }
                (bytes, segment) = (copy.bytes, copy.segment)
            } else {
                guard let contents = try storage.wholeContents(of: source + "/" + path) else { continue }
                bytes = contents
            }
            let file = BackupFile(
                path: path,
                bytes: bytes.count,
                hash: BackupManifest.digest(bytes),
                original: original,
                segment: segment
            )
            if try write(bytes, file, to: folder) {
                state.writtenFiles += 1
                state.writtenBytes += bytes.count
            }
            state.known[path] = file
            state.copied.insert(path)
            files.append(file)
        }
        onProgress(total, total)
        return files
    }

    /// Whether a file still has the content that was copied.
    ///
    /// The open segment has no reliable time: the collector writes it through memory.
    private func isUnchanged(_ known: BackupFile, _ original: FileAttributes, isNewest: Bool) -> Bool {
        guard let segment = known.segment else { return known.original == original }
        return !isNewest && !segment.isOpen && known.original == original
    }

    /// Stores a file's content unless it is stored already.
    ///
    /// - Returns: Whether something was written.
    private func write(_ bytes: [UInt8], _ file: BackupFile, to folder: BackupFolder) throws -> Bool {
        let path = folder.path(of: file.hash)
        guard let existing = attributes(path) else {
            return try storage.create(path, with: bytes, durably: true)
        }
        if existing.bytes == bytes.count, try !isFull || storage.wholeContents(of: path) == bytes { return false }
        try storage.replace(path, with: bytes, durably: true)
        return true
    }

    // MARK: Listing

    /// Returns the files to copy, by path.
    private func list() throws -> [String: FileAttributes] {
        var files: [String: FileAttributes] = [:]
        try list("", depth: 0, into: &files)
        return files
    }

    private func list(_ prefix: String, depth: Int, into files: inout [String: FileAttributes]) throws {
        guard depth <= Self.maximumDepth else { return }
        for name in try storage.names(in: source + (prefix.isEmpty ? "" : "/" + prefix.dropLast())) {
            let path = prefix + name
            guard !Self.isLeftOut(path, name), let found = attributes(source + "/" + path) else { continue }
            switch found.kind {
            case .file: files[path] = found
            case .folder: try list(path + "/", depth: depth + 1, into: &files)
            case .other: continue
            }
        }
    }

    /// Whether a file is not part of a backup.
    ///
    /// The index is rebuilt from the log; temporary files and locks have no content of value.
    private static func isLeftOut(_ path: String, _ name: String) -> Bool {
        if name.contains("~") || name.hasSuffix(".lock") { return true }
        if path.hasPrefix("index.sqlite") || path == RestoredFolder.fileName { return true }
        return path.hasPrefix(logPrefix) && SegmentCopy.number(ofPath: path) == nil
    }

    /// Whether completed segments, erasures and the retained state are the same as when they were copied.
    private func isSame(_ listing: [String: FileAttributes], as files: [BackupFile]) -> Bool {
        let copied = Dictionary(files.map { ($0.path, $0) }) { first, _ in first }
        let newest = files.compactMap { SegmentCopy.number(ofPath: $0.path) }.max() ?? 0
        for file in files where Self.mustBeStable(file.path) {
            guard let found = listing[file.path] else { return false }
            if file.segment?.isOpen == true {
                // An erasure replaces the file; an append does not.
                if found.inode != file.original.inode { return false }
            } else if found != file.original {
                return false
            }
        }
        return listing.keys.allSatisfy { path in
            guard Self.mustBeStable(path), copied[path] == nil else { return true }
            // New segments follow the copied ones; a segment without a record was not copied.
            return (SegmentCopy.number(ofPath: path) ?? 0) > newest
        }
    }

    private static func mustBeStable(_ path: String) -> Bool {
        path.hasPrefix(logPrefix) || path.hasPrefix(erasuresPrefix)
            || [erasureKeyName, retainedStateName].contains(path)
    }

    // MARK: After copying

    private func removeTemporaryFiles() throws(StorageError) {
        for folder in [target, target + "/" + BackupFolder.filesName] {
            for name in try storage.names(in: folder) where name.contains("~") {
                try storage.remove(folder + "/" + name)
            }
        }
    }

    /// Deletes files that only earlier backups named.
    private func removeUnnamedFiles(_ manifest: BackupManifest) throws(StorageError) {
        let named = Set(manifest.files.map(\.hash))
        let folder = target + "/" + BackupFolder.filesName
        for name in try storage.names(in: folder) where !named.contains(name) {
            try storage.remove(folder + "/" + name)
        }
    }

    private func report(_ manifest: BackupManifest, _ previous: BackupManifest?, _ state: CopyState) -> Report {
        var report = Report(manifest: manifest, previous: previous)
        report.writtenFiles = state.writtenFiles
        report.writtenBytes = state.writtenBytes
        let files = Dictionary(manifest.files.map { ($0.path, $0) }) { first, _ in first }
        for file in previous?.files ?? [] {
            guard let segment = file.segment else { continue }
            guard let new = files[file.path] else {
                report.removedSegments += 1
                continue
            }
            if !segment.isOpen, new.hash != file.hash { report.replacedSegments += 1 }
        }
        return report
    }
}
