// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorCore

@Suite("Verifying and restoring backups")
struct BackupRestorationTests {
    private static func overwrite(_ path: String, _ bytes: [UInt8]) throws {
        try DiskStorage().overwrite(path, with: bytes)
    }

    @Test
    func `verification finds a missing, a truncated and a changed file, and a full backup repairs them`() throws {
        let environment = try BackupEnvironment()
        try environment.append(20)
        let files = try environment.backup().manifest.files.filter { $0.bytes > 0 }
        #expect(try environment.verify().problems.isEmpty)
        let paths = files.map { environment.target + "/files/" + $0.hash }
        try DiskStorage().remove(paths[0])
        try Self.overwrite(paths[1], [])
        var changed = try #require(try DiskStorage().contents(of: paths[2]))
        changed[changed.count / 2] ^= 1
        try Self.overwrite(paths[2], changed)
        let problems = try environment.verify().problems
        #expect(problems.count == 3)
        #expect(problems.contains { $0.hasPrefix(files[0].path) && $0.hasSuffix("is missing") })
        #expect(problems.contains { $0.hasPrefix(files[1].path) && $0.contains("has 0 bytes instead of") })
        #expect(problems.contains { $0.hasPrefix(files[2].path) && $0.hasSuffix("has changed") })
        try environment.backup(isFull: true)
        #expect(try environment.verify().problems.isEmpty)
    }

    @Test
    func `every changed byte of a manifest is found`() throws {
        let environment = try BackupEnvironment()
        try environment.append(2)
        try environment.backup()
        let path = environment.target + "/backup.json"
        let bytes = try #require(try DiskStorage().contents(of: path))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 4
            try Self.overwrite(path, changed)
            let error = #expect(throws: BackupError.self) { try environment.verify() }
            #expect(error?.kind == .damaged, "byte \(index)")
        }
        for length in stride(from: 0, to: bytes.count, by: 7) {
            try Self.overwrite(path, Array(bytes.prefix(length)))
            #expect(throws: BackupError.self) { try environment.verify() }
        }
    }

    /// Returns a manifest with a valid checksum.
    private static func signed(_ body: String) -> [UInt8] {
        let bytes = Array(body.utf8)
        return bytes + Array(",\n\"sha256\":\"\(BackupManifest.digest(bytes))\"}\n".utf8)
    }

    @Test(arguments: [
        "../outside", "/etc/passwd", "a/../../b", "", "a//b", "./a", "a/b/c/d/e/f/g/h/i",
    ])
    func `a path that leads out of the folder is refused`(path: String) throws {
        let environment = try BackupEnvironment()
        try environment.append(1)
        let hash = try #require(try environment.backup().manifest.files.first?.hash)
        let body = """
            {"version":1,"id":"0123456789abcdef","created":1,"program":"x","collector":"","files":[
            {"path":"\(path)","bytes":1,"sha256":"\(hash)","inode":1,"size":1,"modified":1}]
            """
        try Self.overwrite(environment.target + "/backup.json", Self.signed(body))
        let error = #expect(throws: BackupError.self) { try environment.restore() }
        #expect(error?.kind == .damaged)
        #expect(!FileManager.default.fileExists(atPath: environment.root + "/restored"))
    }

    @Test
    func `a backup of a newer version is refused`() throws {
        let environment = try BackupEnvironment()
        try environment.append(1)
        try environment.backup()
        try Self.overwrite(environment.target + "/backup.json", Self.signed("{\"version\":2"))
        for operation in [
            { _ = try environment.verify() }, { _ = try environment.restore() }, { try environment.backup() },
        ] {
            let error = #expect(throws: BackupError.self) { try operation() }
            #expect(error?.message.contains("version 2") == true)
        }
    }

    @Test
    func `a folder that is not empty, or in use, is refused and stays unchanged`() throws {
        let environment = try BackupEnvironment()
        try environment.append(1)
        try environment.backup()
        let files = try BackupEnvironment.files(in: environment.data)
        let running = #expect(throws: BackupError.self) { try environment.restore(to: "data") }
        #expect(running?.kind == .inUse)
        environment.close()
        let existing = #expect(throws: BackupError.self) { try environment.restore(to: "data") }
        #expect(existing?.kind == .unusable && existing?.message.contains("is not empty") == true)
        #expect(try BackupEnvironment.files(in: environment.data) == files)
        let empty = #expect(throws: BackupError.self) {
            try BackupRestoration(
                backup: environment.root + "/nothing",
                folder: environment.root + "/restored",
                attributes: BackupEnvironment.attributes
            ).run(at: BackupEnvironment.time(0))
        }
        #expect(empty?.kind == .missing)
    }

    @Test
    func `a damaged file or a full disk empties the folder again`() throws {
        let environment = try BackupEnvironment()
        try environment.append(20)
        let files = try environment.backup().manifest.files
        let full = FaultyStorage(DiskStorage())
        full.fail(.replace, with: .noSpace, after: 4)
        let noSpace = #expect(throws: BackupError.self) { try environment.restore(storage: full) }
        #expect(noSpace?.kind == .inputOutput && noSpace?.message.contains("was emptied again") == true)
        #expect(try BackupEnvironment.files(in: environment.root + "/restored").isEmpty)
        try Self.overwrite(environment.target + "/files/" + (files.last?.hash ?? ""), [1])
        let damaged = #expect(throws: BackupError.self) { try environment.restore() }
        #expect(damaged?.kind == .damaged)
        #expect(try BackupEnvironment.files(in: environment.root + "/restored").isEmpty)
        try environment.backup(isFull: true)
        try environment.restore()
    }

    @Test
    func `a restore killed at any step leaves a marker, and can be repeated`() throws {
        let environment = try BackupEnvironment()
        try environment.append(12)
        try environment.backup()
        let records = try BackupEnvironment.records(environment.data)
        var changes = 0
        while true {
            let name = "restored-\(changes)"
            let storage = KilledStorage(changes: changes)
            let isComplete: Bool
            do {
                try environment.restore(to: name, storage: storage)
                isComplete = true
            } catch {
                isComplete = false
                #expect(storage.isKilled)
                let folder = environment.root + "/" + name
                let isStarted = FileManager.default.fileExists(atPath: folder + "/intake")
                #expect(
                    !isStarted || FileManager.default.fileExists(atPath: folder + "/restoring.json"),
                    "after \(changes) changes"
                )
                try environment.restore(to: name)
            }
            let folder = environment.root + "/" + name
            #expect(try BackupEnvironment.records(folder) == records)
            #expect(!FileManager.default.fileExists(atPath: folder + "/restoring.json"))
            #expect(try !BackupEnvironment.files(in: folder).contains { $0.contains("~") })
            if isComplete { break }
            changes += 1
        }
        #expect(changes > 10)
    }

    @Test
    func `the backup of a restored folder continues the one that it was restored from, but no later one`() throws {
        let environment = try BackupEnvironment()
        try environment.append(20)
        try environment.backup()
        try environment.restore()
        let restored = { (target: String) in
            try BackupWriter(
                source: environment.root + "/restored",
                target: environment.root + "/" + target,
                program: "test",
                attributes: BackupEnvironment.attributes
            ).run(at: BackupEnvironment.time(0), randomUInt64: { 99 })
        }
        // The original folder continues, so the backup now has records that the restored folder lacks.
        try environment.append(20)
        try environment.backup()
        let refused = #expect(throws: BackupError.self) { try restored("backup") }
        #expect(refused?.message.contains("was restored from a backup") == true)
        #expect(try restored("other").manifest.records == 20)
        #expect(try restored("other").writtenFiles == 0)
    }
}
