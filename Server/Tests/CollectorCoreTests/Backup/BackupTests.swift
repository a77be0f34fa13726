// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorCore

@Suite("Backups")
struct BackupTests {
    @Test
    func `a restored folder has all records and files except the index, locks and temporary files`() throws {
        let environment = try BackupEnvironment()
        try environment.append(20)
        try environment.write("index.sqlite", "index")
        try environment.write("index.sqlite-wal", "index")
        try environment.write("erasures/1-abc.json", "{}\n")
        try environment.write("keys~1.2.new", "partial")
        try environment.write("alerts.lock", "")
        let report = try environment.backup()
        #expect(report.manifest.records == 20 && report.previous == nil)
        #expect(report.manifest.lastReceived == BackupEnvironment.time(20))
        #expect(report.manifest.end == environment.log?.end)
        let restored = try environment.restore()
        #expect(restored == report.manifest)
        let folder = environment.root + "/restored"
        #expect(try BackupEnvironment.records(folder) == BackupEnvironment.records(environment.data))
        let files = try BackupEnvironment.files(in: folder).filter { !$0.hasSuffix(".segment") }
        let expected: Set = [
            "erasure-key", "keys", "boards.json", "erasures/1-abc.json", "restored.json", "intake/log.lock",
        ]
        #expect(files == expected)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/keys")
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        // The restored log accepts records after the last one.
        let log = try SegmentedLog(folder: folder + "/intake")
        #expect(log.end > report.manifest.end)
    }

    @Test
    func `a second backup copies only the last segment and changed files`() throws {
        let environment = try BackupEnvironment()
        try environment.append(40)
        let first = try environment.backup()
        #expect(first.manifest.files.count > 6)
        try environment.append(1)
        try environment.write("boards.json", "{\"boards\":[]}\n")
        let second = try environment.backup()
        #expect(second.writtenFiles == 2)
        #expect(second.manifest.records == 41 && second.replacedSegments == 0 && second.removedSegments == 0)
        #expect(second.previous?.id == first.manifest.id)
        // Nothing is left of the first backup but what the second one names.
        let names = try FileManager.default.contentsOfDirectory(atPath: environment.target + "/files")
        #expect(Set(names) == Set(second.manifest.files.map(\.hash)))
        #expect(try environment.backup().writtenFiles == 0)
    }

    @Test
    func `a partly written record at the end of the log is left out`() throws {
        let environment = try BackupEnvironment()
        try environment.append(3)
        let end = try #require(environment.log?.end)
        try environment.append(1)
        let path = environment.data + "/intake/00000001.segment"
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seek(toOffset: UInt64(end.offset) + 60)
        try handle.write(contentsOf: Data([0, 0, 0, 0]))
        try handle.close()
        let report = try environment.backup()
        #expect(report.manifest.records == 3 && report.manifest.end == end)
        try environment.restore()
        #expect(try BackupEnvironment.records(environment.root + "/restored").count == 3)
    }

    @Test
    func `damage inside the log is counted, and the records around it are copied`() throws {
        let environment = try BackupEnvironment()
        try environment.append(30)
        let path = environment.data + "/intake/00000001.segment"
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seek(toOffset: 600)
        try handle.write(contentsOf: Data([0, 0, 0, 0]))
        try handle.close()
        let report = try environment.backup()
        #expect(report.manifest.files.reduce(0) { $0 + ($1.segment?.damaged ?? 0) } == 1)
        #expect(report.manifest.records == 29)
        try environment.restore()
        #expect(try BackupEnvironment.records(environment.root + "/restored").count == 29)
    }

    @Test
    func `segments rewritten by an erasure are replaced, and nothing of the erased data stays in the backup`() throws {
        let environment = try BackupEnvironment()
        try environment.append(30)
        try environment.backup()
        #expect(try !BackupEnvironment.files(in: environment.target, with: "event-2-q").isEmpty)
        try environment.rewrite(1, "event-2-q", with: "\"{}\"     ")
        let report = try environment.backup()
        #expect(report.replacedSegments == 1 && report.writtenFiles == 1)
        #expect(try BackupEnvironment.files(in: environment.target, with: "event-2-q").isEmpty)
        #expect(try environment.verify().problems.isEmpty)
    }

