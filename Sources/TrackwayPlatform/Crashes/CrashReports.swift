// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayBehavior
internal import TrackwayEvents
package import TrackwayJournal

/// The reports that processes of an installation left behind, and those of others who watched them.
///
/// Each process that captures crashes has a file of its own in the folder, and its lock as long as it lives. What the system tells
/// later is kept there, too (``keep(_:)``). A crash that both tell of is told once: whoever comes first.
package struct CrashReports: Sendable {
    /// Larger files are not ours.
    private static let largestFile = 1 << 20
    /// Reports taken at a time; an app that crashes at every start gets rid of the others later.
    private static let most = 16

    let folder: String
    /// What was told and may be told again.
    private let toldFile: String
    private let arrivals: String
    let storage: any JournalStorage
    private let isAlive: @Sendable (Int32) -> Bool

    /// The reports in an installation's folder.
    ///
    /// - Parameter isAlive: Whether a process of this number lives.
    package init(
        in root: String,
        storage: any JournalStorage,
        isAlive: @escaping @Sendable (Int32) -> Bool = { ctrackway_process_lives($0) }
    ) {
        self.isAlive = isAlive
        folder = root + "/crashes"
        toldFile = root + "/crashes-told"
        arrivals = root + "/crashes-arriving"
        self.storage = storage
    }

    /// What processes that are gone left behind, oldest first, and after it what others tell of crashes that nobody told yet. Files
    /// that tell of no crash, or of one that was told, are removed.
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
                if try isHeld(path) { continue }
                if let report = try read(name, path, size) {
                    reports.append(report)
                } else {
                    try storage.remove(path)
                }
            } catch {
                continue  // It is still there at the next start.
            }
        }
        reports.sort { ($0.isOwn ? 0 : 1, $0.at.wall, $0.name) < ($1.isOwn ? 0 : 1, $1.at.wall, $1.name) }
        return try withoutTwins(reports)
    }

    /// Forgets a report, once its event is in the journal.
    ///
    /// - Parameter remembering: whether somebody else may tell of the same crash later.
    package func remove(_ report: CrashReport, remembering: Bool = false) throws(StorageError) {
        if remembering, !report.hasMetTwin {
            var told = try told()
            told.note(report.traits)
            try storage.replace(toldFile, with: told.bytes, durably: false)
        }
        try storage.remove(folder + "/" + report.name)
    }

    /// Forgets all reports of processes that are gone.
    package func removeAll() throws(StorageError) {
        for report in try pending() { try remove(report) }
        try storage.remove(toldFile)
    }

    /// Keeps what somebody else tells of a process, until it is told. The same report again is the same file.
    package func keep(_ report: SystemReport) throws(StorageError) {
        try storage.makeFolder(folder)
        // Made elsewhere: in the folder, half a file would be taken for one that tells of no crash.
        let arriving = "\(arrivals)-\(report.fileName)"
        try storage.replace(arriving, with: report.lines, durably: false)
        try storage.rename(arriving, to: "\(folder)/\(report.fileName)")
    }

    /// Whether a process that lives holds the file without a lock.
    private func isHeld(_ path: String) throws(StorageError) -> Bool {
        guard let bytes = try storage.contents(of: path) else { return false }
        return CrashCapture.isHeld(path, bytes, boot: BootIdentity.current(), isAlive: isAlive)
    }

    private func read(_ name: String, _ path: String, _ size: Int) throws(StorageError) -> CrashReport? {
        guard size <= Self.largestFile, let bytes = try storage.contents(of: path) else { return nil }
        return CrashReport(bytes, name: name)
    }

    private func told() throws(StorageError) -> ToldCrashes {
        try storage.contents(of: toldFile).map { ToldCrashes($0) } ?? ToldCrashes()
    }

    /// Those that nobody told yet. A twin's file goes first and the memory of its being told after it: killed in between, what is
    /// remembered meets nobody any more.
    private func withoutTwins(_ reports: [CrashReport]) throws(StorageError) -> [CrashReport] {
        guard !reports.isEmpty else { return [] }
        var told = try told()
        /// Those that are about to be told.
        var others = ToldCrashes()
        var fresh: [CrashReport] = []
        for report in reports {
            if told.meet(report.traits) != nil {
                try storage.remove(folder + "/" + report.name)
                try storage.replace(toldFile, with: told.bytes, durably: false)
            } else if let twin = others.meet(report.traits) {
                try storage.remove(folder + "/" + report.name)
                if let place = fresh.firstIndex(where: { $0.traits == twin }) { fresh[place].hasMetTwin = true }
            } else {
                others.note(report.traits)
                fresh.append(report)
            }
        }
        return fresh
    }
}
