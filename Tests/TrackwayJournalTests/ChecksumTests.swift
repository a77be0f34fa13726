// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CTrackway
import CZlib
import Testing

/// The checksum of frames, computed with processor instructions where available.
@Suite("Checksum")
struct ChecksumTests {
    /// An implementation and its name.
    struct Implementation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sum: @Sendable (UInt32, UnsafeRawBufferPointer) -> UInt32

        static let all = [
            Implementation(testDescription: "chosen") { ctrackway_crc32($0, $1.baseAddress, $1.count) },
            Implementation(testDescription: "table") { ctrackway_crc32_by_table($0, $1.baseAddress, $1.count) },
        ]
    }

    private static func zlib(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(
            truncatingIfNeeded: crc32_z(
                UInt(sum),
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                z_size_t(bytes.count)
            )
        )
    }

    private static func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    @Test(
        arguments: Implementation.all,
        [
            ("", 0), ("a", 0xE8B7_BE43), ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)]
    )
    func `known texts have their published checksums`(
        _ implementation: Implementation,
        _ vector: (text: String, sum: UInt32)
    ) {
        let sum = Array(vector.text.utf8).withUnsafeBytes { implementation.sum(0, $0) }
        #expect(sum == vector.sum)
    }

    @Test(arguments: Implementation.all)
    func `an empty buffer leaves the checksum unchanged, even with a null address`(_ implementation: Implementation) {
        #expect(implementation.sum(0x1234_5678, UnsafeRawBufferPointer(start: nil, count: 0)) == 0x1234_5678)
    }

    @Test(arguments: Implementation.all)
    func `every length up to 1025 at every alignment matches zlib's checksum`(_ implementation: Implementation) {
        randomBytes { bytes in
            var different: [String] = []
            for alignment in 0..<16 {
                for length in 0...1025 {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[alignment..<alignment + length])
                    let before = UInt32(truncatingIfNeeded: length &* 0x9E37_79B9)
                    if implementation.sum(0, part) != Self.zlib(0, part)
                        || implementation.sum(before, part) != Self.zlib(before, part)
                    {
                        different.append("\(length) bytes at \(alignment)")
                    }
                }
            }
            #expect(different == [])
        }
    }

    @Test(arguments: Implementation.all)
    func `a checksum computed in parts equals the checksum of the whole`(_ implementation: Implementation) {
        randomBytes { bytes in
            let whole = UnsafeRawBufferPointer(rebasing: bytes[..<1025])
            let expected = Self.zlib(0, whole)
            var different: [Int] = []
            for cut in 0...1025 {
                let first = implementation.sum(0, UnsafeRawBufferPointer(rebasing: whole[..<cut]))
                if implementation.sum(first, UnsafeRawBufferPointer(rebasing: whole[cut...])) != expected {
                    different.append(cut)
                }
            }
            #expect(different == [])
        }
    }

    @Test(arguments: Implementation.all)
    func `a megabyte matches zlib's checksum`(_ implementation: Implementation) {
        Self.randomBytes(1 << 20, seed: 3).withUnsafeBytes { #expect(implementation.sum(7, $0) == Self.zlib(7, $0)) }
    }

    /// Calls `body` with random bytes aligned to 16 bytes.
    private func randomBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: Self.randomBytes(2048, seed: 1))
        body(UnsafeRawBufferPointer(bytes))
    }
}
