// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
internal import NIOCore
internal import TrackwayEvents

/// Runs a ``NATSConnectionStateMachine`` on one connection. Confined to the connection's event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Connection events for the client.
    enum Event: Sendable {
        /// The connection is ready for use.
        case ready(NATSServerInfo)
        /// The server sent an updated description.
        case learned(NATSServerInfo)
        /// A message arrived.
        case message(NATSMessage)
        /// The server rejected a command.
        case complaint(String)
        /// The connection ended. The last event.
        case ended(NATSConnectionEnd)
    }

    /// Fired into the pipeline to leave this server for another one.
    struct Leave: Sendable {}

    private let clock: any EventClock
    private let begin: @Sendable (MonotonicTime) -> NATSConnectionStateMachine
    private let report: @Sendable (Event) -> Void
    private let tls: TLSClient?
    private let host: String
    private var machine: NATSConnectionStateMachine?
    private var decoder = NATSDecoder()
    private var timer: Scheduled<Void>?
    /// The deadline of the timer.
    private var alarm: MonotonicTime?

    /// Creates a handler for a connection that is being established.
    ///
    /// - Parameters:
    ///   - tls: Encrypts the connection if the machine asks for it.
    ///   - host: The host that the server's certificate must match.
    ///   - begin: Creates the machine once the connection is established.
    ///   - report: Called on the event loop; must return immediately.
    init(
        clock: any EventClock,
        tls: TLSClient?,
        host: String,
        begin: @escaping @Sendable (MonotonicTime) -> NATSConnectionStateMachine,
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.clock = clock
        self.tls = tls
        self.host = host
        self.begin = begin
        self.report = report
    }

    func channelActive(context: ChannelHandlerContext) {
        machine = begin(now)
        schedule(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        decoder.append(unwrapInboundIn(data).readableBytesView)
        do throws(NATSProtocolError) {
            while let message = try decoder.next() {
                perform(machine?.received(message, at: now) ?? [], context)
            }
        } catch {
            perform(machine?.failed(error) ?? [], context)
        }
        schedule(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        perform(machine?.closed() ?? [], context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let failure = tls?.failure(error, on: context.channel, host: host) {
            perform(machine?.insecure(failure) ?? [], context)
            schedule(context)
        }
        // For instance, a connection reset. Pending requests fail as after an orderly close.
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is Leave { perform(machine?.leave() ?? [], context) }
        if tls?.isSecured(by: event) == true {
            perform(machine?.secured(pendingBytes: decoder.pendingBytes, at: now) ?? [], context)
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
            case .secure: secure(context)
            case .ready(let info): report(.ready(info))
            case .learned(let info): report(.learned(info))
            case .deliver(let message): report(.message(message))
            case .complain(let text): report(.complaint(text))
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
            perform(machine?.insecure(failure ?? .other("\(error)")) ?? [], context)
        }
    }

    private func schedule(_ context: ChannelHandlerContext) {
        let deadline = machine?.deadline
        guard deadline != alarm else { return }
        timer?.cancel()
        timer = nil
        alarm = deadline
        guard let deadline else { return }
        let wait = max(0, now.duration(to: deadline).wholeMilliseconds)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(wait)) {
            self.alarm = nil
            self.perform(self.machine?.tick(at: self.now) ?? [], context)
            self.schedule(context)
        }
    }
}
