// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import TrackwayEvents

/// One request over its own connection, and its response in pieces, of any length.
///
/// The server is slowed down while pieces are not consumed, and its connection closes when the task is canceled.
enum HTTPStream {
    /// The maximum size in bytes that is read of an error response.
    private static let longestError = 64 << 10

    /// Sends a `POST` request.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for everything.
    ///   - take: Called with each piece of a response with status 200.
    /// - Returns: The status, and the body of a response with another status.
    /// - Throws: ``HTTPExchange/Failure``, the errors of `take`, and `CancellationError`.
    static func post(
        _ request: HTTPExchange.Request,
        to target: HTTPExchange.Target,
        within timeout: Duration,
        _ take: (ByteBuffer) throws -> Void
    ) async throws -> HTTPExchange.Answer {
        let channel: NIOAsyncChannel<HTTPClientResponsePart, Never>
        do {
            channel = try await connect(request, target)
        } catch {
            try Task.checkCancellation()
            throw HTTPExchange.Failure(reason: HTTPExchange.reason(error))
        }
        let isLate = Locked(false)
        let connection = channel.channel
        let deadline = connection.eventLoop.scheduleTask(in: .nanoseconds(timeout.nanosecondsOfWait)) {
            isLate.withLock { $0 = true }
            connection.close(promise: nil)
        }
        defer { deadline.cancel() }
        do {
            return try await channel.executeThenClose { parts in try await Self.read(parts, take) }
        } catch let error as HTTPExchange.Failure {
            try Task.checkCancellation()
            throw isLate.withLock({ $0 }) ? HTTPExchange.Failure(reason: "it did not respond in time") : error
        } catch let error as ConnectionFault {
            try Task.checkCancellation()
            throw isLate.withLock({ $0 }) ? HTTPExchange.Failure(reason: "it did not respond in time") : error.failure
        } catch let error where Self.isOfConnection(error) {
            try Task.checkCancellation()
            throw HTTPExchange.Failure(reason: HTTPExchange.reason(error))
        }
    }

    private static func isOfConnection(_ error: any Error) -> Bool {
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
    ) async throws -> HTTPExchange.Answer {
        var status = 0
        var error: [UInt8] = []
        for try await part in parts {
            try Task.checkCancellation()
            switch part {
            case .head(let head): status = Int(head.status.code)
            case .body(let piece):
                if status == 200 {
                    try take(piece)
                } else if error.count < longestError {
                    error += piece.readableBytesView
                }
            case .end: return HTTPExchange.Answer(status: status, body: error)
            }
        }
        throw HTTPExchange.Failure(reason: "the connection closed before it responded")
    }
}

extension Duration {
    /// The duration in nanoseconds, at most `Int64.max`.
    fileprivate var nanosecondsOfWait: Int64 {
        Int64(clamping: components.seconds).multipliedReportingOverflow(by: 1_000_000_000).overflow
            ? .max : components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// The meaning of a connection error, determined on the event loop, which TLS requires.
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
