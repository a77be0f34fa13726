// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
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
        /// What is wrong with its encryption, when it is that.
        var encryption: TLSFailure?
    }

    /// Where a request goes, and how.
    struct Target: Sendable {
        var host: String
        var port: Int
        /// Encrypts the connection; nil for a plain one.
        var tls: TLSClient?

        /// As a request names it.
        var name: String { "\(host):\(port)" }

        /// Prepares a connection that is about to be made: nothing is sent in plain to a target that is encrypted, and nothing before it is
        /// known that it is the right one.
        func prepare(_ channel: any Channel) throws {
            try tls?.secure(channel, host: host)
            try channel.pipeline.syncOperations.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
        }

        /// What an error of a connection means. On its event loop.
        func failure(_ error: any Error, on channel: any Channel) -> Failure {
            if let encryption = tls?.failure(error, on: channel, host: host) {
                return Failure(reason: "its connection is not encrypted", encryption: encryption)
            }
            // Whoever ends an encrypted connection has to say so; without that the answer may have been cut off.
            if tls?.isCut(by: error) == true { return Failure(reason: "the connection ended before it answered") }
            return Failure(reason: HTTPExchange.reason(error))
        }
    }

    /// So many bytes of an answer are taken; no answer that is asked for has more.
    static let longestAnswer = 64 << 20

    /// Sends a request with `POST`, and returns what is answered.
    ///
    /// - Parameter timeout: How long all of it may take.
    /// - Throws: ``Failure``. The request may have been carried out nevertheless.
    static func post(
        _ request: Request,
        to target: Target,
        within timeout: Duration
    ) async throws(Failure) -> Answer {
        let result = await withCheckedContinuation { continuation in
            begin(request, target, timeout) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private static func begin(
        _ request: Request,
        _ target: Target,
        _ timeout: Duration,
        _ done: @escaping @Sendable (Result<Answer, Failure>) -> Void
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
                // Of several addresses of one name one is connected in the end, and only there anything is sent.
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ExchangeHandler(request, to: target, within: limit, done)
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
    private let target: HTTPExchange.Target
    private let limit: TimeAmount
    private var done: (@Sendable (Result<HTTPExchange.Answer, HTTPExchange.Failure>) -> Void)?
    private var status = 0
    private var body: [UInt8] = []
    private var timer: Scheduled<Void>?

    init(
        _ request: HTTPExchange.Request,
        to target: HTTPExchange.Target,
        within limit: TimeAmount,
        _ done: @escaping @Sendable (Result<HTTPExchange.Answer, HTTPExchange.Failure>) -> Void
    ) {
        self.request = request
        self.target = target
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
        end(.failure(target.failure(error, on: context.channel)), context)
    }

    private func end(_ result: Result<HTTPExchange.Answer, HTTPExchange.Failure>, _ context: ChannelHandlerContext) {
        timer?.cancel()
        guard let done else { return }
        self.done = nil
        done(result)
        context.close(promise: nil)
    }
}
