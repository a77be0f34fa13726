// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOPosix

/// A raw connection to a collector under test.
public struct Wire {
    private let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    /// Opens a connection while `body` runs.
    public static func open<Value: Sendable>(
        to port: Int,
        _ body: @Sendable @escaping (inout Wire) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var wire = Wire(inbound: inbound, outbound: outbound)
            return try await body(&wire)
        }
    }

    private var received = ""
    private var isEnded = false

    private init(
        inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
        iterator = inbound.makeAsyncIterator()
    }

    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator

    /// Sends bytes.
    public func send(_ bytes: [UInt8]) async throws {
        try await outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Sends text.
    ///
    /// Line endings are sent as CRLF.
    public func send(_ text: String) async throws {
        try await send(Array(text.replacing("\n", with: "\r\n").utf8))
    }

    /// Reads until the text contains `part` or the peer closes the connection.
    public mutating func read(until part: String) async throws -> String {
        while !received.contains(part), !isEnded { try await readMore() }
        defer { received = "" }
        return received
    }

    /// Reads until the peer closes the connection.
    public mutating func readToEnd() async throws -> String {
        while !isEnded { try await readMore() }
        return received
    }

    /// Reads one response with a content length or a chunked body.
    ///
    /// Nil if the connection ends first.
    public mutating func readResponse() async throws -> TestHTTPResponse? {
        while true {
            if let (answer, length) = TestHTTPResponse.parse(received) {
                received = String(decoding: received.utf8.dropFirst(length), as: UTF8.self)
                return answer
            }
            if isEnded { return nil }
            try await readMore()
        }
    }

    private mutating func readMore() async throws {
        do {
            guard let buffer = try await iterator.next(isolation: #isolation) else {
                isEnded = true
                return
            }
            received += String(buffer: buffer)
        } catch let error as IOError where error.errnoCode == 104 {
            // A reset also ends the connection.
            isEnded = true
        }
    }
}
