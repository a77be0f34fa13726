// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTLS
internal import NIOCore
internal import TrackwayEvents

/// Drives one connection: bytes in, what the machine orders out. Lives on the connection's event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What happens at a connection, for the client.
    enum Event: Sendable {
        /// It can be used.
        case ready(NATSServerInfo)
        /// The server told something new of itself.
        case learned(NATSServerInfo)
        /// A message came.
        case message(NATSMessage)
        /// The server refused a command.
        case complaint(String)
        /// It is over; nothing follows.
        case ended(NATSConnectionEnd)
    }

    /// What this side fires into the pipeline when it wants another server.
    struct Leave: Sendable {}

    private let clock: any EventClock
    private let begin: @Sendable (MonotonicTime) -> ConnectionMachine
    private let report: @Sendable (Event) -> Void
    private let tls: TLSClient?
    private let host: String
    private var machine: ConnectionMachine?
    private var decoder = NATSDecoder()
    private var timer: Scheduled<Void>?
    /// When the timer goes off.
    private var alarm: MonotonicTime?

    /// A handler for a connection that is being made.
    ///
    /// - Parameters:
    ///   - tls: Encrypts the connection, where the machine wants that.
    ///   - host: Who the server has to be then.
    ///   - begin: Makes the machine when the connection is made.
    ///   - report: Called on the event loop; it must return at once.
    init(
        clock: any EventClock,
        tls: TLSClient?,
        host: String,
        begin: @escaping @Sendable (MonotonicTime) -> ConnectionMachine,
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
        // A reset, say. What it means for requests is the same as an orderly end.
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

    private func perform(_ actions: [ConnectionMachine.Action], _ context: ChannelHandlerContext) {
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
            guard let tls else { throw TLSFailure.other("there is nothing to encrypt it with") }
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
