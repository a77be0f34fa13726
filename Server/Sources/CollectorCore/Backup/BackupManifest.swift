// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// A file of a backup.
public struct BackupFile: Sendable, Hashable {
    /// The path in the collector's folder, such as `intake/00000001.segment`.
    public var path: String
    /// The number of bytes that the backup contains.
    public var bytes: Int
    /// The SHA-256 of these bytes, as 64 hexadecimal digits.
    public var hash: String
    /// The attributes of the original file when it was copied.
    public var original: FileAttributes
    /// The content of a log segment; nil for other files.
    public var segment: BackupSegment?

    /// Creates a description of a file.
    init(path: String, bytes: Int, hash: String, original: FileAttributes, segment: BackupSegment? = nil) {
        self.path = path
        self.bytes = bytes
        self.hash = hash
        self.original = original
        self.segment = segment
    }
}

/// The content of a log segment in a backup.
public struct BackupSegment: Sendable, Hashable {
    /// The number of records.
    public var records: Int
    /// The number of damaged ranges that were found in the original file.
    public var damaged: Int
    /// The position after the last record.
    public var end: LogPosition
    /// When the last batch of the segment arrived; nil without a batch.
    public var lastReceived: Timestamp?
    /// Whether the collector might have appended more records to the segment.
    public var isOpen: Bool
}

/// The list of a backup's files, with their sizes and hashes.
public struct BackupManifest: Sendable, Hashable {
    /// The version of the format.
    public static let version: Int64 = 1
    /// The maximum size of a manifest in bytes.
    static let maximumBytes = 64 << 20

    /// The id of this backup: 16 hexadecimal digits, different for each run.
    public var id: String
    /// When the backup was made.
    public var created: Timestamp
    /// The version of the program that made the backup.
    public var program: String
    /// The fingerprint of the collector's erasure key; empty without a key.
    public var collector: String
    /// The id of the backup from which the collector's folder was restored; nil if it was not.
    public var restoredFrom: String?
    /// The files, by path.
    public var files: [BackupFile]

    /// The position after the last record that the backup contains.
    public var end: LogPosition { files.compactMap { $0.segment?.end }.max() ?? .start }

    /// When the last batch arrived that the backup contains; nil without a batch.
    public var lastReceived: Timestamp? { files.last { $0.segment?.lastReceived != nil }?.segment?.lastReceived }

    /// The number of log records that the backup contains.
    public var records: Int { files.reduce(0) { $0 + ($1.segment?.records ?? 0) } }

    /// The number of bytes of all files.
    public var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// The manifest as JSON: one file per line, and in the last line the SHA-256 of everything before.
    public var json: [UInt8] {
        let body = JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("version", Self.version)
            writer.member("id", id)
            writer.member("created", created)
            writer.member("program", program)
            writer.member("collector", collector)
            if let restoredFrom { writer.member("restored_from", restoredFrom) }
            writer.member("end", end.description)
            writer.list("files", files) { file, writer in
                writer.raw([UInt8(ascii: "\n")])
                Self.write(file, to: &writer)
            }
            return writer.array()
        }
        return body + Array(",\n\"sha256\":\"\(Self.digest(body))\"}\n".utf8)
    }

    /// Returns the SHA-256 of bytes as 64 hexadecimal digits.
    static func digest(_ bytes: [UInt8]) -> String { HexadecimalText.encode(SHA256.hash(bytes)) }

    private static func write(_ file: BackupFile, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("path", file.path)
        writer.member("bytes", Int64(file.bytes))
        writer.member("sha256", file.hash)
        writer.member("inode", file.original.inode)
        writer.member("size", Int64(file.original.bytes))
        writer.member("modified", file.original.modified)
        if let segment = file.segment {
            writer.object("segment") { writer in
                writer.member("records", Int64(segment.records))
                writer.member("damaged", Int64(segment.damaged))
                writer.member("end", segment.end.description)
                if let received = segment.lastReceived { writer.member("last_received", received) }
                writer.member("open", segment.isOpen)
            }
        }
        writer.endObject()
    }
}

