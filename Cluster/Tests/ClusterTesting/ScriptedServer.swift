// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorJetStream
internal import NIOCore
internal import NIOPosix

/// A scripted server on the loopback interface, for NATS or another protocol.
///
/// It sends exactly the bytes that a test specifies, with the specified splits.
package struct ScriptedServer: Sendable {
    /// The server's address.
    package let address: NATSAddress

    /// The server's port, for clients of other protocols.
    package var port: Int { address.port }

    /// The first message that a server sends.
    package static let greeting =
        "INFO {\"server_id\":\"N0\",\"server_name\":\"n0\",\"version\":\"2.15.1\",\"headers\":true,\"max_payload\":8388608}\r\n"

    /// Listens while `body` runs.
    ///
    /// - Parameter script: Handles each connection, numbered from 1. The connection closes when the script returns.
    package static func run(
        _ script: @escaping @Sendable (inout Peer, Int) async throws -> Void,
        _ body: @escaping @Sendable (ScriptedServer) async throws -> Void
    ) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let address = NATSAddress(host: "127.0.0.1", port: server.channel.localAddress?.port ?? 0)
        try await server.executeThenClose { connections in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await withDiscardingTaskGroup { group in
                        var number = 0
                        do {
                            for try await connection in connections {
                                number += 1
                                group.addTask { [number] in await serve(connection, number, script) }
                            }
                        } catch {
                            // The test has ended.
                        }
                    }
                }
                group.addTask { try await body(ScriptedServer(address: address)) }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private static func serve(
        _ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>,
        _ number: Int,
        _ script: @Sendable (inout Peer, Int) async throws -> Void
    ) async {
        do {
            try await connection.executeThenClose { inbound, outbound in
                var peer = Peer(iterator: inbound.makeAsyncIterator(), outbound: outbound)
                try await script(&peer, number)
            }
        } catch {
            // The client closed the connection; tests check only what it received.
        }
    }

    /// A connection, from the server's side.
    package struct Peer {
        fileprivate var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        private var bytes: [UInt8] = []

        fileprivate init(
            iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
            outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        ) {
            self.iterator = iterator
            self.outbound = outbound
        }

        /// A message published by the client.
        package struct Publication: Sendable {
            package var subject: String
            package var reply: String
            package var headers: NATSHeaders?
            package var body: [UInt8]
        }

        /// Sends text to the client.
        package func send(_ text: String) async throws {
            try await outbound.write(ByteBuffer(string: text))
        }

        /// Sends the greeting and reads the client's introduction.
        ///
        /// - Returns: The client's `CONNECT`.
        package mutating func handshake(_ greeting: String = ScriptedServer.greeting) async throws -> String {
            try await send(greeting)
            var connect = ""
            while let line = try await readLine() {
                if line.hasPrefix("CONNECT") { connect = line }
                if line == "PING" { break }
            }
            try await send("PONG\r\n")
            return connect
        }

        /// Reads the next line; nil at the end.
        package mutating func readLine() async throws -> String? {
            while true {
                if let end = bytes.firstRange(of: [0x0d, 0x0a]) {
                    defer { bytes.removeSubrange(..<end.upperBound) }
                    return String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                }
                guard try await readMore() else { return nil }
            }
        }

        /// Reads the received bytes unchanged; empty at the end.
        package mutating func readBytes() async throws -> [UInt8] {
            if bytes.isEmpty { _ = try await readMore() }
            defer { bytes = [] }
            return bytes
        }

        /// Reads the next publication, skipping everything else; nil at the end.
        package mutating func readPublication() async throws -> Publication? {
            while let line = try await readLine() {
                let words = line.split(separator: " ").map(String.init)
                guard words.count >= 4, words[0] == "PUB" || words[0] == "HPUB", let count = Int(words[words.count - 1])
                else { continue }
                while bytes.count < count + 2 { guard try await readMore() else { return nil } }
                let headerBytes = words[0] == "HPUB" ? Int(words[3]) ?? 0 : 0
                defer { bytes.removeSubrange(..<(count + 2)) }
                return Publication(
                    subject: words[1],
                    reply: words[2],
                    headers: headerBytes > 0 ? try NATSHeaders(bytes[..<headerBytes]) : nil,
                    body: Array(bytes[headerBytes..<count])
                )
            }
            return nil
        }

        /// Replies to a publication.
        package func reply(to publication: Publication, _ body: String) async throws {
            try await send("MSG \(publication.reply) 1 \(body.utf8.count)\r\n\(body)\r\n")
        }

        /// Reports that the publication's subject has no subscriber.
        package func replyNoResponders(to publication: Publication) async throws {
            try await send("HMSG \(publication.reply) 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n")
        }

        private mutating func readMore() async throws -> Bool {
            guard let buffer = try await iterator.next(isolation: #isolation) else { return false }
            bytes += buffer.readableBytesView
            return true
        }
    }
}
