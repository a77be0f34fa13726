// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// One request over a connection of its own, and its answer. A connection that was kept might be closed by the other side just when the
/// next request is on its way, and nobody would know what became of that.
enum HTTPExchange {
    /// What is sent.
    struct Request: Sendable {
        var path: String
        var headers: [(String, String)]
        var body: [UInt8]

        /// How it begins, on a connection that ends with it.
        func head(host: String) -> HTTPRequestHead {
            var headers = HTTPHeaders(headers)
            headers.add(name: "Host", value: host)
            headers.add(name: "Content-Length", value: "\(body.count)")
            headers.add(name: "Connection", value: "close")
            return HTTPRequestHead(version: .http1_1, method: .POST, uri: path, headers: headers)
        }
    }

    /// What came back.
    struct Answer: Sendable {
        var status: Int
        var body: [UInt8]
    }

    /// Why nothing came back, in half a sentence.
    struct Failure: Error, Hashable {
        var reason: String
    }

    /// So many bytes of an answer are taken; no answer that is asked for has more.
    static let longestAnswer = 64 << 20

    /// Sends a request with `POST`, and returns what is answered.
    ///
    /// - Parameter timeout: How long all of it may take.
    /// - Throws: ``Failure``. The request may have been carried out nevertheless.
    static func post(
        _ request: Request,
        to host: String,
        _ port: Int,
        within timeout: Duration
    ) async throws(Failure) -> Answer {
        let result = await withCheckedContinuation { continuation in
            begin(request, host, port, timeout) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private static func begin(
        _ request: Request,
        _ host: String,
        _ port: Int,
        _ timeout: Duration,
        _ done: @escaping @Sendable (Result<Answer, Failure>) -> Void
    ) {
        let limit = TimeAmount.nanoseconds(Int64(clamping: timeout.components.seconds * 1_000_000_000))
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
                }
            }
            .connect(host: host, port: port)
            .flatMap { channel in
                // Of several addresses of one name one is connected in the end, and only there anything is sent.
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ExchangeHandler(request, host: "\(host):\(port)", within: limit, done)
                    )
                }
            }
            // Once the handler is there it answers.
            .whenFailure { done(.failure(Failure(reason: reason($0)))) }
    }

    /// What an error of a connection means, in half a sentence.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: return error.description
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return reason(first.error) }
            return "the name is not known"
        case ChannelError.connectTimeout: return "it took too long to connect"
        case HTTPParserError.invalidEOFState: return "the connection ended before it answered"
        case is HTTPParserError: return "what it answers is not HTTP"
        default: return "\(error)"
        }
    }
}

/// Sends the request when the connection is there, and collects the answer. Lives on the connection's event loop.
private final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPExchange.Request
    private let host: String
    private let limit: TimeAmount
    private var done: (@Sendable (Result<HTTPExchange.Answer, HTTPExchange.Failure>) -> Void)?
    private var status = 0
    private var body: [UInt8] = []
    private var timer: Scheduled<Void>?

    init(
        _ request: HTTPExchange.Request,
        host: String,
        within limit: TimeAmount,
        _ done: @escaping @Sendable (Result<HTTPExchange.Answer, HTTPExchange.Failure>) -> Void
    ) {
        self.request = request
        self.host = host
        self.limit = limit
        self.done = done
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else {
            return end(.failure(HTTPExchange.Failure(reason: "the connection ended at once")), context)
        }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
            self.end(.failure(HTTPExchange.Failure(reason: "it does not answer in time")), context)
        }
        context.write(wrapOutboundOut(.head(request.head(host: host))), promise: nil)
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
            guard body.count + part.readableBytes <= HTTPExchange.longestAnswer else {
                return end(.failure(HTTPExchange.Failure(reason: "its answer has no end")), context)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            end(.success(HTTPExchange.Answer(status: status, body: body)), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(HTTPExchange.Failure(reason: "the connection ended before it answered")), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(HTTPExchange.Failure(reason: HTTPExchange.reason(error))), context)
    }

    private func end(_ result: Result<HTTPExchange.Answer, HTTPExchange.Failure>, _ context: ChannelHandlerContext) {
        timer?.cancel()
        guard let done else { return }
        self.done = nil
        done(result)
        context.close(promise: nil)
    }
}
