// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

struct MalformedBodyTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var body: [UInt8]
        var encoding = ContentEncoding.identity
        var kind: AdmissionError.Kind
        var code: String

        init(
            _ name: String,
            _ body: [UInt8],
            _ kind: AdmissionError.Kind,
            _ code: String,
            _ encoding: ContentEncoding = .identity
        ) {
            testDescription = name
            self.body = body
            self.encoding = encoding
            self.kind = kind
            self.code = code
        }
    }

    private static let gzip = GzipCompressor().compress(Body.lines(Body.event(1), Body.event(2)))
    private static let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    private static let many = (0..<300).map { "\"a\($0)\":1" }.joined(separator: ",")

    static let cases: [Case] = [
        Case("nothing", [], .malformed, "empty_batch"),
        Case("blank lines", Array("\n \n".utf8), .malformed, "empty_batch"),
        Case("text that is not JSON", Array("hello".utf8), .malformed, "malformed"),
        Case("an unterminated object", Array(#"{"name":"a""#.utf8), .malformed, "malformed"),
        Case("an unterminated array", Array(#"[{"name":"a"},"#.utf8), .malformed, "malformed_json"),
        Case("text after an array", Array(#"[{"name":"a"}] x"#.utf8), .malformed, "malformed_json"),
        Case(
            "bytes that are not UTF-8",
            Array(#"{"name":"a"#.utf8) + [0xff, 0xfe] + Array("\"}".utf8),
            .malformed,
            "malformed"
        ),
        Case("a number with a leading zero", Array(#"{"name":"a","time":01}"#.utf8), .malformed, "malformed"),
        Case("gzip that is not declared", gzip, .malformed, "wrong_encoding"),
        Case("plain text declared as gzip", Body.lines(Body.event(1)), .malformed, "gzip_damaged", .gzip),
        Case("truncated gzip", Array(gzip.dropLast(9)), .malformed, "gzip_truncated", .gzip),
        Case("gzip with a wrong checksum", flipped(gzip), .malformed, "gzip_damaged", .gzip),
        Case(
            "a gzip bomb",
            GzipCompressor(level: 9).compress([UInt8](repeating: 32, count: 20 << 20)),
            .tooLarge,
            "gzip_ratio_too_high",
            .gzip
        ),
        Case("too many bytes inflated", large(), .tooLarge, "gzip_inflated_too_large", .gzip),
        Case("too many bytes on the wire", [UInt8](repeating: 32, count: 1 << 20 + 1), .tooLarge, "wire_too_large"),
        Case(
            "too many events",
            Array(String(repeating: "{\"name\":\"a\"}\n", count: 1_001).utf8),
            .tooLarge,
            "too_many_events"
        ),
        Case(
            "an event nested too deeply",
            Body.lines(Body.event(1, attributes: "{\"a\":\(deep)}")),
            .malformed,
            "too_deep"
        ),
        Case(
            "an event with too many attributes",
            Body.lines(Body.event(1, attributes: "{\(many)}")),
            .malformed,
            "too_many_attributes"
        ),
        Case(
            "an event that is too large",
            Body.lines(#"{"name":"a","x":"\#(String(repeating: "y", count: 70_000))"}"#),
            .tooLarge,
            "event_too_large"
        ),
        Case("an event without a name", Array(#"{"id":null}"#.utf8), .malformed, ""),
        Case("an invalid header", Body.lines(#"{"batch":7}"#, Body.event(1)), .malformed, "malformed_header"),
        Case(
            "sequence numbers without a writer",
            Body.lines(#"{"batch":{"id":"b","first":1,"last":1}}"#, Body.event(1)),
            .malformed,
            "malformed_header"
        ),
        Case("an invalid context", Body.lines(#"{"context":[1]}"#, Body.event(1)), .malformed, "malformed_context"),
    ]

    @Test(arguments: cases)
    func `a malformed body is rejected with a code and a message`(_ body: Case) throws {
        let error = try #require(throws: AdmissionError.self) {
            try Body.admit(body.body, encoding: body.encoding)
        }
        #expect(error.kind == body.kind)
        if body.code.isEmpty { #expect(!error.code.isEmpty) } else { #expect(error.code == body.code) }
        #expect(error.message.hasSuffix("."))
    }

    @Test
    func `no prefix of a body causes a trap, and every prefix gets a verdict`() {
        let body = Body.lines(Body.header(1, 2), #"{"context":{"a":1}}"#, Body.event(1), Body.event(2))
        for length in 0..<body.count {
            for encoding in [ContentEncoding.identity, .gzip] {
                do throws(AdmissionError) {
                    let batch = try Body.admit(Array(body.prefix(length)), encoding: encoding)
                    #expect(batch.accepted + batch.rejected.count <= 2)
                } catch {
                    #expect(!error.code.isEmpty)
                }
            }
        }
    }

    @Test
    func `the record of a rejected body contains the reason and the beginning of the body`() throws {
        let error = AdmissionError(.malformed, code: "c", field: "f", message: "Because “it” is.")
        let body = Array("not JSON\nat all".utf8)
        let bytes = QuarantineRecord.bytes(
            error,
            body: body.prefix(8),
            bodyBytes: body.count,
            key: "shop",
            received: Body.received
        )
        let record = try bytes.withUnsafeBytes { try QuarantineRecord(payload: $0) }
        #expect(record.code == "c" && record.field == "f" && record.message == error.message && record.key == "shop")
        #expect(record.received == Body.received && record.bodyBytes == 15)
        #expect(record.body == Array("not JSON".utf8))
    }

    private static func flipped(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[bytes.count - 6] ^= 1
        return bytes
    }

    /// Returns ten megabytes, compressed at an unsuspicious ratio.
    private static func large() -> [UInt8] {
        var random: UInt64 = 42
        var body: [UInt8] = []
        while body.count < 10 << 20 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            body += Array(repeating: UInt8(truncatingIfNeeded: random >> 56), count: 100)
        }
        return GzipCompressor(level: 1).compress(body)
    }
}
