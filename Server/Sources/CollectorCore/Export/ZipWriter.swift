// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// Writes a ZIP archive in one pass, with constant memory.
///
/// The files are compressed. Their sizes follow their contents, because the sizes are not known beforehand, so nothing
/// is written twice. An archive that was cut off lacks its directory at the end, and programs refuse to open it.
/// Archives larger than 4 GiB have the extensions of ZIP64; a single file must be smaller.
public struct ZipWriter {
    /// The maximum uncompressed size of one file: 4 GiB − 1 byte.
    public static let maximumFileBytes = UInt64(UInt32.max)

    private struct Entry {
        var name: [UInt8]
        var offset: UInt64
        var checksum = CRC32()
        var bytes: UInt64 = 0
        var compressedBytes: UInt64 = 0
    }

    private let encoder: DeflateEncoder
    private let time: UInt32
    private var entries: [Entry] = []
    private var isOpen = false
    private var output: [UInt8] = []
    /// The number of bytes written before those in `output`.
    private var taken: UInt64

    /// Creates an archive without files.
    ///
    /// - Parameters:
    ///   - time: The time of all files, which is stored as UTC.
    ///   - offset: The position of the archive's first byte in its file.
    /// - Throws: ``GzipError`` if there is not enough memory.
    public init(time: Timestamp, offset: UInt64 = 0) throws(GzipError) {
        encoder = try DeflateEncoder()
        self.time = Self.dosTime(time)
        taken = offset
    }

    /// Returns the bytes written since the last call.
    public mutating func takeBytes() -> [UInt8] {
        defer { output = [] }
        taken += UInt64(output.count)
        return output
    }

    /// Begins a file; its contents follow.
    ///
    /// The previous file ends.
    ///
    /// - Parameter name: The name, at most 65,535 bytes.
    public mutating func begin(_ name: String) {
        end()
        let entry = Entry(name: Array(name.utf8.prefix(Int(UInt16.max))), offset: taken + UInt64(output.count))
        append(UInt32(0x0403_4b50))
        append(Self.version)
        append(Self.flags)
        append(Self.deflated)
        append(time)
        for _ in 0..<3 { append(UInt32(0)) }
        append(UInt16(entry.name.count))
        append(UInt16(0))
        output += entry.name
        entries.append(entry)
        isOpen = true
    }

    /// Adds bytes to the file that was begun last.
    ///
    /// Bytes beyond ``maximumFileBytes`` would make the archive unreadable, so the caller must begin another file
    /// first.
    ///
    /// - Complexity: O(bytes).
    public mutating func write(_ bytes: [UInt8]) {
        guard isOpen, let last = entries.indices.last else { return }
        entries[last].checksum.add(bytes)
        entries[last].bytes += UInt64(bytes.count)
        let before = output.count
        encoder.encode(bytes, isLast: false, into: &output)
        entries[last].compressedBytes += UInt64(output.count - before)
    }

    /// Ends the archive.
    ///
    /// - Parameter comment: A text at the very end of the archive, at most 65,535 bytes.
    public mutating func finish(comment: String = "") {
        end()
        let start = taken + UInt64(output.count)
        for entry in entries { writeDirectoryEntry(entry) }
        let size = taken + UInt64(output.count) - start
        if start >= UInt64(UInt32.max) || size >= UInt64(UInt32.max) || entries.count >= Int(UInt16.max) {
            writeLargeEnd(start: start, size: size)
        }
        append(UInt32(0x0605_4b50))
        append(UInt32(0))
        for _ in 0..<2 { append(UInt16(clamping: entries.count)) }
        append(UInt32(clamping: size))
        append(UInt32(clamping: start))
        let comment = Array(comment.utf8.prefix(Int(UInt16.max)))
        append(UInt16(comment.count))
        output += comment
    }

    /// Returns the comment of a complete archive from its last bytes.
    ///
    /// Nil if the archive was cut off.
    ///
    /// - Parameter tail: The last bytes of the file, at least 22 more than the comment has.
    public static func comment(ofArchiveEndingWith tail: [UInt8]) -> String? {
        guard tail.count >= 22 else { return nil }
        for start in stride(from: tail.count - 22, through: 0, by: -1) {
            guard tail[start..<start + 4].elementsEqual([0x50, 0x4b, 0x05, 0x06]) else { continue }
            let length = Int(tail[start + 20]) | Int(tail[start + 21]) << 8
            if start + 22 + length == tail.count { return String(decoding: tail[(start + 22)...], as: UTF8.self) }
        }
        return nil
    }

    // MARK: Parts

    private static let version: UInt16 = 20
    private static let largeVersion: UInt16 = 45
    private static let deflated: UInt16 = 8
    /// Sizes follow the contents, and names are UTF-8.
    private static let flags: UInt16 = 1 << 3 | 1 << 11
    /// A regular file that only its owner may read, as on Unix.
    private static let attributes: UInt32 = 0o100600 << 16

    private mutating func end() {
        guard isOpen, let last = entries.indices.last else { return }
        isOpen = false
        let before = output.count
        encoder.encode([], isLast: true, into: &output)
        entries[last].compressedBytes += UInt64(output.count - before)
        append(UInt32(0x0807_4b50))
        append(entries[last].checksum.value)
        append(UInt32(clamping: entries[last].compressedBytes))
        append(UInt32(clamping: entries[last].bytes))
    }

    private mutating func writeDirectoryEntry(_ entry: Entry) {
        let isLarge = entry.offset >= UInt64(UInt32.max)
        append(UInt32(0x0201_4b50))
        append(UInt16(3) << 8 | Self.largeVersion)
        append(isLarge ? Self.largeVersion : Self.version)
        append(Self.flags)
        append(Self.deflated)
        append(time)
        append(entry.checksum.value)
        append(UInt32(clamping: entry.compressedBytes))
        append(UInt32(clamping: entry.bytes))
        append(UInt16(entry.name.count))
        append(UInt16(isLarge ? 12 : 0))
        for _ in 0..<3 { append(UInt16(0)) }
        append(Self.attributes)
        append(UInt32(clamping: entry.offset))
        output += entry.name
        guard isLarge else { return }
        append(UInt16(1))
        append(UInt16(8))
        append(entry.offset)
    }

    private mutating func writeLargeEnd(start: UInt64, size: UInt64) {
        let place = start + size
        append(UInt32(0x0606_4b50))
        append(UInt64(44))
        append(UInt16(3) << 8 | Self.largeVersion)
        append(Self.largeVersion)
        append(UInt64(0))
        for _ in 0..<2 { append(UInt64(entries.count)) }
        append(size)
        append(start)
        append(UInt32(0x0706_4b50))
        append(UInt32(0))
        append(place)
        append(UInt32(1))
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { output += $0 }
    }

    /// Returns a time in the format of ZIP files, with a resolution of two seconds.
    private static func dosTime(_ time: Timestamp) -> UInt32 {
        let text = time.iso8601
        let digits = text.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.map { UInt32($0) - 48 }
        guard text.utf8.first != UInt8(ascii: "-"), digits.count >= 14 else { return 1 << 21 | 1 << 16 }
        func number(_ range: Range<Int>) -> UInt32 { digits[range].reduce(0) { $0 * 10 + $1 } }
        let year = number(0..<4)
        guard (1980...2107).contains(year) else { return 1 << 21 | 1 << 16 }
        let date = (year - 1980) << 9 | number(4..<6) << 5 | number(6..<8)
        return date << 16 | number(8..<10) << 11 | number(10..<12) << 5 | number(12..<14) / 2
    }
}
