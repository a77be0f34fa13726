// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit

/// Reads ZIP archives by their directory, as desktop programs do.
public enum ZipReader {
    /// An archive that cannot be read.
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    /// Returns the contents of all files by name.
    ///
    /// - Parameter offset: The position of the first byte in the archive's file.
    public static func files(in archive: [UInt8], offset: UInt64 = 0) throws -> [String: [UInt8]] {
        func number(_ place: Int, _ bytes: Int) throws -> UInt64 {
            guard place >= 0, place + bytes <= archive.count else { throw Failure(description: "no byte at \(place)") }
            return (0..<bytes).reduce(0) { $0 | UInt64(archive[place + $1]) << (8 * UInt64($1)) }
        }
        guard let end = archive.indices.reversed().first(where: { archive[$0...].starts(with: [0x50, 0x4b, 5, 6]) })
        else { throw Failure(description: "the archive has no end") }
        var (count, start) = (try number(end + 10, 2), try number(end + 16, 4))
        if count == 0xffff || start == 0xffff_ffff {
            guard try number(end - 20, 4) == 0x0706_4b50 else { throw Failure(description: "no locator") }
            let large = Int(try number(end - 12, 8) - offset)
            guard try number(large, 4) == 0x0606_4b50 else { throw Failure(description: "no ZIP64 end") }
            (count, start) = (try number(large + 32, 8), try number(large + 48, 8))
        }
        var files: [String: [UInt8]] = [:]
        var place = Int(start - offset)
        for _ in 0..<count {
            guard try number(place, 4) == 0x0201_4b50 else { throw Failure(description: "no entry at \(place)") }
            let (checksum, compressed) = (try number(place + 16, 4), Int(try number(place + 20, 4)))
            let (size, name) = (try number(place + 24, 4), Int(try number(place + 28, 2)))
            let (extra, comment) = (Int(try number(place + 30, 2)), Int(try number(place + 32, 2)))
            var header = try number(place + 42, 4)
            if header == 0xffff_ffff { header = try number(place + 46 + name + 4, 8) }
            let local = Int(header - offset)
            guard try number(local, 4) == 0x0403_4b50 else { throw Failure(description: "no file at \(local)") }
            let content = local + 30 + Int(try number(local + 26, 2)) + Int(try number(local + 28, 2))
            guard try number(content + compressed, 4) == 0x0807_4b50,
                try number(content + compressed + 4, 4) == checksum,
                try number(content + compressed + 8, 4) == UInt64(compressed),
                try number(content + compressed + 12, 4) == size
            else { throw Failure(description: "the descriptor at \(content + compressed) differs from the directory") }
            // As a gzip member, the content is checked against the checksum and the size.
            var member: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
            member += archive[content..<content + compressed]
            withUnsafeBytes(of: UInt32(checksum).littleEndian) { member += $0 }
            withUnsafeBytes(of: UInt32(size).littleEndian) { member += $0 }
            let path = String(decoding: archive[(place + 46)..<(place + 46 + name)], as: UTF8.self)
            guard files[path] == nil else { throw Failure(description: "\(path) occurs twice") }
            files[path] = try Gzip.inflate(
                member,
                limits: InflateLimits(wireBytes: 1 << 30, inflatedBytes: 1 << 30, ratio: 2_000)
            )
            place += 46 + name + extra + comment
        }
        return files
    }

    /// Returns the rows of a JSON file of an export.
    public static func rows(_ file: [UInt8]?) throws -> [JSONValue] {
        guard let file else { throw Failure(description: "the file is missing") }
        let json = try JSONValue.parse(file, limits: JSONLimits(bytes: 1 << 30))
        guard let rows = json.array else { throw Failure(description: "the file is not a list") }
        return rows
    }
}
