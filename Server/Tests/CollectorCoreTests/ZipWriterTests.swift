// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@Suite("ZIP archives")
struct ZipWriterTests {
    private static let time = Timestamp(milliseconds: 1_764_500_000_000)

    /// Returns bytes that compress badly.
    private static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    private static func archive(_ files: [(String, [[UInt8]])], offset: UInt64 = 0, comment: String = "") throws
        -> [UInt8]
    {
        var writer = try ZipWriter(time: time, offset: offset)
        var bytes: [UInt8] = []
        for (name, parts) in files {
            writer.begin(name)
            for part in parts {
                writer.write(part)
                bytes += writer.takeBytes()
            }
        }
        writer.finish(comment: comment)
        return bytes + writer.takeBytes()
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 1_000_000])
    func `a file has its contents, whether or not they can be compressed`(_ count: Int) throws {
        let files = [
            ("noise.bin", [Self.noise(count)]), ("zeros", [[UInt8](repeating: 0, count: count)]), ("empty.txt", []),
            ("ünïcode ☃/parts", [Self.noise(count / 3), [], Self.noise(count / 2, seed: 2)]),
        ]
        let read = try ZipReader.files(in: try Self.archive(files))
        #expect(read.count == files.count)
        for (name, parts) in files { #expect(read[name] == parts.flatMap(\.self), "\(name)") }
    }

    @Test
    func `an archive without files can be read`() throws {
        let archive = try Self.archive([])
        #expect(archive.count == 22)
        #expect(try ZipReader.files(in: archive).isEmpty)
        #expect(ZipWriter.comment(ofArchiveEndingWith: archive) == "")
    }

    @Test(arguments: [UInt64(UInt32.max) - 10, UInt64(UInt32.max) + 7, 1 << 40])
    func `an archive beyond 4 GiB can be read`(_ offset: UInt64) throws {
        let files = [("a", [Self.noise(100)]), ("b", [Self.noise(5_000, seed: 3)])]
        let read = try ZipReader.files(in: try Self.archive(files, offset: offset), offset: offset)
        #expect(read["a"] == Self.noise(100) && read["b"] == Self.noise(5_000, seed: 3))
    }

    @Test
    func `an archive with more than 65,535 files can be read`() throws {
        let files = (0..<65_540).map { ("f\($0)", [[UInt8]]()) }
        #expect(try ZipReader.files(in: try Self.archive(files)).count == 65_540)
    }

    @Test
    func `an archive truncated at any byte has no comment`() throws {
        let archive = try Self.archive([("a", [Self.noise(300)]), ("b", [])], comment: #"{"events":3}"#)
        #expect(ZipWriter.comment(ofArchiveEndingWith: archive) == #"{"events":3}"#)
        for length in archive.indices {
            #expect(ZipWriter.comment(ofArchiveEndingWith: Array(archive.prefix(length))) == nil, "\(length)")
        }
    }

    @Test
    func `the end of a contained archive is not mistaken for the end`() throws {
        let inner = try Self.archive([], comment: "inner")
        let archive = try Self.archive([("inner.zip", [inner])], comment: "outer")
        #expect(ZipWriter.comment(ofArchiveEndingWith: archive) == "outer")
    }

    @Test(arguments: [
        (Int64(1_764_500_001_000), "2025-11-30T10:53:20"), (-1, "1980-01-01T00:00:00"), (.max, "1980-01-01T00:00:00"),
        (4_354_819_198_000, "2107-12-31T23:59:58"),
    ])
    func `files have the archive's time, or the earliest one if it cannot be written`(
        _ milliseconds: Int64,
        _ text: String
    ) throws {
        var writer = try ZipWriter(time: Timestamp(milliseconds: milliseconds))
        writer.begin("a")
        let bytes = writer.takeBytes()
        let (time, date) = (Int(bytes[10]) | Int(bytes[11]) << 8, Int(bytes[12]) | Int(bytes[13]) << 8)
        let day = [(date >> 9) + 1_980, (date >> 5) & 15, date & 31]
        #expect(day + [time >> 11, (time >> 5) & 63, (time & 31) * 2] == Self.numbers(text))
    }

    private static func numbers(_ text: String) -> [Int] {
        text.split { !$0.isNumber }.compactMap { Int($0) }
    }
}
