// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDestinationKit
internal import TrackwayTesting

@Suite("Gzip")
struct GzipTests {
    // The output of `gzip -n -9` for "hello".
    static let hello: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x86,
        0xa6,
        0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
    ]

    @Test
    func `a body compressed by another program is read`() throws {
        #expect(try Gzip.inflate(Self.hello) == Array("hello".utf8))
    }

    @Test
    func `concatenated members are one body`() throws {
        let environment = GzipCompressor().compress(Array(", world".utf8))
        #expect(try Gzip.inflate(Self.hello + environment) == Array("hello, world".utf8))
        let many = Array(repeating: Self.hello, count: 300).flatMap { $0 }
        #expect(try Gzip.inflate(many).count == 1_500)
    }

    @Test(arguments: [0, 1, 2, 63, 64, 65, 4_096, 65_535, 65_536, 1_000_000])
    func `compressed bytes inflate to the original`(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x0f) }
        let compressor = GzipCompressor()
        for _ in 0..<3 {
            let wire = compressor.compress(bytes)
            #expect(try Gzip.inflate(wire, limits: InflateLimits(wireBytes: .max)) == bytes)
        }
    }

    @Test(arguments: -1...10)
    func `every level inflates to the same body`(level: Int) throws {
        let bytes = Array(String(repeating: "{\"name\":\"view_item\",\"value\":19.99}\n", count: 50).utf8)
        let compressor = GzipCompressor(level: level)
        #expect((1...9).contains(compressor.level))
        #expect(try Gzip.inflate(compressor.compress(bytes)) == bytes)
    }

    @Test
    func `a body cut off anywhere is reported as truncated`() {
        let wire = GzipCompressor().compress(Array("some text, some more text".utf8))
        for count in 0..<wire.count {
            #expect(throws: GzipError(.truncated)) { try Gzip.inflate(Array(wire[..<count])) }
        }
    }

    @Test
    func `a body with any single flipped bit is never inflated to a different body`() {
        let bytes = Array("some text, some more text, and a few numbers: 1 2 3 4 5".utf8)
        let wire = GzipCompressor().compress(bytes)
        for bit in 0..<wire.count * 8 {
            var damaged = wire
            damaged[bit / 8] ^= 1 << (bit % 8)
            // Some header bits (time, system) do not affect the content.
            let inflated = try? Gzip.inflate(damaged)  // Rejection is as good as the right content.
            #expect(inflated == nil || inflated == bytes)
        }
    }

    @Test(arguments: [[0], [0x1f], [0x1f, 0x8c], Array("<html>".utf8)] as [[UInt8]])
    func `bytes after the body are rejected`(garbage: [UInt8]) {
        #expect(throws: GzipError(.trailingGarbage)) { try Gzip.inflate(Self.hello + garbage) }
    }

    @Test(arguments: ["hello", "{\"events\":[]}", "\u{1}\u{2}\u{3}"])
    func `data that is not gzip is reported as damaged`(text: String) {
        #expect(throws: GzipError(.damaged)) { try Gzip.inflate(Array(text.utf8)) }
    }

    @Test
    func `the limit on compressed bytes is exact`() throws {
        var limits = InflateLimits(wireBytes: Self.hello.count)
        #expect(try Gzip.inflate(Self.hello, limits: limits).count == 5)
        limits.wireBytes -= 1
        #expect(throws: GzipError(.wireTooLarge, limit: limits.wireBytes)) {
            try Gzip.inflate(Self.hello, limits: limits)
        }
    }

    @Test(arguments: [5, 100_000])
    func `the limit on the inflated body is exact, and a false trailer is rejected`(count: Int) throws {
        let bytes = [UInt8](repeating: 7, count: count)
        var wire = GzipCompressor().compress(bytes)
        let limits = InflateLimits(inflatedBytes: count, ratio: 2_000)
        #expect(try Gzip.inflate(wire, limits: limits) == bytes)
        let less = InflateLimits(inflatedBytes: count - 1, ratio: 2_000)
        #expect(throws: GzipError(.inflatedTooLarge, limit: count - 1)) { try Gzip.inflate(wire, limits: less) }
        wire[wire.count - 4] ^= 0xff
        #expect(throws: GzipError.self) { try Gzip.inflate(wire, limits: less) }
    }

    @Test
    func `the ratio limit stops a decompression bomb before it is large`() {
        let bomb = GzipCompressor(level: 9).compress([UInt8](repeating: 0, count: 4_000_000))
        #expect(throws: GzipError(.ratioTooHigh, limit: 100)) { try Gzip.inflate(bomb) }
    }

    @Test
    func `a decompression bomb of many small members is stopped too`() {
        let member = GzipCompressor(level: 9).compress([UInt8](repeating: 0, count: 400_000))
        let bomb = Array(repeating: member, count: 100).flatMap { $0 }
        #expect(throws: GzipError(.ratioTooHigh, limit: 100)) { try Gzip.inflate(bomb) }
    }
}
