// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorTLS
internal import TrackwayEvents

/// Decides the steps of a connection to a NATS server.
///
/// They are greeting, encryption, handshake, keep-alive, and leaving.
///
/// A value type: its driver passes in events and the time, and performs the returned actions.
struct NATSConnectionStateMachine: Sendable {
    /// An action for the driver, in order.
    enum Action: Sendable, Hashable {
        /// Send a command.
        case send(NATSCommand)
        /// Encrypt the connection, and call ``secured(pendingBytes:at:)`` when done. Send nothing before that.
        case secure
        /// The connection is ready for use.
        case ready(NATSServerInfo)
        /// The server sent an updated description, such as addresses of other servers.
        case learned(NATSServerInfo)
        /// Deliver a message of a subscription.
        case deliver(NATSMessage)
        /// Report that the server rejected a command and kept the connection open.
        case complain(String)
        /// Close the connection. The last action.
        case close(NATSConnectionEnd)
    }

    private enum Phase: Sendable {
        /// Connected; waiting for the server's greeting.
        case greeting(until: MonotonicTime)
        /// The server sent its greeting, and the connection is being encrypted.
        ///
        /// The greeting is not verified: a man in the middle may have written it.
        case securing(NATSServerInfo, until: MonotonicTime)
        /// The first `PING` is sent after everything else, so its `PONG` acknowledges all of it.
        case handshake(NATSServerInfo, until: MonotonicTime)
        /// In use. Nothing arrived after the latest `unanswered` `PING`s.
        case ready(nextPing: MonotonicTime, unanswered: Int)
        case ended
    }

    private let inbox: String
    private let credentials: NATSCredentials?
    private let client: String
    private let isEncrypted: Bool
    private let times: NATSTimes
    private var phase: Phase

    /// Creates a machine for a connection that was just established.
    ///
    /// - Parameters:
    ///   - inbox: The prefix of the subjects for replies, received under subscription 1.
    ///   - client: The client's name as the server shows it.
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

    /// When to call ``tick(at:)`` next; nil after the connection ended.
    var deadline: MonotonicTime? {
        switch phase {
        case .greeting(let until), .securing(_, let until), .handshake(_, let until): until
        case .ready(let nextPing, _): nextPing
        case .ended: nil
        }
    }

    /// Handles a message from the server.
    mutating func received(_ message: NATSServerMessage, at now: MonotonicTime) -> [Action] {
        switch (phase, message) {
        case (.ended, _):
            // It was in flight when the connection ended.
            return []
        case (.securing, _):
            // After the greeting, a server waits for the handshake. More plain text could be mistaken for encrypted
            // data.
            return end(.insecure(.plainBytes))
        case (_, .ping):
            return [.send(.pong)] + heard()
        case (_, .error(let text)):
            // Of all errors, only these leave the connection open.
            let lower = text.lowercased()
            if lower.hasPrefix("permissions violation") || lower.hasPrefix("invalid subject") {
                return [.complain(text)]
            }
            return end(.refused(text))
        case (.greeting, .info(let info)):
            return greeted(by: info, at: now)
        case (.greeting, _):
            // A NATS server sends `INFO` first, so this is a different server.
            return end(.noServer)
        case (.handshake, .pong):
            guard case .handshake(let info, _) = phase else { return [] }
            phase = .ready(nextPing: now.advanced(by: times.ping), unanswered: 0)
            return [.ready(info)]
        case (.handshake(_, let until), .info(let info)):
            if info.isLeaving { return end(.leaving) }
            phase = .handshake(info, until: until)
            return []
        case (.ready, .info(let info)):
            if info.isLeaving { return end(.leaving) }
            return [.learned(info)] + heard()
        case (_, .message(let message)):
            return [.deliver(message)] + heard()
        case (_, .pong), (_, .ok):
            return heard()
        }
    }

    private mutating func greeted(by info: NATSServerInfo, at now: MonotonicTime) -> [Action] {
        if info.isLeaving { return end(.leaving) }
        if isEncrypted {
            // Falling back to plain text would serve a man in the middle who removed the offer from the greeting.
            guard info.offersTLS else { return end(.offersNoTLS) }
            phase = .securing(info, until: now.advanced(by: times.greeting))
            return [.secure]
        }
        if info.needsTLS { return end(.needsTLS) }
        return introduce(to: info, at: now)
    }

    /// Continues after the connection is encrypted and the server verified.
    ///
    /// - Parameter pendingBytes: The number of bytes of an incomplete message that arrived in plain text after the
    ///   greeting.
    mutating func secured(pendingBytes: Int, at now: MonotonicTime) -> [Action] {
        guard case .securing(let info, _) = phase else { return [] }
        if pendingBytes > 0 { return end(.insecure(.plainBytes)) }
        return introduce(to: info, at: now)
    }

    /// Ends the connection because encryption failed, during the handshake or later.
    mutating func insecure(_ failure: TLSFailure) -> [Action] {
        if case .ended = phase { return [] }
        return end(.insecure(failure))
    }