    @Test
    func `segments that retention removed are removed from the backup`() throws {
        let environment = try BackupEnvironment()
        try environment.append(30)
        let first = try environment.backup()
        try environment.log?.removeSegments(before: LogPosition(segment: 3, offset: 0))
        let second = try environment.backup()
        #expect(second.removedSegments == 2)
        #expect(second.manifest.records < first.manifest.records && second.manifest.end == first.manifest.end)
        try environment.restore()
        let folder = environment.root + "/restored"
        #expect(try BackupEnvironment.records(folder) == BackupEnvironment.records(environment.data))
    }

    @Test
    func `what retention saves during the backup is contained`() throws {
        let environment = try BackupEnvironment()
        try environment.append(40)
        let path = environment.data + "/retained.sqlite"
        try DiskStorage().replace(path, with: Array("before".utf8), durably: false)
        let calls = Locked(0)
        // When the sixth file is stored, the retained state has already been copied.
        let save: @Sendable (String) -> FileAttributes? = { stored in
            let isSixth =
                stored.contains("/files/")
                && calls.withLock {
                    $0 += 1; return $0 == 6
                }
            do {
                if isSixth { try DiskStorage().replace(path, with: Array("after".utf8), durably: false) }
            } catch {
                Issue.record(error)
            }
            return BackupEnvironment.attributes(stored)
        }
        _ = try environment.writer(attributes: save).run(at: BackupEnvironment.time(0), randomUInt64: { 1 })
        try environment.restore()
        let restored = try DiskStorage().contents(of: environment.root + "/restored/retained.sqlite")
        #expect(restored == Array("after".utf8))
    }

    @Test
    func `an erasure during the backup is contained completely, with its receipt`() throws {
        let environment = try BackupEnvironment()
        try environment.append(40)
        let calls = Locked(0)
        // The third stored file is a segment: the first ones are then already copied.
        let erase: @Sendable (String) -> FileAttributes? = { [data = environment.data] path in
            if path.contains("/files/"),
                calls.withLock({
                    $0 += 1; return $0
                }) == 6
            {
                for (name, text) in [("erasures/1-a.json", "receipt")] {
                    do {
                        try DiskStorage().replace(data + "/" + name, with: Array(text.utf8), durably: false)
                    } catch {
                        Issue.record(error)
                    }
                }
                do {
                    _ = try SegmentRewriter(folder: data + "/intake").rewrite(
                        1,
                        replacement: { entry, payload in
                            let old = String(decoding: payload, as: UTF8.self)
                            guard old.contains("event-1-q") else { return nil }
                            let new = old.replacing("event-1-q", with: "\"{}\"     ")
                            return .init(kind: entry.kind, payload: Array(new.utf8))
                        },
                        willReplace: {}
                    )
                } catch {
                    Issue.record(error)
                }
            }
            return BackupEnvironment.attributes(path)
        }
        let report = try environment.writer(attributes: erase).run(at: BackupEnvironment.time(0), randomUInt64: { 1 })
        #expect(report.manifest.files.contains { $0.path == "erasures/1-a.json" })
        #expect(try BackupEnvironment.files(in: environment.target, with: "event-1-q").isEmpty)
        #expect(try environment.verify().problems.isEmpty)
    }

