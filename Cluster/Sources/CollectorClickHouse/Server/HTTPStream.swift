// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import TrackwayCore

/// One request over its own connection, with a response of any length, delivered in pieces.
///
/// The server is slowed down while pieces are not consumed. The connection closes when the task is canceled.
enum HTTPStream {
    /// The maximum number of bytes to read from an error response.
    private static let maxErrorBytes = 64 << 10

    /// Sends a `POST` request.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for the whole exchange.
    ///   - take: Called with each piece of a response with status 200.
    /// - Returns: The status, and the body of a response with another status.
    /// - Throws: ``HTTPExchange/Failure``, the errors of `take`, and `CancellationError`.
    static func post(
        _ request: HTTPExchange.Request,
        to target: HTTPExchange.Target,
        within timeout: Duration,
        _ take: (ByteBuffer) throws -> Void
    ) async throws -> HTTPExchange.Response {
        let channel: NIOAsyncChannel<HTTPClientResponsePart, Never>
        do {
            channel = try await connect(request, target)
        } catch {
            try Task.checkCancellation()
            throw HTTPExchange.Failure(reason: HTTPExchange.reason(error))
        }
        let didTimeOut = Locked(false)
        let connection = channel.channel
        let deadline = connection.eventLoop.scheduleTask(in: .nanoseconds(timeout.clampedNanoseconds)) {
            didTimeOut.withLock { $0 = true }
            connection.close(promise: nil)
        }
        defer { deadline.cancel() }
        do {
            return try await channel.executeThenClose { parts in try await Self.read(parts, take) }
        } catch let error as HTTPExchange.Failure {
            try Task.checkCancellation()
            throw didTimeOut.withLock({ $0 }) ? HTTPExchange.Failure(reason: "it did not respond in time") : error
        } catch let error as ConnectionFault {
            try Task.checkCancellation()
            throw didTimeOut.withLock({ $0 })
                ? HTTPExchange.Failure(reason: "it did not respond in time") : error.failure
        } catch let error where Self.isConnectionError(error) {
            try Task.checkCancellation()
            throw HTTPExchange.Failure(reason: HTTPExchange.reason(error))
        }
    }

    private static func isConnectionError(_ error: any Error) -> Bool {
        error is IOError || error is ChannelError || error is HTTPParserError
    }

    private static func connect(
        _ request: HTTPExchange.Request,
        _ target: HTTPExchange.Target
    ) async throws -> NIOAsyncChannel<HTTPClientResponsePart, Never> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(5))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connect(host: target.host, port: target.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try target.prepare(channel)
                    try channel.pipeline.syncOperations.addHandler(RequestHandler(request, to: target))
                    return try NIOAsyncChannel<HTTPClientResponsePart, Never>(wrappingChannelSynchronously: channel)
                }
            }
    }

    private static func read(
        _ parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>,
        _ take: (ByteBuffer) throws -> Void
    ) async throws -> HTTPExchange.Response {
        var status = 0
        var error: [UInt8] = []
        for try await part in parts {
            try Task.checkCancellation()
            switch part {
            case .head(let head): status = Int(head.status.code)
            case .body(let piece):
                if status == 200 {
                    try take(piece)
                } else if error.count < maxErrorBytes {
                    error += piece.readableBytesView
                }
            case .end: return HTTPExchange.Response(status: status, body: error)
            }
        }
        throw HTTPExchange.Failure(reason: "the connection closed before it responded")
    }
}

extension Duration {
    /// The duration in nanoseconds, at most `Int64.max`.
    fileprivate var clampedNanoseconds: Int64 {
        Int64(clamping: components.seconds).multipliedReportingOverflow(by: 1_000_000_000).overflow
            ? .max : components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// The failure that a connection error represents.
///
/// Determined on the event loop, as TLS requires.
private struct ConnectionFault: Error {
    let failure: HTTPExchange.Failure
}

/// Sends the request once connected.
///
/// Confined to the connection's event loop.
private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPExchange.Request
    private let target: HTTPExchange.Target

    init(_ request: HTTPExchange.Request, to target: HTTPExchange.Target) {
        self.request = request
        self.target = target
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request.head(host: target.name))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(ConnectionFault(failure: target.failure(error, on: context.channel)))
    }
}
