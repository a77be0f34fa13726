// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore

@Suite("Sealed identifiers")
struct SealedBytesTests {
    private static let key = ErasureKey(randomUInt64: { 7 })

    private static func json(_ sealed: SealedBytes) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            sealed.write(to: &writer)
            writer.endObject()
            return writer.array()
        }
    }

    @Test(arguments: [0, 1, 31, 32, 33, 1_000])
    func `sealed bytes are read with the same key, and do not contain the content`(_ count: Int) throws {
        let content = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        let bytes = Self.json(SealedBytes(content, with: Self.key) { 9 })
        let sealed = try #require(SealedBytes(json: try JSONValue.parse(bytes)))
        #expect(sealed.open(with: Self.key) == content)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("aaaaaaaaa"))
        #expect(sealed.open(with: ErasureKey(randomUInt64: { 8 })) == nil)
    }

    @Test
    func `changed bytes are not read, and equal contents differ when sealed`() throws {
        var number: UInt64 = 0
        let sealed = [0, 1].map { _ in
            Self.json(
                SealedBytes(Array("anna".utf8), with: Self.key) {
                    number += 1
                    return number
                }
            )
        }
        #expect(sealed[0] != sealed[1])
        let text = String(decoding: sealed[0], as: UTF8.self)
        let start = try #require(text.range(of: "\"sealed\":\"")).upperBound
        let digit = text[start] == "0" ? "1" : "0"
        let changed = text.replacingCharacters(in: start..<text.index(after: start), with: digit)
        let json = try JSONValue.parse(Array(changed.utf8))
        #expect(try #require(SealedBytes(json: json)).open(with: Self.key) == nil)
        #expect(SealedBytes(json: .null) == nil)
    }

    @Test
    func `what was removed from a record survives being stored with it`() throws {
        var counts = ErasedCounts()
        (counts.records, counts.events, counts.sharedEvents, counts.rejected) = (1, 5, 2, 3)
        let rewrite = RecordRewrite(erasure: "1-abc", counts: counts)
        #expect(RecordRewrite(rewrite.text) == rewrite)
        #expect(RecordRewrite("{}") == nil && RecordRewrite("no JSON") == nil)
    }
}
