// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// One request over its own connection, and its response.
///
/// Connections are not reused: the server might close one just as the next request is sent, and the outcome of that
/// request would be unknown.
enum HTTPExchange {
    /// A request.
    struct Request: Sendable {
        var path: String
        var headers: [(String, String)]
        var body: [UInt8]

        /// Returns the request's head.
        ///
        /// The head asks the server to close the connection after the response.
        func head(host: String) -> HTTPRequestHead {
            var headers = HTTPHeaders(headers)
            headers.add(name: "Host", value: host)
            headers.add(name: "Content-Length", value: "\(body.count)")
            headers.add(name: "Connection", value: "close")
            return HTTPRequestHead(version: .http1_1, method: .POST, uri: path, headers: headers)
        }
    }

    /// A response.
    struct Response: Sendable {
        var status: Int
        var body: [UInt8]
    }

    /// Why a response is missing, as a clause.
    struct Failure: Error, Hashable {
        var reason: String
        /// The TLS failure, if that is the cause.
        var encryption: TLSFailure?
    }

    /// The server that a request is sent to, and how to connect to it.
    struct Target: Sendable {
        var host: String
        var port: Int
        /// The TLS client that encrypts the connection; nil for an unencrypted one.
        var tls: TLSClient?

        /// The server's name in requests, with the port.
        var name: String { "\(host):\(port)" }

        /// Prepares a connection before it is established.
        ///
        /// On an encrypted connection, nothing is sent before the connection is encrypted and the server is verified.
        func prepare(_ channel: any Channel) throws {
            try tls?.secure(channel, host: host)
            try channel.pipeline.syncOperations.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
        }

        /// Returns the failure that a connection error represents.
        ///
        /// Must be called on the event loop.
        func failure(_ error: any Error, on channel: any Channel) -> Failure {
            if let encryption = tls?.failure(error, on: channel, host: host) {
                return Failure(reason: "its connection is not encrypted", encryption: encryption)
            }
            // The end of an encrypted connection must be announced; otherwise the response may be truncated.
            if tls?.isTruncation(error) == true { return Failure(reason: "the connection closed before it responded") }
            return Failure(reason: HTTPExchange.reason(error))
        }
    }

    /// The maximum size of a response in bytes; no expected response is larger.
    static let maxResponseBytes = 64 << 20

    /// Sends a `POST` request, and returns the response.
    ///
    /// - Parameter timeout: The time limit for the whole exchange.
    /// - Throws: ``Failure``. The request may have been carried out anyway.
    static func post(
        _ request: Request,
        to target: Target,
        within timeout: Duration
    ) async throws(Failure) -> Response {
        let result = await withCheckedContinuation { continuation in
            begin(request, target, timeout) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private static func begin(
        _ request: Request,
        _ target: Target,
        _ timeout: Duration,
        _ done: @escaping @Sendable (Result<Response, Failure>) -> Void
    ) {
        let limit = TimeAmount.nanoseconds(Int64(clamping: timeout.components.seconds * 1_000_000_000))
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try target.prepare(channel) }
            }
            .connect(host: target.host, port: target.port)
            .flatMap { channel in
                // If a name has several addresses, only one connection is kept, and the request is sent only over it.
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ExchangeHandler(request, to: target, within: limit, done)
                    )
                }
            }
            // Once added, the handler reports the result.
            .whenFailure { done(.failure(Failure(reason: reason($0)))) }
    }

    /// Returns a description of a connection error, as a clause.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: return error.description
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return reason(first.error) }
            return "the host name is unknown"
        case ChannelError.connectTimeout: return "connecting timed out"
        case HTTPParserError.invalidEOFState: return "the connection closed before it responded"
        case is HTTPParserError: return "its response is not HTTP"
        default: return "\(error)"
        }
    }
}

/// Sends the request once connected, and collects the response.
///
/// Confined to the connection's event loop.
private final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPExchange.Request
    private let target: HTTPExchange.Target
    private let limit: TimeAmount
    private var done: (@Sendable (Result<HTTPExchange.Response, HTTPExchange.Failure>) -> Void)?
    private var status = 0
    private var body: [UInt8] = []
    private var timer: Scheduled<Void>?

    init(
        _ request: HTTPExchange.Request,
        to target: HTTPExchange.Target,
        within limit: TimeAmount,
        _ done: @escaping @Sendable (Result<HTTPExchange.Response, HTTPExchange.Failure>) -> Void
    ) {
        self.request = request
        self.target = target
        self.limit = limit
        self.done = done
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else {
            return end(.failure(HTTPExchange.Failure(reason: "the connection closed immediately")), context)
        }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
            self.end(.failure(HTTPExchange.Failure(reason: "it did not respond in time")), context)
        }
        context.write(wrapOutboundOut(.head(request.head(host: target.name))), promise: nil)
        if !request.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = Int(head.status.code)
        case .body(let part):
            guard body.count + part.readableBytes <= HTTPExchange.maxResponseBytes else {
                return end(.failure(HTTPExchange.Failure(reason: "its response is too large")), context)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            end(.success(HTTPExchange.Response(status: status, body: body)), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(HTTPExchange.Failure(reason: "the connection closed before it responded")), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(target.failure(error, on: context.channel)), context)
    }

    private func end(_ result: Result<HTTPExchange.Response, HTTPExchange.Failure>, _ context: ChannelHandlerContext) {
        timer?.cancel()
        guard let done else { return }
        self.done = nil
        done(result)
        context.close(promise: nil)
    }
}
