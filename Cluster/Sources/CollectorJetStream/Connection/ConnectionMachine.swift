// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorTLS
internal import TrackwayEvents

/// Decides what a connection to a server of NATS does: greeting, encryption, handshake, looking whether the other side is there, leaving.
///
/// A value: the driver tells it what came and what time it is, and does what it says.
struct ConnectionMachine: Sendable {
    /// What the driver has to do, in order.
    enum Action: Sendable, Hashable {
        /// Send a command.
        case send(NATSCommand)
        /// Encrypt the connection, and say when that is done. Nothing is sent before.
        case secure
        /// The connection can be used from now on.
        case ready(NATSServerInfo)
        /// The server told something new of itself, such as where others are.
        case learned(NATSServerInfo)
        /// A message of a subscription.
        case deliver(NATSMessage)
        /// The server refused a command, and stays.
        case complain(String)
        /// Close the connection: nothing more comes of it.
        case close(NATSConnectionEnd)
    }

    private enum Phase: Sendable {
        /// Connected; the server speaks first.
        case greeting(until: MonotonicTime)
        /// The server greeted, and the connection is being encrypted. What the greeting says is not proven: whoever stands in between may have
        /// written it.
        case securing(NATSServerInfo, until: MonotonicTime)
        /// The first `PING` is sent behind everything else, so its `PONG` says that all of it was taken.
        case handshake(NATSServerInfo, until: MonotonicTime)
        /// In use. `unanswered` of the latest `PING`s were followed by nothing at all.
        case ready(nextPing: MonotonicTime, unanswered: Int)
        case ended
    }

    private let inbox: String
    private let credentials: NATSCredentials?
    private let client: String
    private let isEncrypted: Bool
    private let times: NATSTimes
    private var phase: Phase

    /// A connection that was made just now.
    ///
    /// - Parameters:
    ///   - inbox: Below this subject answers are expected, under subscription 1.
    ///   - client: The name the server shows for this side.
    ///   - isEncrypted: Whether the connection is encrypted before anything is said.
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

    /// When to say what time it is; nil when that is of no interest any more.
    var deadline: MonotonicTime? {
        switch phase {
        case .greeting(let until), .securing(_, let until), .handshake(_, let until): until
        case .ready(let nextPing, _): nextPing
        case .ended: nil
        }
    }

    /// The server said something.
    mutating func received(_ message: NATSServerMessage, at now: MonotonicTime) -> [Action] {
        switch (phase, message) {
        case (.ended, _):
            // What was on its way when it ended.
            return []
        case (.securing, _):
            // Behind the greeting a server waits for the handshake. What else comes in plain could pass for something said in it.
            return end(.insecure(.plainBytes))
        case (_, .ping):
            return [.send(.pong)] + heard()
        case (_, .error(let text)):
            // Of what a server says so, these do not end the connection.
            let lower = text.lowercased()
            if lower.hasPrefix("permissions violation") || lower.hasPrefix("invalid subject") {
                return [.complain(text)]
            }
            return end(.refused(text))
        case (.greeting, .info(let info)):
            return greeted(by: info, at: now)
        case (.greeting, _):
            // A server says who it is before anything else; this is none.
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
            // To go on in plain would be what somebody in between wants who takes the offer out of the greeting.
            guard info.offersTLS else { return end(.offersNoTLS) }
            phase = .securing(info, until: now.advanced(by: times.greeting))
            return [.secure]
        }
        if info.needsTLS { return end(.needsTLS) }
        return introduce(to: info, at: now)
    }

    /// The connection is encrypted, and the server is who it has to be.
    ///
    /// - Parameter pendingBytes: How many bytes that are no whole message came in plain behind the greeting.
    mutating func secured(pendingBytes: Int, at now: MonotonicTime) -> [Action] {
        guard case .securing(let info, _) = phase else { return [] }
        if pendingBytes > 0 { return end(.insecure(.plainBytes)) }
        return introduce(to: info, at: now)
    }

