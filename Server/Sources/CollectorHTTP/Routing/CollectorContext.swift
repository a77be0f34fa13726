// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The context of a request, including the peer of its connection.
struct CollectorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the peer; nil if it has none.
    let peer: IPAddress?
    /// The channel of the connection.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress.flatMap { text in
            // Remove the interface from a link-local address.
            IPAddress(text.prefix { $0 != "%" })
        }
    }
}

/// Determines client addresses, including behind trusted proxies.
struct ClientAddresses: Sendable {
    /// The addresses of proxies whose `X-Forwarded-For` is trusted.
    let trustedProxies: Set<IPAddress>

    /// Returns the address that a request is counted against.
    ///
    /// The parameters are those of ``sender(peer:forwardedFor:)``.
    ///
    /// - Returns: Nil for this machine itself, whose requests are not counted, because a proxy on it would represent
    ///   all its clients.
    func client(peer: IPAddress?, forwardedFor header: [String]) -> IPAddress? {
        let sender = sender(peer: peer, forwardedFor: header)
        return sender?.isLoopback == true ? nil : sender
    }

    /// Returns the address from which a request was sent.
    ///
    /// Each proxy appends the address of its own client to the header. Reading backward from the end, the first address
    /// that is not a trusted proxy's is the client's; anything before it may be forged.
    ///
    /// - Parameters:
    ///   - peer: The address of the connection's peer.
    ///   - header: The values of `X-Forwarded-For`, one string per header.
    func sender(peer: IPAddress?, forwardedFor header: [String]) -> IPAddress? {
        guard var client = peer else { return nil }
        if trustedProxies.contains(client) {
            for text in header.flatMap({ $0.split(separator: ",") }).reversed() {
                guard let address = Self.address(text) else { break }
                client = address
                guard trustedProxies.contains(address) else { break }
            }
        }
        return client
    }

    /// Parses an address as written by proxies.
    ///
    /// The address may have brackets and a port.
    private static func address(_ text: Substring) -> IPAddress? {
        let trimmed = text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if let address = IPAddress(trimmed) { return address }
        guard case .address(let address) = HostName(authority: trimmed) else { return nil }
        return address
    }
}