    private mutating func introduce(to info: NATSServerInfo, at now: MonotonicTime) -> [Action] {
        guard info.knowsHeaders else { return end(.tooOld(info.version)) }
        phase = .handshake(info, until: now.advanced(by: times.greeting))
        return [
            .send(.connect(credentials, client: client)),
            .send(.subscribe(subject: inbox + ".*", subscription: 1)),
            .send(.ping),
        ]
    }

    /// Anything received shows that the server is alive.
    private mutating func heard() -> [Action] {
        if case .ready(let nextPing, _) = phase { phase = .ready(nextPing: nextPing, unanswered: 0) }
        return []
    }

    /// Advances time; returns due actions.
    mutating func tick(at now: MonotonicTime) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        case .greeting:
            // A paused server accepts connections but sends nothing.
            return end(.noGreeting)
        case .securing:
            return end(.insecure(.unanswered))
        case .handshake:
            return end(.noHandshake)
        case .ready(_, let unanswered):
            guard unanswered < times.missedPings else { return end(.silent) }
            phase = .ready(nextPing: now.advanced(by: times.ping), unanswered: unanswered + 1)
            return [.send(.ping)]
        case .ended:
            return []
        }
    }

    /// Ends the connection because of a protocol violation.
    mutating func failed(_ error: NATSProtocolError) -> [Action] {
        if case .ended = phase { return [] }
        return end(.garbage(error))
    }

    /// Ends the connection because the client wants another server.
    mutating func leave() -> [Action] {
        if case .ended = phase { return [] }
        return end(.left)
    }

    /// Handles the end of the connection.
    mutating func closed() -> [Action] {
        switch phase {
        case .ended: return []
        case .securing: return end(.insecure(.ended))
        // For the client, the TLS handshake ends before the server has checked the client certificate.
        case .handshake where isEncrypted: return end(.insecure(.ended))
        case .greeting, .handshake, .ready: return end(.closed)
        }
    }

    private mutating func end(_ reason: NATSConnectionEnd) -> [Action] {
        phase = .ended
        return [.close(reason)]
    }
}

/// Timeouts and intervals of a connection.
package struct NATSTimes: Sendable, Hashable {
    /// The timeout for connecting, for the greeting, and for the handshake, each.
    package var greeting: Duration = .seconds(2)
    /// The interval between two `PING`s.
    package var ping: Duration = .seconds(10)
    /// The number of unanswered `PING`s after which the server counts as lost.
    package var missedPings = 2
    /// The first pause after all servers failed. It doubles with each round.
    package var firstPause: Duration = .milliseconds(100)
    /// The maximum pause between two rounds.
    package var longestPause: Duration = .seconds(2)

    /// Creates the default times.
    package init() {}
}

/// Why a connection ended.
package enum NATSConnectionEnd: Error, Sendable, Hashable, CustomStringConvertible {
    /// No server listens there, or the network does not reach it.
    case unreachable(String)
    /// The server accepted the connection and sent nothing.
    case noGreeting
    /// The server there is not a NATS server.
    case noServer
    /// The server sent its greeting but did not answer the handshake.
    case noHandshake
    /// The server stopped responding.
    case silent
    /// The server is shutting down.
    case leaving
    /// The server requires TLS, but its address is for a plain connection.
    case needsTLS
    /// The server offers no TLS, but its address requires it.
    case offersNoTLS
    /// The connection could not be encrypted, or not with the given server.
    case insecure(TLSFailure)
    /// The server does not support headers. Carries its version.
    case tooOld(String)
    /// The server rejected the client. Carries the server's message.
    case refused(String)
    /// The server violated the protocol.
    case garbage(NATSProtocolError)
    /// The server closed the connection.
    case closed
    /// The client switched to another server.
    case left

    /// A message to append to the server's address.
    package var description: String {
        switch self {
        case .unreachable(let reason): "cannot be reached (\(reason))"
        case .noGreeting:
            "accepts the connection but sends nothing; check whether it is paused, overloaded or set to handshake_first"
        case .noServer: "is not a NATS server; check what listens on this port"
        case .noHandshake: "sent its greeting but does not answer"
        case .silent: "stopped responding"
        case .leaving: "is shutting down"
        case .needsTLS:
            "requires TLS; write tls:// instead of nats:// in its address"
        case .offersNoTLS:
            "offers no TLS, so nothing was sent to it; add a tls block to its file, and rule out a man in the middle"
        case .insecure(let failure): failure.words(option: "--engine")
        case .tooOld(let version): "has version \(version), which does not support headers; install 2.11 or newer"
        case .refused(let text): "rejected the connection: \(text); check the credentials and the server's accounts"
        case .garbage(let error): "violated the protocol: \(error)"
        case .closed: "closed the connection"
        case .left: "was dropped in favor of another server"
        }
    }
}
