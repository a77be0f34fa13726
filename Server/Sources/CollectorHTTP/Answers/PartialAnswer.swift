// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents

/// Marks answers of an index that lags, so that none of them looks complete.
enum PartialAnswer {
    /// The member of a JSON answer, and the header of any answer, that says why events may be missing.
    static let member = "partial"
    static let header = Answer.name("trackway-partial")

    /// Marks an answer.
    ///
    /// - Parameter trouble: One sentence that says why events may be missing.
    static func mark(_ response: inout Response, _ trouble: String) async throws {
        response.headers[header] = headerText(trouble)
        guard response.headers[.contentType] == "application/json" else { return }
        let collected = CollectedBody()
        try await response.body.write(collected)
        let body = marked(collected.buffer.withLock { $0 }, trouble)
        response.body = ResponseBody(byteBuffer: body)
        response.headers[.contentLength] = String(body.readableBytes)
    }

    /// A JSON object with the mark as its first member; other texts are left as they are.
    static func marked(_ body: ByteBuffer, _ trouble: String) -> ByteBuffer {
        let bytes = body.readableBytesView
        guard bytes.first == UInt8(ascii: "{") else { return body }
        var marked = JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member(member, trouble)
            return ByteBuffer(bytes: writer.bytes)
        }
        if bytes.dropFirst().first != UInt8(ascii: "}") { marked.writeInteger(UInt8(ascii: ",")) }
        marked.writeBytes(bytes.dropFirst())
        return marked
    }

    /// The sentence as a header may have it: printable ASCII.
    private static func headerText(_ trouble: String) -> String {
        String(
            decoding: trouble.utf8.prefix(512).map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self
        )
    }
}

/// Takes the bytes of an answer's body.
private final class CollectedBody: ResponseBodyWriter {
    let buffer = Locked(ByteBuffer())

    func write(_ part: ByteBuffer) async throws {
        buffer.withLock { buffer in _ = buffer.writeImmutableBuffer(part) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
