// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

@testable import CollectorCore

/// A collector's folder with a log, and a folder for its backup.
final class BackupEnvironment {
    let root: String
    /// The collector's folder.
    let data: String
    /// The folder of the backup.
    let target: String
    private(set) var log: SegmentedLog?
    private var count = 0
    /// The number of backups, which is the id of the last one.
    private let ids = Locked(UInt64(0))

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "trackway-backup-\(UUID().uuidString)").path
        (data, target) = (root + "/data", root + "/backup")
        try DiskStorage().makeFolder(data + "/erasures")
        try write("erasure-key", ErasureKey(randomUInt64: { 7 }).text + "\n")
        try write("keys", "a key\n")
        try write("boards.json", "{}\n")
        try open()
    }

    deinit {
        log?.close()
        // A leftover folder in the system's temporary folder is harmless.
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Opens the log; its segments hold a few records.
    func open() throws {
        log?.close()
        log = try SegmentedLog(folder: data + "/intake", options: LogOptions(segmentBytes: 4096))
    }

    /// Closes the log, as when the collector ends.
    func close() {
        log?.close()
        log = nil
    }

    /// Appends records with the texts `event-1-q`, `event-2-q` and so on.
    func append(_ number: Int) throws {
        for _ in 0..<number {
            count += 1
            var header = IntakeHeader(received: Self.time(count), key: "dev", encoding: .identity)
            header.client = nil
            let body = Array(#"{"name":"event-\#(count)-q","padding":"\#(String(repeating: "x", count: 400))"}"#.utf8)
            let record = body.withUnsafeBytes { IntakeRecord.bytes(header, body: $0) }
            try record.withUnsafeBytes { bytes in _ = try log?.append(kind: .intake, payload: bytes) }
        }
    }

    static func time(_ number: Int) -> Timestamp { Timestamp(milliseconds: 1_795_000_000_000 + Int64(number)) }

    /// Writes a file of the collector.
    func write(_ name: String, _ text: String) throws {
        try DiskStorage().replace(data + "/" + name, with: Array(text.utf8), durably: false)
    }

    /// Replaces an event's text with another one of the same length, as an erasure does.
    func rewrite(_ segment: UInt32, _ text: String, with other: String) throws {
        let rewriter = SegmentRewriter(folder: data + "/intake")
        let isChanged = try rewriter.rewrite(
            segment,
            replacement: { entry, payload in
                let old = String(decoding: payload, as: UTF8.self)
                guard old.contains(text) else { return nil }
                return .init(kind: entry.kind, payload: Array(old.replacing(text, with: other).utf8))
            },
            willReplace: {}
        )
        #expect(isChanged)
    }

    func writer(
        isFull: Bool = false,
        storage: any JournalStorage = DiskStorage(),
        attributes: @escaping @Sendable (String) -> FileAttributes? = BackupEnvironment.attributes
    ) -> BackupWriter {
        BackupWriter(
            source: data,
            target: target,
            program: "test",
            isFull: isFull,
            storage: storage,
            attributes: attributes
        )
    }

    /// Makes a backup.
    @discardableResult
    func backup(isFull: Bool = false, storage: any JournalStorage = DiskStorage()) throws -> BackupWriter.Report {
        try writer(isFull: isFull, storage: storage).run(
            at: Self.time(0),
            randomUInt64: {
                ids.withLock {
                    $0 += 1; return $0
                }
            }
        )
    }

    /// Restores the backup.
    @discardableResult
    func restore(to name: String = "restored", storage: any JournalStorage = DiskStorage()) throws -> BackupManifest {
        let restoration = BackupRestoration(
            backup: target,
            folder: root + "/" + name,
            storage: storage,
            attributes: Self.attributes
        )
        return try restoration.run(at: Self.time(0))
    }

    func verify() throws -> BackupVerification.Report { try BackupVerification(folder: target).run() }

    @Sendable
    static func attributes(_ path: String) -> FileAttributes? {
        // A missing file has no attributes.
        guard let found = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        let seconds = (found[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return FileAttributes(
            kind: found[.type] as? FileAttributeType == .typeDirectory ? .folder : .file,
            inode: (found[.systemFileNumber] as? NSNumber)?.int64Value ?? 0,
            bytes: (found[.size] as? NSNumber)?.intValue ?? 0,
            modified: Int64(seconds * 1e9)
        )
    }

    /// Returns the payloads of all records of a log.
    static func records(_ folder: String) throws -> [String] {
        var reader = LogReader(folder: folder + "/intake")
        var records: [String] = []
        while let entry = try reader.next() {
            if entry.kind == .intake { records.append(String(decoding: reader.payload(of: entry), as: UTF8.self)) }
        }
        return records
    }

    /// Returns the files below a folder that contain a text.
    static func files(in folder: String, with text: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
            FileManager.default.contents(atPath: folder + "/" + name)?.range(of: Data(text.utf8)) != nil
        }
    }

    /// Returns the names of all files below a folder, without the folders.
    static func files(in folder: String) throws -> Set<String> {
        Set(
            try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
                attributes(folder + "/" + $0)?.kind == .file
            }
        )
    }
}