    /// The connection cannot be encrypted, or not any more.
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

    /// Whatever comes shows that the other side is there.
    private mutating func heard() -> [Action] {
        if case .ready(let nextPing, _) = phase { phase = .ready(nextPing: nextPing, unanswered: 0) }
        return []
    }

    /// It is so late.
    mutating func tick(at now: MonotonicTime) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch phase {
        case .greeting:
            // A paused server accepts connections and says nothing.
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

    /// The bytes that came are not the protocol's.
    mutating func failed(_ error: NATSProtocolError) -> [Action] {
        if case .ended = phase { return [] }
        return end(.garbage(error))
    }

    /// This side wants another server.
    mutating func leave() -> [Action] {
        if case .ended = phase { return [] }
        return end(.left)
    }

    /// The connection is closed.
    mutating func closed() -> [Action] {
        switch phase {
        case .ended: return []
        case .securing: return end(.insecure(.ended))
        // To this side the handshake of TLS is over before the server has looked at its certificate.
        case .handshake where isEncrypted: return end(.insecure(.ended))
        case .greeting, .handshake, .ready: return end(.closed)
        }
    }

    private mutating func end(_ reason: NATSConnectionEnd) -> [Action] {
        phase = .ended
        return [.close(reason)]
    }
}

/// How long what may take at a connection.
package struct NATSTimes: Sendable, Hashable {
    /// Until a connection is made, until the server greets, and again until it takes the handshake.
    package var greeting: Duration = .seconds(2)
    /// Between two looks whether the server is there.
    package var ping: Duration = .seconds(10)
    /// After so many looks without a sign of life the server counts as gone.
    package var missedPings = 2
    /// The first pause when all servers were tried in vain; it doubles with each round.
    package var firstPause: Duration = .milliseconds(100)
    /// The longest pause between two rounds.
    package var longestPause: Duration = .seconds(2)

    /// The usual times.
    package init() {}
}

/// Why a connection is no more.
package enum NATSConnectionEnd: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nobody listens there, or the network does not reach it.
    case unreachable(String)
    /// The server took the connection and said nothing.
    case noGreeting
    /// What listens there is no server of NATS.
    case noServer
    /// The server greeted, and did not take what this side said.
    case noHandshake
    /// The server was not heard any more.
    case silent
    /// The server is about to end.
    case leaving
    /// The server wants encryption, and its address is of a plain connection.
    case needsTLS
    /// The server offers no encryption, and its address wants it.
    case offersNoTLS
    /// The connection could not be encrypted, or not with the server that was named.
    case insecure(TLSFailure)
    /// The server does not know headers.
    case tooOld(String)
    /// The server refuses this side, in its words.
    case refused(String)
    /// What it sent is not the protocol.
    case garbage(NATSProtocolError)
    /// The server closed the connection.
    case closed
    /// This side wanted another server.
    case left

    /// Half a sentence that goes behind the server's address.
    package var description: String {
        switch self {
        case .unreachable(let reason): "cannot be reached (\(reason))"
        case .noGreeting:
            "takes the connection and says nothing; see whether it is paused or overloaded, or set to handshake_first"
        case .noServer: "is no server of NATS; see what listens at this port"
        case .noHandshake: "greets and does not answer"
        case .silent: "was not heard any more"
        case .leaving: "is about to end"
        case .needsTLS:
            "takes no connection without TLS; write tls:// in place of nats:// before its address"
        case .offersNoTLS:
            "offers no TLS, so nothing was sent to it; give it a block tls in its file, and see that nobody stands in between"
        case .insecure(let failure): failure.words(option: "--engine")
        case .tooOld(let version): "is of version \(version), which knows no headers; install 2.11 or newer"
        case .refused(let text): "refuses the connection: \(text); see the credentials and the server's accounts"
        case .garbage(let error): "sent what is not the protocol: \(error)"
        case .closed: "closed the connection"
        case .left: "was left for another"
        }
    }
}
