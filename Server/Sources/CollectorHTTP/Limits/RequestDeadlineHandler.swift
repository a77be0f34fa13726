// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes connections that take too long.
///
/// This applies to headers, bodies, and the time between requests. Executes the decisions of ``RequestDeadlines``.
///
/// Sending bytes slowly does not help a client: each deadline counts from the beginning of its phase. One timer per
/// connection checks the deadline at intervals; requests only move the deadline.
final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var watch: RequestDeadlines
    private var timer: Scheduled<Void>?
    private var isLastAnswer = false
    private let connections: ConnectionLimit
    /// The connection's id there, while it is registered.
    private var connection: UInt64?

    init(_ configuration: CollectorConfiguration, _ connections: ConnectionLimit) {
        self.connections = connections
        watch = RequestDeadlines(
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
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { connections.left(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        if let connection { connections.closed(connection, context.channel) }
        connection = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: watch.headArrived(at: .now())
        case .body: break
        case .end: watch.bodyEnded(at: .now())
        }
        arm(context)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isLastAnswer = head.headerFields[.connection]?.lowercased() == "close"
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            watch.answered(at: .now(), isLast: isLastAnswer)
            if isLastAnswer {
                context.writeAndFlush(data, promise: promise)
                // The client sees the end at once; what it still sends is read until the deadline.
                context.close(mode: .output, promise: nil)
            } else {
                context.write(data, promise: promise)
            }
            arm(context)
        }
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard watch.deadline == nil, timer == nil else { return }
        watch.connected(at: .now())
        connection = connections.opened(context.channel)
        arm(context)
    }

    /// Starts a timer that fires no later than the deadline.
    ///
    /// Also reports the phase to the limit.
    private func arm(_ context: ChannelHandlerContext) {
        if let connection { connections.moved(connection, to: watch.phase) }
        guard let deadline = watch.deadline else { return }
        // A timer that fires early checks again; a timer that would fire late is replaced.
        if timer != nil, timerFires <= deadline { return }
        timer?.cancel()
        schedule(context, at: deadline)
    }

    private var timerFires = NIODeadline.distantFuture

    private func schedule(_ context: ChannelHandlerContext, at deadline: NIODeadline) {
        timerFires = deadline
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        switch watch.expired(at: .now()) {
        case .lookAgain(let deadline): schedule(context, at: deadline)
        case .rest: break
        case .failBody:
            arm(context)
            context.fireErrorCaught(SlowRequestError())
        case .close: context.close(promise: nil)
        }
    }
}

/// A request's body did not arrive in time.
struct SlowRequestError: Error {}
