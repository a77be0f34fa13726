// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What the intake log keeps of a batch that was refused as a whole (frames of kind `quarantine`): a header line with
/// the reason, then the body as received, cut.
public struct QuarantineRecord: Sendable, Hashable {
    /// When the body arrived, by the collector's clock.
    public var received: Timestamp
    /// The name of the key it came with.
    public var key: String
    /// Why it was refused.
    public var code: String
    /// The field at fault; empty when the whole body is.
    public var field: String
    /// One sentence for a person.
    public var message: String
    /// How the body is encoded, when it came in our own format; nil for others, and where an earlier version did not note it.
    public var encoding: ContentEncoding?
    /// Bytes of the body as received, before it was cut.
    public var bodyBytes: Int
    /// The body's beginning as received.
    public var body: [UInt8]

    /// The record's bytes.
    ///
    /// - Parameters:
    ///   - body: What is kept of the body.
    ///   - bodyBytes: How many bytes it had.
    ///   - encoding: How it is encoded, when it came in our own format.
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
