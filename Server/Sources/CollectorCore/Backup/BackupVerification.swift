// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// Checks a backup.
public struct BackupVerification: Sendable {
    /// The result of a check.
    public struct Report: Sendable, Hashable {
        /// The manifest.
        public var manifest: BackupManifest
        /// The files that are missing or have changed, as sentences.
        public var problems: [String]
    }

    private let folder: BackupFolder

    /// Creates a check of the backup in a folder.
    public init(folder: String, storage: any JournalStorage = DiskStorage()) {
        self.folder = BackupFolder(path: folder, storage: storage)
    }

    /// Compares all files with the manifest.
    ///
    /// - Parameter onProgress: Called before each file with the number of bytes done, and of all bytes.
    /// - Throws: ``BackupError`` if there is no readable manifest, or a file cannot be read.
    /// - Complexity: O(bytes of the backup).
    public func run(onProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) throws(BackupError) -> Report {
        let manifest = try folder.requiredManifest()
        var report = Report(manifest: manifest, problems: [])
        var done = 0
        for file in manifest.files {
            onProgress(done, manifest.bytes)
            do {
                _ = try folder.contents(of: file)
            } catch let damage as BackupFileDamage {
                report.problems.append("\(damage)")
            } catch {
                throw BackupError(error, outcome: "the backup could not be checked")
            }
            done += file.bytes
        }
        onProgress(done, manifest.bytes)
        // A backup that runs at the same time deletes files of the manifest that was read.
        if !report.problems.isEmpty, manifest != (try folder.requiredManifest()) {
            throw BackupError(
                .inUse,
                "a new backup was made in \(folder.path) during the check",
                remedy: "run the command again"
            )
        }
        return report
    }
}
