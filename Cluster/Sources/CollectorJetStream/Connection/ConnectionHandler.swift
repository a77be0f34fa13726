// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
internal import NIOCore
internal import TrackwayCore

/// Runs a ``NATSConnectionStateMachine`` on one connection. Confined to the connection's event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A connection event that is reported to the client.
    enum Event: Sendable {
        /// The connection is ready for use.
        case ready(NATSServerInfo)
        /// The server sent an updated description.
        case infoUpdated(NATSServerInfo)
        /// A message arrived.
        case message(NATSMessage)
        /// The server rejected a command.
        case serverError(String)
        /// The connection ended. This is the last event.
        case ended(NATSConnectionEnd)
    }

    /// A pipeline event that closes this connection in favor of another server.
    struct CloseRequest: Sendable {}

    private let clock: any EventClock
    private let makeStateMachine: @Sendable (MonotonicTime) -> NATSConnectionStateMachine
    private let report: @Sendable (Event) -> Void
    private let tls: TLSClient?
    private let host: String
    private var machine: NATSConnectionStateMachine?
    private var decoder = NATSDecoder()
    private var timer: Scheduled<Void>?
    /// The deadline that the timer is scheduled for.
    private var scheduledDeadline: MonotonicTime?

    /// Creates a handler for a connection that is being established.
    ///
    /// - Parameters:
    ///   - tls: The TLS client that encrypts the connection if the state machine requests it.
    ///   - host: The host that the server's certificate must match.
    ///   - makeStateMachine: Creates the state machine once the connection is established.
    ///   - report: Handles events; called on the event loop, and must return immediately.
    init(
        clock: any EventClock,
        tls: TLSClient?,
        host: String,
        makeStateMachine: @escaping @Sendable (MonotonicTime) -> NATSConnectionStateMachine,
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.clock = clock
        self.tls = tls
        self.host = host
        self.makeStateMachine = makeStateMachine
        self.report = report
    }

    func channelActive(context: ChannelHandlerContext) {
        machine = makeStateMachine(now)
        schedule(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        decoder.append(unwrapInboundIn(data).readableBytesView)
        do throws(NATSProtocolError) {
            while let message = try decoder.next() {
                perform(machine?.handle(message, at: now) ?? [], context)
            }
        } catch {
            perform(machine?.decodingFailed(error) ?? [], context)
        }
        schedule(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        perform(machine?.connectionClosed() ?? [], context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let failure = tls?.failure(error, on: context.channel, host: host) {
            perform(machine?.tlsFailed(failure) ?? [], context)
            schedule(context)
        }
        // The error may be a connection reset, for example. Pending requests fail as they do after an orderly close.
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is CloseRequest { perform(machine?.close() ?? [], context) }
        if tls?.isHandshakeCompletion(event) == true {
            perform(machine?.tlsHandshakeCompleted(pendingBytes: decoder.pendingBytes, at: now) ?? [], context)
            schedule(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    private var now: MonotonicTime { clock.now().monotonic }

    private func perform(_ actions: [NATSConnectionStateMachine.Action], _ context: ChannelHandlerContext) {
        var bytes: ByteBuffer?
        for action in actions {
            switch action {
            case .send(let command):
                var buffer = bytes ?? context.channel.allocator.buffer(capacity: 256)
                command.write(to: &buffer)
                bytes = buffer
            case .startTLS: secure(context)
            case .ready(let info): report(.ready(info))
            case .infoUpdated(let info): report(.infoUpdated(info))
            case .deliver(let message): report(.message(message))
            case .serverError(let text): report(.serverError(text))
            case .close(let reason):
                report(.ended(reason))
                context.close(promise: nil)
            }
        }
        if let bytes { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
    }

    private func secure(_ context: ChannelHandlerContext) {
        do {
            guard let tls else { throw TLSFailure.other("TLS is not configured") }
            try tls.secure(context.channel, host: host)
        } catch {
            let failure = error as? TLSFailure ?? tls?.failure(error, on: context.channel, host: host)
            perform(machine?.tlsFailed(failure ?? .other("\(error)")) ?? [], context)
        }
    }

    private func schedule(_ context: ChannelHandlerContext) {
        let deadline = machine?.deadline
        guard deadline != scheduledDeadline else { return }
        timer?.cancel()
        timer = nil
        scheduledDeadline = deadline
        guard let deadline else { return }
        let wait = max(0, now.duration(to: deadline).wholeMilliseconds)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(wait)) {
            self.scheduledDeadline = nil
            self.perform(self.machine?.tick(at: self.now) ?? [], context)
            self.schedule(context)
        }
    }
}
