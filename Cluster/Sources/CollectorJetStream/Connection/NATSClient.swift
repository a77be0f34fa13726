// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorTLS
internal import NIOCore
internal import NIOPosix
package import TrackwayCore

/// A client of a NATS cluster, with one connection at a time.
///
/// When a connection ends, the client connects to the next server. Any number of requests may be in flight; each has
/// its own reply subject under one inbox. Requests are not retried here: a request whose connection is lost fails,
/// because only its caller knows whether a retry is safe. Safe from any thread.
package final class NATSClient: Sendable {
    private let credentials: NATSCredentials?
    private let tls: TLSClient?
    private let name: String
    private let times: NATSTimes
    private let inbox: String
    private let clock: any EventClock
    private let sleep: @Sendable (Duration) async -> Void
    private let onWarning: @Sendable (String) -> Void
    private let onConnectionChange: @Sendable () -> Void
    private let state: Locked<State>

    private struct State {
        var rotation: AddressRotation
        /// The number of the latest connection, which may not be established yet.
        var number: UInt64 = 0
        var current: (connection: NATSConnection, channel: any Channel, since: MonotonicTime)?
        var requests = PendingRequests()
        /// How the last connection to each server ended.
        var ends: [NATSAddress: NATSConnectionEnd] = [:]
    }

    /// Creates a client that connects once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - addresses: The servers, in the order to try them.
    ///   - credentials: The credentials, or nil for none.
    ///   - tls: The TLS client for addresses that require encryption; if nil, connections to them fail.
    ///   - name: The client name that servers display.
    ///   - times: Timeouts and intervals.
    ///   - clock: The clock.
    ///   - randomUInt64: Returns random numbers for the inbox, which must be unique.
    ///   - sleep: Waits; returns early when canceled.
    ///   - onWarning: Called with one sentence when a server becomes unusable or rejects a command. Must return
    ///     immediately.
    ///   - onConnectionChange: Called when a connection is established and when it ends. Must return immediately.
    package init(
        _ addresses: [NATSAddress],
        credentials: NATSCredentials? = nil,
        tls: TLSClient? = nil,
        name: String = "trackway",
        times: NATSTimes = NATSTimes(),
        clock: any EventClock = SystemClock(),
        randomUInt64: () -> UInt64,
        sleep: @escaping @Sendable (Duration) async -> Void,
        onWarning: @escaping @Sendable (String) -> Void = { _ in },
        onConnectionChange: @escaping @Sendable () -> Void = {}
    ) {
        self.credentials = credentials
        self.tls = tls
        self.name = name
        self.times = times
        inbox = "_INBOX.\(String(randomUInt64(), radix: 36))\(String(randomUInt64(), radix: 36))"
        self.clock = clock
        self.sleep = sleep
        self.onWarning = onWarning
        self.onConnectionChange = onConnectionChange
        state = Locked(State(rotation: AddressRotation(addresses, times: times)))
    }

    /// The connection in use, or nil.
    package var connection: NATSConnection? { state.withLock { $0.current?.connection } }

    /// The reason for each server's connection failure.
    ///
    /// Nil while connected, or if no server has been tried yet.
    package var connectionError: String? {
        state.withLock { state in
            guard state.current == nil, !state.ends.isEmpty else { return nil }
            return state.rotation.addresses.compactMap { address in
                state.ends[address].map { "\(address) \($0)" }
            }.joined(separator: "; ")
        }
    }

    // MARK: Connecting

    /// Maintains a connection until the task is canceled.
    ///
    /// Only one call may run at a time.
    package func run() async {
        while !Task.isCancelled {
            guard let (address, pause) = state.withLock({ $0.rotation.take() }) else { return }
            if pause > .zero { await sleep(pause) }
            if Task.isCancelled { return }
            await connect(to: address)
        }
    }

    /// Closes a connection and moves to the next server.
    ///
    /// The connection's pending requests fail. Does nothing if the connection has already ended.
    package func dropConnection(_ number: UInt64) {
        let channel = state.withLock { $0.current?.connection.number == number ? $0.current?.channel : nil }
        channel?.pipeline.fireUserInboundEventTriggered(ConnectionHandler.CloseRequest())
    }

    /// Connects to a server, and returns when the connection has ended.
    private func connect(to address: NATSAddress) async {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let channel: any Channel
        do {
            channel = try await bootstrap(address, number).connect(host: address.host, port: address.port).get()
        } catch {
            connectionEnded(.unreachable(Self.reason(error)), address, number)
            return
        }
        await withTaskCancellationHandler {
            // The handler has already reported why the connection closed.
            try? await channel.closeFuture.get()
        } onCancel: {
            // A client-initiated close causes no warning.
            channel.pipeline.fireUserInboundEventTriggered(ConnectionHandler.CloseRequest())
            channel.close(promise: nil)
        }
    }

    private func bootstrap(_ address: NATSAddress, _ number: UInt64) -> ClientBootstrap {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.milliseconds(times.greeting.wholeMilliseconds))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { [clock, inbox, credentials, tls, name, times] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ConnectionHandler(
                            clock: clock,
                            tls: address.isEncrypted ? tls : nil,
                            host: address.host,
                            makeStateMachine: { now in
                                NATSConnectionStateMachine(
                                    inbox: inbox,
                                    credentials: credentials,
                                    client: name,
                                    isEncrypted: address.isEncrypted,
                                    times: times,
                                    at: now
                                )
                            },
                            report: { self.handle($0, address, number, channel) }
                        )
                    )
                }
            }
    }

    private func handle(
        _ event: ConnectionHandler.Event,
        _ address: NATSAddress,
        _ number: UInt64,
        _ channel: any Channel
    ) {
        switch event {
        case .ready(let info):
            let now = clock.now().monotonic
            state.withLock { state in
                state.rotation.updateLearnedAddresses(info.others)
                state.ends[address] = nil
                state.current = (NATSConnection(number: number, address: address, server: info), channel, now)
            }
            onConnectionChange()
        case .infoUpdated(let info):
            state.withLock { $0.rotation.updateLearnedAddresses(info.others) }
        case .message(let message):
            let answered = state.withLock { $0.requests.receive(message, inbox: inbox) }
            answered?.resume()
        case .serverError(let text):
            onWarning("NATS server \(address) rejected a command: \(text)")
        case .ended(let end):
            connectionEnded(end, address, number)
        }
    }

    private func connectionEnded(_ end: NATSConnectionEnd, _ address: NATSAddress, _ number: UInt64) {
        let now = clock.now().monotonic
        let (isNew, lost) = state.withLock { state -> (Bool, [PendingRequests.Outcome]) in
            let isNew = state.ends.updateValue(end, forKey: address) != end
            let isCurrent = state.current?.connection.number == number
            // A server that accepts connections but ends them immediately counts as failed.
            if isCurrent, let since = state.current?.since, since.duration(to: now) >= times.longestPause {
                state.rotation.recordSuccess()
            } else {
                state.rotation.recordFailure()
            }
            if isCurrent { state.current = nil }
            return (isNew, state.requests.connectionLost(number))
        }
        for request in lost { request.resume() }
        if isNew, end != .closedByClient { onWarning("NATS server \(address) \(end).") }
        onConnectionChange()
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as IOError: return error.description
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return reason(first.error) }
            return "unknown host name"
        case ChannelError.connectTimeout: return "timed out"
        default: return "\(error)"
        }
    }

    // MARK: Requests

    /// Sends a request and returns its reply.
    ///
    /// - Parameters:
    ///   - subject: The subject of the request; must not contain spaces.
    ///   - timeout: The maximum time to wait for the reply.
    /// - Throws: ``NATSRequestFailure``, which indicates whether the request may have arrived.
    package func request(
        _ subject: String,
        headers: NATSHeaders? = nil,
        body: [UInt8] = [],
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> NATSMessage {
        let messages = try await send(subject, headers, body, replyCount: 1, timeout)
        guard let message = messages.first else { throw .unanswered(connection: 0) }
        return message
    }

    /// Sends a request to a subject's subscribers and collects their replies.
    ///
    /// Returns once `count` replies have arrived. After the timeout, returns the replies received so far.
    ///
    /// - Parameter count: The maximum number of replies.
    /// - Throws: ``NATSRequestFailure`` if no reply arrived at all.
    package func collect(
        _ subject: String,
        body: [UInt8] = [],
        upTo count: Int,
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage] {
        try await send(subject, nil, body, replyCount: count, timeout)
    }

    private func send(
        _ subject: String,
        _ headers: NATSHeaders?,
        _ body: [UInt8],
        replyCount: Int,
        _ timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage] {
        let result = await withUnsafeContinuation { continuation in
            start(subject, headers, body, PendingRequests.Request(replyCount: replyCount, continuation), timeout)
        }
        return try result.get()
    }

    private func start(
        _ subject: String,
        _ headers: NATSHeaders?,
        _ body: [UInt8],
        _ request: PendingRequests.Request,
        _ timeout: Duration
    ) {
        let bytes = body.count + (headers?.bytes.count ?? 0)
        let target = state.withLock { state -> Result<(UInt64, any Channel), NATSRequestFailure> in
            guard let (connection, channel, _) = state.current else { return .failure(.notConnected) }
            let limit = connection.server.maxMessageBytes
            guard bytes <= limit else { return .failure(.tooLong(bytes: bytes, limit: limit)) }
            return .success((state.requests.add(request, connection: connection.number), channel))
        }
        switch target {
        case .failure(let failure):
            request.continuation.resume(returning: .failure(failure))
        case .success((let token, let channel)):
            var buffer = channel.allocator.buffer(capacity: bytes + 256)
            NATSCommand.publish(subject: subject, reply: "\(inbox).\(token)", headers: headers, body: body)
                .write(to: &buffer)
            // If the write fails, the connection ends and the request fails with it.
            channel.writeAndFlush(buffer, promise: nil)
            channel.eventLoop.scheduleTask(in: .milliseconds(timeout.wholeMilliseconds)) {
                self.state.withLock { $0.requests.expire(token) }?.resume()
            }
        }
    }
}

/// An established connection of a client.
package struct NATSConnection: Sendable, Hashable {
    /// The connection's number, which increases with every connection of a client.
    package var number: UInt64
    /// The server's address.
    package var address: NATSAddress
    /// The server's description.
    package var server: NATSServerInfo
}
