// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes connections that take too long.
///
/// The limits apply to headers, bodies, and the time between requests. The handler executes the decisions of
/// ``RequestDeadlines``.
///
/// Sending bytes slowly does not help a client: each deadline counts from the beginning of its phase. One timer per
/// connection checks the deadline at intervals; requests only move the deadline.
final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var deadlines: RequestDeadlines
    private var timer: Scheduled<Void>?
    private var closesAfterResponse = false
    private let connections: ConnectionLimit
    /// The connection's id in ``connections``; nil while it is not registered.
    private var connection: UInt64?

    init(_ configuration: CollectorConfiguration, _ connections: ConnectionLimit) {
        self.connections = connections
        deadlines = RequestDeadlines(
            headers: TimeAmount(configuration.headerTimeout),
            body: TimeAmount(configuration.bodyTimeout),
            idle: TimeAmount(configuration.idleTimeout)
        )
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { connections.inputClosed(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        if let connection { connections.connectionClosed(connection, context.channel) }
        connection = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: deadlines.headReceived(at: .now())
        case .body: break
        case .end: deadlines.bodyReceived(at: .now())
        }
        arm(context)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            closesAfterResponse = head.headerFields[.connection]?.lowercased() == "close"
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            deadlines.responseSent(at: .now(), isLast: closesAfterResponse)
            if closesAfterResponse {
                context.writeAndFlush(data, promise: promise)
                // The client immediately sees the end of the response; any further data from the client is read until
                // the deadline.
                context.close(mode: .output, promise: nil)
            } else {
                context.write(data, promise: promise)
            }
            arm(context)
        }
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard deadlines.deadline == nil, timer == nil else { return }
        deadlines.connected(at: .now())
        connection = connections.connectionOpened(context.channel)
        arm(context)
    }

    /// Starts a timer that fires no later than the deadline.
    ///
    /// Also reports the connection's phase to ``connections``.
    private func arm(_ context: ChannelHandlerContext) {
        if let connection { connections.move(connection, to: deadlines.phase) }
        guard let deadline = deadlines.deadline else { return }
        // A timer that fires too early checks again; a timer that would fire too late is replaced.
        if timer != nil, timerFires <= deadline { return }
        timer?.cancel()
        schedule(context, at: deadline)
    }

    private var timerFires = NIODeadline.distantFuture

    private func schedule(_ context: ChannelHandlerContext, at deadline: NIODeadline) {
        timerFires = deadline
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.checkDeadline(context)
        }
    }

    private func checkDeadline(_ context: ChannelHandlerContext) {
        switch deadlines.timerFired(at: .now()) {
        case .checkAgain(let deadline): schedule(context, at: deadline)
        case .noDeadline: break
        case .failBody:
            arm(context)
            context.fireErrorCaught(SlowRequestError())
        case .close: context.close(promise: nil)
        }
    }
}

/// The error for a request body that did not arrive in time.
struct SlowRequestError: Error {}
