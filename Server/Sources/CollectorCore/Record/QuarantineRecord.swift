// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The intake log's record of a batch rejected as a whole.
///
/// Its frames have the kind `quarantine`.
///
/// The record consists of a header line with the reason, and the body as received, truncated.
public struct QuarantineRecord: Sendable, Hashable {
    /// When the body arrived, by the collector's clock.
    public var received: Timestamp
    /// The name of the request's key.
    public var key: String
    /// The code of the reason.
    public var code: String
    /// The invalid field; empty if the whole body is invalid.
    public var field: String
    /// The reason as a human-readable sentence.
    public var message: String
    /// The encoding of a body in our own format.
    ///
    /// Nil for other formats, and for records of earlier versions that did not store it.
    public var encoding: ContentEncoding?
    /// The size of the body as received, in bytes, before truncation.
    public var bodyBytes: Int
    /// The beginning of the body as received.
    public var body: [UInt8]

    /// Returns the record's bytes.
    ///
    /// - Parameters:
    ///   - body: The part of the body to store.
    ///   - bodyBytes: The size of the whole body.
    ///   - encoding: The encoding of the body, if it is in our own format.
    public static func bytes(
        _ error: AdmissionError,
        body: some Collection<UInt8>,
        bodyBytes: Int,
        key: String,
        received: Timestamp,
        encoding: ContentEncoding? = nil
    ) -> [UInt8] {
        let kept = Array(body)
        return JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("received", received)
            for (name, text) in [
                ("key", key), ("code", error.code), ("field", error.field), ("message", error.message),
            ] {
                writer.member(name, text)
            }
            writer.member("bytes", Int64(bodyBytes))
            if let encoding { writer.member("encoding", encoding.rawValue) }
            writer.endObject()
            writer.byte(UInt8(ascii: "\n"))
            writer.raw(kept)
            return writer.array()
        }
    }

    /// Reads a record.
    ///
    /// - Throws: ``RecordError``.
    public init(payload: UnsafeRawBufferPointer) throws(RecordError) {
        let line = LineSplitter.endOfLine(payload, from: 0)
        do throws(JSONError) {
            var texts: [String: String] = [:]
            var numbers: [String: Int64] = [:]
            var scanner = try JSONScanner(UnsafeRawBufferPointer(rebasing: payload[..<line]))
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                switch try scanner.peek() {
                case .string: texts[scanner.string(key)] = scanner.string(try scanner.readText())
                case .number:
                    if case .integer(let value) = try scanner.readNumber() { numbers[scanner.string(key)] = value }
                case .object, .array, .boolean, .null: try scanner.skipValue()
                }
            }
            try scanner.finish()
            received = Timestamp(milliseconds: numbers["received"] ?? 0)
            bodyBytes = Int(clamping: numbers["bytes"] ?? 0)
            key = texts["key"] ?? ""
            code = texts["code"] ?? ""
            field = texts["field"] ?? ""
            message = texts["message"] ?? ""
            encoding = texts["encoding"].flatMap(ContentEncoding.init(rawValue:))
        } catch {
            throw RecordError(message: "the quarantine record's header cannot be read: \(error)")
        }
        body = Array(payload[min(line + 1, payload.count)...])
    }
}
