// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDestinationKit

@Suite("Compression in parts")
struct DeflateEncoderTests {
    /// Returns a gzip member around a raw stream, so that its checksum and its length are checked.
    private static func member(_ stream: [UInt8], of bytes: [UInt8]) -> [UInt8] {
        var checksum = CRC32()
        checksum.add(bytes)
        var member: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        member += stream
        for number in [checksum.value, UInt32(truncatingIfNeeded: bytes.count)] {
            withUnsafeBytes(of: number.littleEndian) { member += $0 }
        }
        return member
    }

    @Test(arguments: [0, 1, 1_000, 65_536, 500_000], [1, 7, 4_096, 1_000_000])
    func `streams written in parts can be read, one after the other`(_ count: Int, _ part: Int) throws {
        let encoder = try DeflateEncoder()
        for factor in [1, 167] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* factor &* $0) }
            var stream: [UInt8] = []
            for start in stride(from: 0, to: count, by: max(part, count / 200)) {
                encoder.encode(
                    Array(bytes[start..<min(count, start + max(part, count / 200))]),
                    isLast: false,
                    into: &stream
                )
            }
            encoder.encode([], isLast: true, into: &stream)
            let read = try Gzip.inflate(
                Self.member(stream, of: bytes),
                limits: InflateLimits(wireBytes: 1 << 24, inflatedBytes: 1 << 24, ratio: 2_000)
            )
            #expect(read == bytes)
        }
    }

    @Test
    func `the checksum of parts is that of the whole`() {
        // The check value in the catalog of checksums.
        var checksum = CRC32()
        for part in ["", "1234", "56789"] { checksum.add(Array(part.utf8)) }
        #expect(checksum.value == 0xcbf4_3926)
        #expect(CRC32().value == 0)
    }
}
