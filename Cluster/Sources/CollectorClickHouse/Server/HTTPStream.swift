// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import TrackwayEvents

/// One request over a connection of its own, and its answer piece by piece, however long that is. The other side is slowed down where
/// the pieces are not taken, and its connection ends when the task is cancelled.
enum HTTPStream {
    /// So many bytes of an answer that is an error are taken.
    private static let longestError = 64 << 10

    /// Sends a request with `POST`.
    ///
    /// - Parameters:
    ///   - timeout: How long all of it may take.
    ///   - take: Called with each piece of an answer of status 200.
    /// - Returns: The status, and the body of an answer that has another one.
    /// - Throws: ``HTTPExchange/Failure``, what `take` throws, and `CancellationError`.
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
            throw isLate.withLock({ $0 }) ? HTTPExchange.Failure(reason: "it does not answer in time") : error
        } catch let error as ConnectionFault {
            try Task.checkCancellation()
            throw isLate.withLock({ $0 }) ? HTTPExchange.Failure(reason: "it does not answer in time") : error.failure
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
        throw HTTPExchange.Failure(reason: "the connection ended before it answered")
    }
}

extension Duration {
    /// The same in nanoseconds, as far as anybody waits.
    fileprivate var nanosecondsOfWait: Int64 {
        Int64(clamping: components.seconds).multipliedReportingOverflow(by: 1_000_000_000).overflow
            ? .max : components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// What an error of a connection means, told where its encryption can be asked.
private struct ConnectionFault: Error {
    let failure: HTTPExchange.Failure
}

/// Sends the request when the connection is there. Lives on the connection's event loop.
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
