// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorTLS
internal import TrackwayCore

/// Decides the steps of a connection to a NATS server.
///
/// The steps are greeting, encryption, handshake, keep-alive, and close.
///
/// A value type: the driver passes in events and the time, and performs the returned actions.
struct NATSConnectionStateMachine: Sendable {
    /// An action for the driver, which performs actions in the returned order.
    enum Action: Sendable, Hashable {
        /// Send a command.
        case send(NATSCommand)
        /// Encrypt the connection, and call ``tlsHandshakeCompleted(pendingBytes:at:)`` when done. Send nothing before
        /// that.
        case startTLS
        /// The connection is ready for use.
        case ready(NATSServerInfo)
        /// The server sent an updated description, such as addresses of other servers.
        case infoUpdated(NATSServerInfo)
        /// Deliver a message for a subscription.
        case deliver(NATSMessage)
        /// Report that the server rejected a command and kept the connection open.
        case serverError(String)
        /// Close the connection. This is the last action.
        case close(NATSConnectionEnd)
    }

    private enum Phase: Sendable {
        /// The connection is established and waits for the server's greeting.
        case greeting(until: MonotonicTime)
        /// The server sent its greeting, and the connection is being encrypted.
        ///
        /// The greeting is not verified; an attacker may have forged it.
        case securing(NATSServerInfo, until: MonotonicTime)
        /// The handshake was sent. Its `PING` comes last, so the `PONG` acknowledges all commands before it.
        case handshake(NATSServerInfo, until: MonotonicTime)
        /// The connection is in use. `unanswered` is the number of `PING`s sent since the server's last message.
        case ready(nextPing: MonotonicTime, unanswered: Int)
        case ended
    }

    private let inbox: String
    private let credentials: NATSCredentials?
    private let client: String
    private let isEncrypted: Bool
    private let times: NATSTimes
    private var phase: Phase

    /// Creates a state machine for a connection that was just established.
    ///
    /// - Parameters:
    ///   - inbox: The prefix of the reply subjects, which subscription 1 receives.
    ///   - client: The client name that the server displays.
    ///   - isEncrypted: Whether to encrypt the connection before sending anything.
    init(
        inbox: String,
        credentials: NATSCredentials?,
        client: String,
        isEncrypted: Bool = false,
        times: NATSTimes,
        at now: MonotonicTime
    ) {
        self.inbox = inbox
        self.credentials = credentials
        self.client = client
        self.isEncrypted = isEncrypted
        self.times = times
        phase = .greeting(until: now.advanced(by: times.greeting))
    }

    /// The time of the next call to ``tick(at:)``; nil after the connection has ended.
    var deadline: MonotonicTime? {
        switch phase {
        case .greeting(let until), .securing(_, let until), .handshake(_, let until): until
        case .ready(let nextPing, _): nextPing
        case .ended: nil
        }
    }

    /// Handles a message from the server.
    mutating func handle(_ message: NATSServerMessage, at now: MonotonicTime) -> [Action] {
        switch (phase, message) {
        case (.ended, _):
            // The message was in flight when the connection ended.
            return []
        case (.securing, _):
            // After the greeting, a server waits for the handshake. Further plain text could be mistaken for encrypted
            // data.
            return end(.tlsFailed(.unencryptedData))
        case (_, .ping):
            return [.send(.pong)] + resetUnansweredPings()
        case (_, .error(let text)):
            // Only these errors leave the connection open.
            let lower = text.lowercased()
            if lower.hasPrefix("permissions violation") || lower.hasPrefix("invalid subject") {
                return [.serverError(text)]
            }
            return end(.rejected(text))
        case (.greeting, .info(let info)):
            return handleGreeting(info, at: now)
        case (.greeting, _):
            // A NATS server sends `INFO` first, so this is not a NATS server.
            return end(.notNATSServer)
        case (.handshake, .pong):
            guard case .handshake(let info, _) = phase else { return [] }
            phase = .ready(nextPing: now.advanced(by: times.ping), unanswered: 0)
            return [.ready(info)]
        case (.handshake(_, let until), .info(let info)):
            if info.isShuttingDown { return end(.shuttingDown) }
            phase = .handshake(info, until: until)
            return []
        case (.ready, .info(let info)):
            if info.isShuttingDown { return end(.shuttingDown) }
            return [.infoUpdated(info)] + resetUnansweredPings()
        case (_, .message(let message)):
            return [.deliver(message)] + resetUnansweredPings()
        case (_, .pong), (_, .ok):
            return resetUnansweredPings()
        }
    }

    private mutating func handleGreeting(_ info: NATSServerInfo, at now: MonotonicTime) -> [Action] {
        if info.isShuttingDown { return end(.shuttingDown) }
        if isEncrypted {
            // Falling back to plain text would help an attacker who removed the TLS offer from the greeting.
            guard info.offersTLS else { return end(.tlsNotOffered) }
            phase = .securing(info, until: now.advanced(by: times.greeting))
            return [.startTLS]
        }
        if info.requiresTLS { return end(.requiresTLS) }
        return sendHandshake(to: info, at: now)
    }

    /// Continues once the connection is encrypted and the server is verified.
    ///
    /// - Parameter pendingBytes: The number of bytes of an incomplete message that arrived in plain text after the
    ///   greeting.
    mutating func tlsHandshakeCompleted(pendingBytes: Int, at now: MonotonicTime) -> [Action] {
        guard case .securing(let info, _) = phase else { return [] }
        if pendingBytes > 0 { return end(.tlsFailed(.unencryptedData)) }
        return sendHandshake(to: info, at: now)
    }