extension BackupManifest {
    /// Reads a manifest.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - path: The file, for error messages.
    /// - Throws: ``BackupError`` `damaged`.
    public init(json bytes: [UInt8], path: String) throws(BackupError) {
        func damage(_ reason: String) -> BackupError {
            BackupError(
                .damaged,
                "\(path) is damaged: \(reason)",
                remedy: "use another backup; to make a new one here, empty the folder first"
            )
        }
        let json: JSONValue
        do {
            json = try JSONValue.parse(bytes, limits: JSONLimits(bytes: Self.maximumBytes, depth: 8))
        } catch {
            throw damage("\(error)")
        }
        guard let version = json["version"]?.integer else { throw damage("the member “version” is missing") }
        guard version == Self.version else {
            throw BackupError(
                .damaged,
                "\(path) has version \(version), but this program reads only version \(Self.version)",
                remedy: "use the version of trackway that made the backup, or a newer one"
            )
        }
        let tail = Array(",\n\"sha256\":\"".utf8)
        guard let hash = json["sha256"]?.string, bytes.count > tail.count + hash.utf8.count + 3,
            Self.digest(Array(bytes.dropLast(tail.count + hash.utf8.count + 3))) == hash
        else { throw damage("its checksum does not match") }
        guard let id = json["id"]?.string, Self.isIdentifier(id) else { throw damage("the member “id” is invalid") }
        guard let created = json["created"]?.integer, let program = json["program"]?.string,
            let collector = json["collector"]?.string, let rows = json["files"]?.array
        else { throw damage("a member is missing") }
        var files: [BackupFile] = []
        files.reserveCapacity(rows.count)
        for row in rows {
            guard let file = BackupFile(json: row) else {
                throw damage("the entry of “\(row["path"]?.string ?? "")” is invalid")
            }
            // Paths are unique and ordered, so no file overwrites another one.
            if let last = files.last, last.path >= file.path { throw damage("“\(file.path)” is out of order") }
            files.append(file)
        }
        self.init(
            id: id,
            created: Timestamp(milliseconds: created),
            program: program,
            collector: collector,
            restoredFrom: json["restored_from"]?.string,
            files: files
        )
    }

    static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 16 && HexadecimalText.decode(text) != nil
    }
}

extension BackupFile {
    /// Reads an entry of a manifest; nil if it is invalid.
    fileprivate init?(json: JSONValue) {
        guard let path = json["path"]?.string, Self.isSafe(path),
            let bytes = json["bytes"]?.integer, bytes >= 0,
            let hash = json["sha256"]?.string, hash.utf8.count == 64, HexadecimalText.decode(hash) != nil,
            let inode = json["inode"]?.integer, let size = json["size"]?.integer,
            let modified = json["modified"]?.integer
        else { return nil }
        self.init(
            path: path,
            bytes: Int(clamping: bytes),
            hash: hash,
            original: FileAttributes(kind: .file, inode: inode, bytes: Int(clamping: size), modified: modified)
        )
        guard let segment = json["segment"] else { return }
        guard let records = segment["records"]?.integer, records >= 0,
            let damaged = segment["damaged"]?.integer, let isOpen = segment["open"]?.boolean,
            let end = segment["end"]?.string.flatMap({ LogPosition($0) })
        else { return nil }
        self.segment = BackupSegment(
            records: Int(clamping: records),
            damaged: Int(clamping: damaged),
            end: end,
            lastReceived: segment["last_received"]?.integer.map { Timestamp(milliseconds: $0) },
            isOpen: isOpen
        )
    }

    /// Whether a path stays inside the folder that it is restored to.
    private static func isSafe(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count <= 8 && path.utf8.count <= 1_000 && !path.utf8.contains(0)
            && parts.allSatisfy { part in
                !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
            }
    }
}
