// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import Testing
internal import TrackwayCore

/// Compares with bytes that ClickHouse 18.16 and 26.9 wrote with `SELECT … FORMAT RowBinary`.
@Suite("RowBinary format")
struct RowBinaryTests {
    @Test
    func `signed and unsigned integers are little-endian`() {
        var rows = RowBinary()
        rows.integer(-2)
        rows.unsigned(258)
        rows.short(65_536)
        rows.byte(7)
        #expect(
            rows.bytes == [0xfe, 255, 255, 255, 255, 255, 255, 255] + [2, 1, 0, 0, 0, 0, 0, 0] + [0, 0, 1, 0] + [7]
        )
    }

    @Test(arguments: [0, 1, 127, 128, 300, 16_384, 2_097_152])
    func `a text is preceded by its length, with seven bits per byte`(length: Int) {
        var rows = RowBinary()
        rows.string(String(repeating: "x", count: length))
        let heads: [Int: [UInt8]] = [
            0: [0], 1: [1], 127: [0x7f], 128: [0x80, 0x01], 300: [0xac, 0x02], 16_384: [0x80, 0x80, 0x01],
            2_097_152: [0x80, 0x80, 0x80, 0x01],
        ]
        #expect(rows.bytes == (heads[length] ?? []) + [UInt8](repeating: UInt8(ascii: "x"), count: length))
    }

    @Test
    func `the length of a text with multibyte characters is in bytes`() {
        var rows = RowBinary()
        rows.string("né")
        #expect(rows.bytes == [3, 0x6e, 0xc3, 0xa9])
    }

    @Test
    func `an id is sixteen bytes in the order of its text form, and a missing id is sixteen zeros`() throws {
        var rows = RowBinary()
        let id = try #require(EventID("00010203-0405-0607-0809-0a0b0c0d0e0f"))
        rows.id(id)
        rows.missingID()
        #expect(rows.bytes == Array(0...15) + [UInt8](repeating: 0, count: 16))
        let read = try #require(RowBinary.ids(rows.bytes))
        #expect(read.map { EventID(high: $0.high, low: $0.low) } == [id, EventID(high: 0, low: 0)])
        #expect(RowBinary.ids(Array(rows.bytes.dropLast())) == nil)
    }
}
