// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// What is known of a request beside itself: who is at the other end of its connection.
struct CollectorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address at the other end; nil where it has none.
    let peer: IPAddress?
    /// The connection.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress.flatMap { text in
            // A link-local address comes with its interface.
            IPAddress(text.prefix { $0 != "%" })
        }
    }
}

/// Who asks, for those who count: a client's address, also behind proxies that the operator trusts.
struct ClientAddresses: Sendable {
    /// The addresses of proxies whose `X-Forwarded-For` is believed.
    let trustedProxies: Set<IPAddress>

    /// The address that a request is counted for.
    ///
    /// Each proxy writes the address it was asked from behind what stood there. So from the end backwards the first that is no
    /// trusted proxy's is the client's; what stands before it may be invented.
    ///
    /// - Parameters:
    ///   - peer: The address at the other end of the connection.
    ///   - told: What the request says in `X-Forwarded-For`, one text for each such header.
    /// - Returns: Nil for this machine itself, which is not counted, and whose proxy would stand for all its clients.
    func client(peer: IPAddress?, forwardedFor told: [String]) -> IPAddress? {
        guard var client = peer else { return nil }
        if trustedProxies.contains(client) {
            for text in told.flatMap({ $0.split(separator: ",") }).reversed() {
                guard let address = Self.address(text) else { break }
                client = address
                guard trustedProxies.contains(address) else { break }
            }
        }
        return client.isLoopback ? nil : client
    }

    /// An address as proxies write it: also in brackets, and with a port.
    private static func address(_ text: Substring) -> IPAddress? {
        let trimmed = text.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if let address = IPAddress(trimmed) { return address }
        guard case .address(let address) = HostName(authority: trimmed) else { return nil }
        return address
    }
}
