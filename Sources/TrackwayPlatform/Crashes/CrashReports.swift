// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayJournal

/// The reports that processes of an installation left behind.
///
/// Each process that captures crashes has a file of its own in the folder, and its lock as long as it lives.
package struct CrashReports: Sendable {
    /// Larger files are not ours.
    private static let largestFile = 1 << 20
    /// Reports taken at a time; an app that crashes at every start gets rid of the others later.
    private static let most = 16

    let folder: String
    let storage: any JournalStorage

    /// The reports in an installation's folder.
    package init(in root: String, storage: any JournalStorage) {
        folder = root + "/crashes"
        self.storage = storage
    }

    /// What processes that are gone left behind, oldest first. Files of theirs that tell of no crash are removed.
    ///
    /// - Throws: When the folder cannot be read; a single file that cannot be is left for later.
    package func pending() throws(StorageError) -> [CrashReport] {
        var reports: [CrashReport] = []
        for name in try storage.names(in: folder).sorted() where reports.count < Self.most {
            let path = folder + "/" + name
            do throws(StorageError) {
                // A living process's file is its own.
                guard let lock = try storage.lock(path) else { continue }
                defer { lock.release() }
                guard let size = try storage.size(of: path), size > 0 else { continue }  // Somebody is just starting.
                if let report = try read(name, path, size) {
                    reports.append(report)
                } else {
                    try storage.remove(path)
                }
            } catch {
                continue  // It is still there at the next start.
            }
        }
        return reports.sorted { ($0.at.wall, $0.name) < ($1.at.wall, $1.name) }
    }

    /// Forgets a report, once its event is in the journal.
    package func remove(_ report: CrashReport) throws(StorageError) {
        try storage.remove(folder + "/" + report.name)
    }

    /// Forgets all reports of processes that are gone.
    package func removeAll() throws(StorageError) {
        for report in try pending() { try remove(report) }
    }

    private func read(_ name: String, _ path: String, _ size: Int) throws(StorageError) -> CrashReport? {
        guard size <= Self.largestFile, let bytes = try storage.contents(of: path) else { return nil }
        return CrashReport(bytes, name: name)
    }
}