    @Test
    func `a log that changes during every attempt is an error, and the previous backup stays`() throws {
        let environment = try BackupEnvironment()
        try environment.append(10)
        let first = try environment.backup().manifest
        let time = Locked(Int64(0))
        let restless: @Sendable (String) -> FileAttributes? = { path in
            var found = BackupEnvironment.attributes(path)
            if path.hasSuffix("00000001.segment") {
                found?.modified = time.withLock {
                    $0 += 1; return $0
                }
            }
            return found
        }
        let error = #expect(throws: BackupError.self) {
            try environment.writer(attributes: restless).run(at: BackupEnvironment.time(0), randomUInt64: { 1 })
        }
        #expect(error?.kind == .inUse)
        #expect(try environment.verify().manifest == first)
    }

    @Test(arguments: [StorageOperation.create, .replace])
    func `a full disk is an error, and the previous backup stays complete`(operation: StorageOperation) throws {
        let environment = try BackupEnvironment()
        try environment.append(10)
        let first = try environment.backup().manifest
        try environment.append(10)
        let storage = FaultyStorage(DiskStorage())
        storage.fail(operation, with: .noSpace, paths: environment.target)
        let error = #expect(throws: BackupError.self) { try environment.backup(storage: storage) }
        #expect(error?.kind == .inputOutput)
        #expect(error?.message.contains("the previous backup is unchanged") == true, "\(error?.message ?? "")")
        let report = try environment.verify()
        #expect(report.manifest == first && report.problems.isEmpty)
        #expect(try environment.backup().manifest.records == 20)
    }

    @Test(arguments: [true, false])
    func `a backup killed at any step leaves the previous backup complete, and can be repeated`(
        hasPrevious: Bool
    ) throws {
        var changes = 0
        var isKilled = true
        while isKilled {
            let environment = try BackupEnvironment()
            try environment.append(12)
            if hasPrevious { try environment.backup() }
            try environment.append(12)
            try environment.rewrite(1, "event-2-q", with: "\"{}\"     ")
            try environment.write("boards.json", "{\"boards\":[]}\n")
            let storage = KilledStorage(changes: changes)
            do {
                try environment.backup(storage: storage)
            } catch {
                #expect(storage.isKilled, "\(error)")
            }
            isKilled = storage.isKilled
            if try DiskStorage().size(of: environment.target + "/backup.json") != nil {
                let report = try environment.verify()
                #expect(report.problems.isEmpty, "after \(changes) changes")
                #expect([12, 24].contains(report.manifest.records))
            } else {
                #expect(!hasPrevious)
            }
            let report = try environment.backup()
            #expect(report.manifest.records == 24)
            let names = try FileManager.default.contentsOfDirectory(atPath: environment.target + "/files")
            #expect(Set(names) == Set(report.manifest.files.map(\.hash)))
            #expect(
                try !FileManager.default.contentsOfDirectory(atPath: environment.target).contains { $0.contains("~") }
            )
            changes += 1
        }
        #expect(changes > 8)
    }

    @Test
    func `two backups into one folder at once are refused`() throws {
        let environment = try BackupEnvironment()
        try environment.append(1)
        try environment.backup()
        let lock = try DiskStorage().lock(environment.target + "/backup.lock")
        let error = #expect(throws: BackupError.self) { try environment.backup() }
        #expect(error?.kind == .inUse)
        lock?.release()
        try environment.backup()
    }

    @Test
    func `a folder with other files, of another collector, or of a longer log is refused and stays unchanged`() throws {
        let environment = try BackupEnvironment()
        try environment.append(30)
        try DiskStorage().makeFolder(environment.target)
        try DiskStorage().replace(environment.target + "/notes.txt", with: [65], durably: false)
        let other = #expect(throws: BackupError.self) { try environment.backup() }
        #expect(other?.kind == .unusable && other?.message.contains("notes.txt") == true)
        try DiskStorage().remove(environment.target + "/notes.txt")
        let manifest = try environment.backup().manifest
        try environment.write("erasure-key", ErasureKey(randomUInt64: { 8 }).text + "\n")
        let stranger = #expect(throws: BackupError.self) { try environment.backup() }
        #expect(stranger?.message.contains("another collector") == true)
        try environment.write("erasure-key", ErasureKey(randomUInt64: { 7 }).text + "\n")
        environment.close()
        try FileManager.default.removeItem(atPath: environment.data + "/intake")
        try environment.open()
        let shorter = #expect(throws: BackupError.self) { try environment.backup() }
        #expect(shorter?.message.contains("records up to \(manifest.end)") == true)
        #expect(try environment.verify().manifest == manifest)
    }

    @Test
    func `a folder that is not a collector's, or a cluster's, is refused`() throws {
        let environment = try BackupEnvironment()
        try environment.write("stream.json", "{}")
        let cluster = #expect(throws: BackupError.self) { try environment.backup() }
        #expect(cluster?.message.contains("cluster") == true)
        try DiskStorage().remove(environment.data + "/stream.json")
        environment.close()
        try FileManager.default.removeItem(atPath: environment.data + "/intake")
        #expect(throws: BackupError.self) { try environment.backup() }
        try FileManager.default.removeItem(atPath: environment.data)
        let missing = #expect(throws: BackupError.self) { try environment.backup() }
        #expect(missing?.kind == .missing)
        #expect(!FileManager.default.fileExists(atPath: environment.target))
    }
}
