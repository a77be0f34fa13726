// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore
package import TrackwayJournal
internal import TrackwayLifecycle

/// The crash reports of an installation's processes and of the system.
///
/// Each process that captures crashes has its own file in the folder, locked while the process lives. Later reports
/// from the system are stored there, too (``store(_:)``). A crash that both the process and the system report is
/// recorded once, from the report that arrives first.
package struct CrashReports: Sendable {
    /// The maximum file size in bytes; larger files are not the SDK's.
    private static let largestFile = 1 << 20
    /// The maximum number of reports per pass.
    ///
    /// If an app crashes at every launch, the remaining reports are processed in later passes.
    private static let maximumReports = 16

    let folder: String
    /// The path of the file that stores ``ReportedCrashes``.
    private let reportedFile: String
    private let incomingPrefix: String
    let storage: any JournalStorage
    private let isAlive: @Sendable (Int32) -> Bool

    /// Opens the reports in an installation's folder.
    ///
    /// - Parameter isAlive: Returns whether a process with this id exists.
    package init(
        in root: String,
        storage: any JournalStorage,
        isAlive: @escaping @Sendable (Int32) -> Bool = { ctrackway_process_is_alive($0) }
    ) {
        self.isAlive = isAlive
        folder = root + "/crashes"
        reportedFile = root + "/crashes-told"
        incomingPrefix = root + "/crashes-arriving"
        self.storage = storage
    }

    /// Returns reports that are not recorded yet, and deletes obsolete files.
    ///
    /// Reports written by ended processes come first, then the system's reports, each group oldest first. Obsolete
    /// files contain no crash, or one that was already recorded.
    ///
    /// - Throws: `StorageError` if the folder cannot be read. A single unreadable file is left for later.
    package func pending() throws(StorageError) -> [CrashReport] {
        var reports: [CrashReport] = []
        for name in try storage.names(in: folder).ordered() where reports.count < Self.maximumReports {
            let path = folder + "/" + name
            do throws(StorageError) {
                // A live process still uses its file.
                guard let lock = try storage.lock(path) else { continue }
                defer { lock.release() }
                guard let size = try storage.size(of: path), size > 0 else { continue }  // A process is just starting.
                if try isHeld(path) { continue }
                if let report = try read(name, path, size) {
                    reports.append(report)
                } else {
                    try storage.remove(path)
                }
            } catch {
                continue  // Retried at the next launch.
            }
        }
        reports = reports.ordered { ($0.isOwn ? 0 : 1, $0.at.wall, $0.name) < ($1.isOwn ? 0 : 1, $1.at.wall, $1.name) }
        return try withoutDuplicates(reports)
    }

    /// Deletes a report after its event has been stored in the journal.
    ///
    /// - Parameter remembering: Whether the other source may report the same crash later.
    package func remove(_ report: CrashReport, remembering: Bool = false) throws(StorageError) {
        if remembering, !report.isDuplicate {
            var reported = try reportedCrashes()
            reported.note(report.fingerprint)
            try storage.replace(reportedFile, with: reported.bytes, durably: false)
        }
        try storage.remove(folder + "/" + report.name)
    }

    /// Deletes all reports of ended processes.
    package func removeAll() throws(StorageError) {
        for report in try pending() { try remove(report) }
        try storage.remove(reportedFile)
    }

    /// Stores a report from the system until it is recorded.
    ///
    /// Storing the same report again overwrites the same file.
    package func store(_ report: SystemReport) throws(StorageError) {
        try storage.makeFolder(folder)
        // Write the file elsewhere first: in the folder, a partial file would count as a file without a crash.
        let arriving = "\(incomingPrefix)-\(report.fileName)"
        try storage.replace(arriving, with: report.lines, durably: false)
        try storage.rename(arriving, to: "\(folder)/\(report.fileName)")
    }

    /// Whether a live process holds the file without a lock.
    private func isHeld(_ path: String) throws(StorageError) -> Bool {
        guard let bytes = try storage.contents(of: path) else { return false }
        return CrashCapture.isHeld(path, bytes, boot: BootIdentity.current(), isAlive: isAlive)
    }

    private func read(_ name: String, _ path: String, _ size: Int) throws(StorageError) -> CrashReport? {
        guard size <= Self.largestFile, let bytes = try storage.contents(of: path) else { return nil }
        return CrashReport(bytes, name: name)
    }

    private func reportedCrashes() throws(StorageError) -> ReportedCrashes {
        try storage.contents(of: reportedFile).map { ReportedCrashes($0) } ?? ReportedCrashes()
    }

    /// Returns the reports without duplicates of recorded crashes.
    ///
    /// A duplicate's file is deleted before the record of its crash. If the process is killed between the two
    /// deletions, the leftover record matches no further report.
    private func withoutDuplicates(_ reports: [CrashReport]) throws(StorageError) -> [CrashReport] {
        guard !reports.isEmpty else { return [] }
        var reported = try reportedCrashes()
        /// The crashes that are about to be recorded.
        var newCrashes = ReportedCrashes()
        var fresh: [CrashReport] = []
        for report in reports {
            if reported.removeDuplicate(of: report.fingerprint) != nil {
                try storage.remove(folder + "/" + report.name)
                try storage.replace(reportedFile, with: reported.bytes, durably: false)
            } else if let duplicate = newCrashes.removeDuplicate(of: report.fingerprint) {
                try storage.remove(folder + "/" + report.name)
                if let index = fresh.firstIndex(where: { $0.fingerprint == duplicate }) {
                    fresh[index].isDuplicate = true
                }
            } else {
                newCrashes.note(report.fingerprint)
                fresh.append(report)
            }
        }
        return fresh
    }
}
