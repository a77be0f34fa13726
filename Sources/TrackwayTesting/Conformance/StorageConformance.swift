// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// Checks that an implementation of `JournalStorage` keeps the promises the journal builds on.
///
/// Independent of any test framework: it returns what it found.
/// ```swift
/// @Test("my storage keeps the journal's rules")
/// func conforms() {
///     let findings = StorageConformance.findings(in: "/tmp/fresh-folder") { MyStorage() }
///     #expect(findings.isEmpty, "\(findings)")
/// }
/// ```
/// What only a real power cut shows (whether a flush reaches the device) cannot be checked from here.
public enum StorageConformance {
    /// Everything that is wrong; empty when the storage conforms.
    ///
    /// - Parameters:
    ///   - folder: an absolute path that does not exist yet and may be written; it is left behind.
    ///   - makeStorage: makes a value of the storage; every value it makes must see the same files.
    public static func findings(
        in folder: String,
        _ makeStorage: () -> any JournalStorage
    ) -> [ConformanceFinding] {
        var run = StorageConformanceRun(folder: folder, storage: makeStorage(), other: makeStorage())
        run.check("folders") { try $0.checkFolders() }
        run.check("files") { try $0.checkFiles() }
        run.check("replace") { try $0.checkReplace() }
        run.check("overwrite") { try $0.checkOverwrite() }
        run.check("create") { try $0.checkCreate() }
        run.check("rename") { try $0.checkRename() }
        run.check("remove") { try $0.checkRemove() }
        run.check("segment") { try $0.checkSegments() }
        run.check("lock") { try $0.checkLocks() }
        return run.findings
    }
}
