// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A TLS server on the loopback interface that records the received text.
///
/// Encryption starts immediately, or after a plain-text greeting.
package final class TLSServer: Sendable {
    /// The port on which the server listens.
    package let port: Int
    private let receivedText: SharedText

    private init(port: Int, receivedText: SharedText) {
        self.port = port
        self.receivedText = receivedText
    }

    /// The text received from clients over encrypted connections.
    package var received: String { receivedText.text }

    /// The server's certificate and behavior.
    package struct Script: Sendable {
        var pair: TestCertificates.Pair
        /// Sent in plain text before the handshake.
        package var greeting: String?
        /// The certificate file of the accepted client authorities; nil to accept all clients.
        package var clientAuthority: String?
        /// Returns the response to all text received over a connection since the last response; nil to wait for more.
        package var answer: @Sendable (String) -> String?

        /// Creates a script for a server with this certificate.
        package init(
            _ pair: TestCertificates.Pair,
            greeting: String? = nil,
            clientAuthority: String? = nil,
            answer: @escaping @Sendable (String) -> String? = { _ in nil }
        ) {
            self.pair = pair
            self.greeting = greeting
            self.clientAuthority = clientAuthority
            self.answer = answer
        }
    }

    /// Listens while `body` runs.
    package static func run(_ script: Script, _ body: (TLSServer) async throws -> Void) async throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(script.pair.certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: script.pair.key, format: .pem))
        )
        if let clientAuthority = script.clientAuthority {
            configuration.trustRoots = .file(clientAuthority)
            configuration.certificateVerification = .noHostnameVerification
        }
        let context = try NIOSSLContext(configuration: configuration)
        let receivedText = SharedText()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(TLSServerHandler(script, context, receivedText))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = TLSServer(port: channel.localAddress?.port ?? 0, receivedText: receivedText)
        do {
            try await body(server)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }
}

/// A text that several connections append to.
private final class SharedText: Sendable {
    private let content = Mutex("")

    var text: String { content.withLock { $0 } }

    func append(_ more: String) { content.withLock { $0 += more } }
}

/// Greets, encrypts, records received text, and responds.
///
/// Confined to the connection's event loop.
private final class TLSServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: TLSServer.Script
    private let context: NIOSSLContext
    private let receivedText: SharedText
    private var pendingText = ""

    init(_ script: TLSServer.Script, _ context: NIOSSLContext, _ receivedText: SharedText) {
        self.script = script
        self.context = context
        self.receivedText = receivedText
    }

    func channelActive(context: ChannelHandlerContext) {
        if let greeting = script.greeting {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: greeting)), promise: nil)
        }
        do {
            let handler = NIOSSLServerHandler(context: self.context)
            try context.channel.pipeline.syncOperations.addHandler(handler, position: .first)
        } catch {
            context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: unwrapInboundIn(data))
        pendingText += text
        receivedText.append(text)
        if let answer = script.answer(pendingText) {
            pendingText = ""
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A client that does not trust this server disconnects, which some tests expect.
        context.close(promise: nil)
    }
}
