// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore

/// Marks responses of a lagging index as incomplete.
enum IncompleteResponse {
    /// The name of the JSON member that states why events may be missing.
    ///
    /// In responses of any format, the header ``header`` contains the same reason.
    static let member = "partial"
    static let header = HTTPField.Name.literal("trackway-partial")

    /// Marks a response as incomplete.
    ///
    /// - Parameter failureReason: A sentence that states why events may be missing.
    static func mark(_ response: inout Response, _ failureReason: String) async throws {
        response.headers[header] = headerText(failureReason)
        guard response.headers[.contentType] == "application/json" else { return }
        let collected = CollectedBody()
        try await response.body.write(collected)
        let body = marked(collected.buffer.withLock { $0 }, failureReason)
        response.body = ResponseBody(byteBuffer: body)
        response.headers[.contentLength] = String(body.readableBytes)
    }

    /// Returns a JSON object with the mark as its first member.
    ///
    /// Other text is unchanged.
    static func marked(_ body: ByteBuffer, _ failureReason: String) -> ByteBuffer {
        let bytes = body.readableBytesView
        guard bytes.first == UInt8(ascii: "{") else { return body }
        var marked = JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member(member, failureReason)
            return ByteBuffer(bytes: writer.bytes)
        }
        if bytes.dropFirst().first != UInt8(ascii: "}") { marked.writeInteger(UInt8(ascii: ",")) }
        marked.writeBytes(bytes.dropFirst())
        return marked
    }

    /// Returns the sentence as a header value: printable ASCII.
    private static func headerText(_ failureReason: String) -> String {
        String(
            decoding: failureReason.utf8.prefix(512).map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self
        )
    }
}

/// Collects the bytes of a response's body.
private final class CollectedBody: ResponseBodyWriter {
    let buffer = Locked(ByteBuffer())

    func write(_ part: ByteBuffer) async throws {
        buffer.withLock { buffer in _ = buffer.writeImmutableBuffer(part) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