    /// Ends the connection because encryption failed, during the handshake or later.
    mutating func tlsFailed(_ failure: TLSFailure) -> [Action] {
        if case .ended = phase { return [] }
        return end(.tlsFailed(failure))
    }

    private mutating func sendHandshake(to info: NATSServerInfo, at now: MonotonicTime) -> [Action] {
        guard info.supportsHeaders else { return end(.unsupportedVersion(info.version)) }
        phase = .handshake(info, until: now.advanced(by: times.greeting))
        return [
            .send(.connect(credentials, client: client)),
            .send(.subscribe(subject: inbox + ".*", subscription: 1)),
            .send(.ping),
        ]
    }

    /// Resets the number of unanswered `PING`s, because a message shows that the server is alive.
    private mutating func resetUnansweredPings() -> [Action] {
        if case .ready(let nextPing, _) = phase { phase = .ready(nextPing: nextPing, unanswered: 0) }
        return []
    }

    /// Advances the time and returns the actions that are due.
    mutating func tick(at now: MonotonicTime) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        case .greeting:
            // A paused server accepts connections but sends nothing.
            return end(.greetingTimeout)
        case .securing:
            return end(.tlsFailed(.handshakeTimeout))
        case .handshake:
            return end(.handshakeTimeout)
        case .ready(_, let unanswered):
            guard unanswered < times.maxMissedPings else { return end(.unresponsive) }
            phase = .ready(nextPing: now.advanced(by: times.ping), unanswered: unanswered + 1)
            return [.send(.ping)]
        case .ended:
            return []
        }
    }

    /// Ends the connection because of a protocol violation.
    mutating func decodingFailed(_ error: NATSProtocolError) -> [Action] {
        if case .ended = phase { return [] }
        return end(.protocolViolation(error))
    }

    /// Ends the connection because the client switches to another server.
    mutating func close() -> [Action] {
        if case .ended = phase { return [] }
        return end(.closedByClient)
    }

    /// Handles a connection that the server or the network closed.
    mutating func connectionClosed() -> [Action] {
        switch phase {
        case .ended: return []
        case .securing: return end(.tlsFailed(.closedDuringHandshake))
        // For the client, the TLS handshake ends before the server has checked the client certificate.
        case .handshake where isEncrypted: return end(.tlsFailed(.closedDuringHandshake))
        case .greeting, .handshake, .ready: return end(.closedByServer)
        }
    }

    private mutating func end(_ reason: NATSConnectionEnd) -> [Action] {
        phase = .ended
        return [.close(reason)]
    }
}

/// Timeouts and intervals of a connection.
package struct NATSTimes: Sendable, Hashable {
    /// The timeout of each step: connecting, greeting, and handshake.
    package var greeting: Duration = .seconds(2)
    /// The interval between two `PING`s.
    package var ping: Duration = .seconds(10)
    /// The number of unanswered `PING`s after which the server counts as unresponsive.
    package var maxMissedPings = 2
    /// The pause after all servers have failed once.
    ///
    /// The pause doubles with each further round.
    package var firstPause: Duration = .milliseconds(100)
    /// The maximum pause between two rounds.
    package var longestPause: Duration = .seconds(2)

    /// Creates the default times.
    package init() {}
}

/// Why a connection ended.
package enum NATSConnectionEnd: Error, Sendable, Hashable, CustomStringConvertible {
    /// No server listens at the address, or the network cannot reach it.
    case unreachable(String)
    /// The server accepted the connection but sent nothing.
    case greetingTimeout
    /// The server is not a NATS server.
    case notNATSServer
    /// The server sent its greeting but did not answer the handshake.
    case handshakeTimeout
    /// The server stopped responding.
    case unresponsive
    /// The server is shutting down.
    case shuttingDown
    /// The server requires TLS, but its address specifies an unencrypted connection.
    case requiresTLS
    /// The server does not offer TLS, but its address requires it.
    case tlsNotOffered
    /// Encryption failed, or the server could not be verified.
    case tlsFailed(TLSFailure)
    /// The server does not support headers. Carries its version.
    case unsupportedVersion(String)
    /// The server rejected the client. Carries the server's message.
    case rejected(String)
    /// The server violated the protocol.
    case protocolViolation(NATSProtocolError)
    /// The server closed the connection.
    case closedByServer
    /// The client switched to another server.
    case closedByClient

    /// A message to append to the server's address.
    package var description: String {
        switch self {
        case .unreachable(let reason): "cannot be reached (\(reason))"
        case .greetingTimeout:
            "accepts the connection but sends nothing; check whether it is paused, overloaded, or uses handshake_first"
        case .notNATSServer: "is not a NATS server; check what is listening on this port"
        case .handshakeTimeout: "sent its greeting but does not respond"
        case .unresponsive: "stopped responding"
        case .shuttingDown: "is shutting down"
        case .requiresTLS:
            "requires TLS; write tls:// instead of nats:// in its address"
        case .tlsNotOffered:
            "offers no TLS, so nothing was sent to it; add a tls block to its configuration, and rule out a "
                + "man-in-the-middle attack"
        case .tlsFailed(let failure): failure.message(option: "--nats")
        case .unsupportedVersion(let version):
            "has version \(version), which does not support headers; install 2.11 or newer"
        case .rejected(let text): "rejected the connection: \(text); check the credentials and the server's accounts"
        case .protocolViolation(let error): "violated the protocol: \(error)"
        case .closedByServer: "closed the connection"
        case .closedByClient: "was dropped in favor of another server"
        }
    }
}
