// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOPosix

/// A loopback server that receives webhooks and sends scripted responses.
public struct WebhookReceiver: Sendable {
    /// The response to a message.
    public enum Reply: Sendable {
        /// Responds with a status and additional header fields.
        case status(Int, [String: String] = [:])
        /// Sends no response.
        case hang
        /// Responds 200 with an endless body.
        case flood
    }

    /// A received message.
    public struct Message: Sendable {
        /// The header fields, with names in lower case.
        public var headers: [String: String]
        /// The body.
        public var body: [UInt8]
    }

    /// The port on which the server listens.
    public let port: Int
    /// The received messages, in order.
    public let messages: AsyncStream<Message>

    /// Listens while `body` runs.
    ///
    /// - Parameters:
    ///   - port: The port; 0 lets the system choose.
    ///   - reply: Returns the response to the message with the given number, counted from 1.
    public static func run(
        port: Int = 0,
        _ reply: @Sendable @escaping (Int) -> Reply,
        _ body: @Sendable @escaping (WebhookReceiver) async throws -> Void
    ) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let (messages, sender) = AsyncStream.makeStream(of: Message.self)
        let counter = Counter()
        try await server.executeThenClose { connections in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await withThrowingDiscardingTaskGroup { group in
                        for try await connection in connections {
                            group.addTask {
                                // A sender may disconnect at any time.
                                try? await serve(connection, counter, reply, sender)
                            }
                        }
                    }
                }
                group.addTask {
                    try await body(WebhookReceiver(port: server.channel.localAddress?.port ?? 0, messages: messages))
                }
                _ = try await group.next()
                group.cancelAll()
            }
        }
    }

    private actor Counter {
        private var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }

    private static func serve(
        _ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>,
        _ counter: Counter,
        _ reply: @Sendable (Int) -> Reply,
        _ sender: AsyncStream<Message>.Continuation
    ) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var bytes: [UInt8] = []
            for try await part in inbound {
                bytes += part.readableBytesView
                guard let message = message(bytes) else { continue }
                bytes = []
                sender.yield(message)
                switch reply(await counter.next()) {
                case .status(let status, let headers):
                    let fields = headers.map { "\($0): \($1)\r\n" }.joined()
                    try await outbound.write(
                        ByteBuffer(string: "HTTP/1.1 \(status) Said\r\ncontent-length: 0\r\n\(fields)\r\n")
                    )
                case .hang: continue
                case .flood:
                    let piece = ByteBuffer(repeating: 0x61, count: 1 << 16)
                    try await outbound.write(
                        ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n")
                    )
                    while true { try await outbound.write(piece) }
                }
            }
        }
    }

    /// Returns the message in the received bytes.
    ///
    /// Nil if it is incomplete.
    private static func message(_ bytes: [UInt8]) -> Message? {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        var headers: [String: String] = [:]
        for line in String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].drop { $0 == " " }.description : ""
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= end.upperBound + length else { return nil }
        return Message(headers: headers, body: Array(bytes[end.upperBound..<end.upperBound + length]))
    }
}
