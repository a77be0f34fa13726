// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorSQLite
internal import Foundation
internal import TrackwayJournal

/// Checks a collector's folder on this machine, also while the collector runs.
///
/// Nothing in the folder is changed.
struct FolderDiagnosis: Sendable {
    let folder: CollectorFolder
    /// Returns the free bytes and the size of the disk with a folder; nil if unknown.
    var disk: @Sendable (String) -> (free: Int64, size: Int64)? = Self.disk

    private var path: String { folder.path }

    /// Runs all checks.
    func run() -> [DoctorFinding] {
        guard let attributes = FileAttributes.ofFile(at: Self.resolved(path)) else {
            return [
                .fault(
                    .folder,
                    "folder_missing",
                    "The folder \(path) does not exist, or its parent cannot be read.",
                    "Pass the folder of the collector with --data or TRACKWAY_DATA; `trackway serve` creates one."
                )
            ]
        }
        guard case .folder = attributes.kind else {
            return [
                .fault(
                    .folder,
                    "folder_is_a_file",
                    "\(path) is not a folder.",
                    "Pass the folder of the collector with --data or TRACKWAY_DATA."
                )
            ]
        }
        var findings = permissions()
        if FileManager.default.fileExists(atPath: path + "/" + RestoredFolder.markerName) {
            let failure = RestoredFolder.unfinished(path)
            findings.append(.fault(.folder, "restore_unfinished", failure.message + ".", failure.remedy + "."))
        }
        if findings.isEmpty { findings.append(.ok(.folder, "Only its owner can use the folder \(path).")) }
        if let (free, size) = disk(path) {
            let reserve = Int64(IntakeOptions().reserveBytes)
            findings.append(DiskThreshold(free: free, size: size, reserve: reserve).finding(path))
        }
        return findings + index() + keys()
    }

    // MARK: Permissions

    private func permissions() -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if access(path, R_OK | W_OK | X_OK) != 0 {
            findings.append(
                .fault(
                    .folder,
                    "folder_not_writable",
                    "This user may not read and write \(path).",
                    "Run this command as the collector's user, or run `chown` so that this user owns the folder."
                )
            )
        }
        let files = [folder.keys, folder.alerts, folder.alertStates, folder.erasureKey, folder.index, folder.intake]
        let open = ([path] + files).filter { (Self.number(.posixPermissions, of: $0) ?? 0) & 0o077 != 0 }
        // Others cannot reach the files of a folder that only its owner may enter.
        if open.first == path {
            findings.append(
                .fault(
                    .folder,
                    "folder_readable_by_others",
                    "Other users of this machine may use \(open.joined(separator: ", ")), with events, keys and secrets.",
                    "Run `chmod 700 \(path)`."
                )
            )
        }
        guard let owner = Self.number(.ownerAccountID, of: path) else { return findings }
        let contents = names(path).map { path + "/" + $0 } + names(folder.intake).map { folder.intake + "/" + $0 }
        let foreign = contents.filter { Self.number(.ownerAccountID, of: $0).map { $0 != owner } ?? false }
        if let first = foreign.first {
            let more = foreign.count > 1 ? " and \(foreign.count - 1) more" : ""
            findings.append(
                .fault(
                    .folder,
                    "folder_owners_differ",
                    "\(first)\(more) belong to another user than \(path), so the collector may not be able to write.",
                    "Stop the collector, and run `chown -R` with the owner of the folder; start the collector as this user."
                )
            )
        }
        return findings
    }

    // MARK: Index and keys

    private func index() -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if FileManager.default.fileExists(atPath: folder.index) {
            findings.append(version(IndexVersion.of(path: folder.index)))
        }
        if let size = Self.number(.size, of: folder.index + "-wal"),
            let finding = WriteAheadLogThreshold.finding(size)
        {
            findings.append(finding)
        }
        let damaged = folder.index + ".damaged"
        if FileManager.default.fileExists(atPath: damaged) {
            findings.append(
                .warning(
                    .index,
                    "index_was_damaged",
                    "A damaged index was moved to \(damaged) and built again.",
                    "Check the disk, then delete the file."
                )
            )
        }
        return findings
    }

    private func version(_ version: IndexVersion) -> DoctorFinding {
        switch version {
        case .current: return .ok(.index, "The index has the schema of this version.")
        case .older(let rebuilds):
            return .warning(
                .index,
                "index_old",
                "The index was created by an older version" + (rebuilds ? ", and must be built again." : "."),
                "Restart the collector with this version"
                    + (rebuilds ? "; queries are answered again when it has read the whole log." : ".")
            )
        case .newer:
            return .fault(
                .index,
                "index_newer",
                "The index was created by a newer version; a collector of this version does not start.",
                "Use the newer version, or delete \(folder.index); the index is then built again from the log."
            )
        case .unreadable(let reason):
            return .fault(
                .index,
                "index_unreadable",
                "The index \(folder.index) cannot be read: \(reason).",
                "Restart the collector, which replaces a damaged index; if it does not start, check the permissions."
            )
        }
    }

    private func keys() -> [DoctorFinding] {
        do throws(KeyFileError) {
            guard try !KeyFile(path: folder.keys).records.isEmpty else {
                return [
                    .warning(
                        .keys,
                        "keys_missing",
                        "No key exists, so nothing can be sent except with --dev-key or --ephemeral.",
                        "Create one with `trackway keys create NAME`."
                    )
                ]
            }
            return [.ok(.keys, "The key file is valid.")]
        } catch {
            return [
                .fault(
                    .keys,
                    "keys_unreadable",
                    "The key file cannot be used: \(error)",
                    "Correct the named line of \(folder.keys), or restore the file from a backup."
                )
            ]
        }
    }

    // MARK: Files

    private func names(_ path: String) -> [String] {
        // A folder that cannot be read has already been reported.
        (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
    }

    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// Returns a numeric attribute of a file; nil if the file is missing or cannot be examined.
    private static func number(_ key: FileAttributeKey, of path: String) -> Int64? {
        // A missing file has no attributes.
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolved(path))
        return (attributes?[key] as? NSNumber)?.int64Value
    }

    private static func disk(_ path: String) -> (free: Int64, size: Int64)? {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return nil }
        func bytes(_ blocks: some BinaryInteger) -> Int64 {
            Int64(clamping: UInt64(blocks).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
        }
        return (bytes(disk.f_bavail), bytes(disk.f_blocks))
    }
}
