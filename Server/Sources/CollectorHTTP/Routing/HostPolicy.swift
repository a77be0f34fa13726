// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird

/// Checks host names, and whether requests come from this machine.
///
/// A collector that listens on the loopback interface shows events to this machine without a key if its operator chose
/// so. Two kinds of requests reach the loopback interface and are not from this machine. First, a hostile web page can
/// point its own name to it (DNS rebinding): that name is in `Host`, so names that are not this machine's are rejected.
/// Second, a proxy on this machine forwards the requests of others: its headers show this, and reading then needs a
/// key.
struct HostPolicy: Sendable {
    /// Whether this machine reads without a key.
    private let isOpen: Bool
    /// Names that the operator gave the collector, in lowercase.
    private let names: Set<String>

    init(_ configuration: CollectorConfiguration) {
        isOpen = configuration.readKeys == .auto && CollectorConfiguration.isLoopback(configuration.host)
        names = Set(configuration.hostNames.map { $0.lowercased() })
    }

    /// Rejects a request with a foreign host name.
    func check(_ request: Request) throws(RequestFailure) {
        guard isOpen else { return }
        switch Self.host(request) {
        case .some(let host) where host.isLoopback: return
        case .name(let name) where names.contains(name): return
        default:
            let text = request.head.authority ?? ""
            throw RequestFailure(
                status: .misdirectedRequest,
                code: "wrong_host",
                field: "host",
                message:
                    """
                    This collector serves only this machine, not the name “\(text.prefix(128))”; \
                    allow the name with --allow-host, or require a key from every reader: \
                    leave out --open-read and --dev-key, or add --read-key always.
                    """
            )
        }
    }

    /// Whether reading needs a key, given what is known about the client.
    func readingNeedsKey(_ request: Request) -> Bool {
        guard isOpen, let host = Self.host(request), host.isLoopback else { return true }
        return ProxyHeaders.isPresent(in: request.headers)
    }

    /// Rejects requests that may come from another machine.
    ///
    /// Used where this machine sends without a key.
    func checkIsLocal(_ request: Request) throws(RequestFailure) {
        guard readingNeedsKey(request) else { return }
        throw RequestFailure(
            status: .forbidden,
            code: "not_local",
            field: "host",
            message:
                """
                This collector was started with --ephemeral and accepts events only from this machine, \
                and not through a proxy.
                """
        )
    }

    /// Returns the host of a request.
    ///
    /// Nil if it names none, several, or an invalid one.
    private static func host(_ request: Request) -> HostName? {
        // The first `Host` became the authority; others remained among the headers.
        guard request.headers[Self.hostField] == nil, let authority = request.head.authority else { return nil }
        return HostName(authority: authority)
    }

    private static let hostField = Answer.name("host")
}

/// The traces that proxies leave in requests that they forward.
///
/// A trace is used in one direction only: a request that has one may come from anywhere, so it needs a key. A request
/// without one counts as coming from this machine only if the peer's address and the `Host` say so, too. A proxy that
/// leaves no trace at all cannot be detected, which is why reading without a key is never the default.
enum ProxyHeaders {
    /// Whether a proxy forwarded a request.
    static func isPresent(in headers: HTTPFields) -> Bool {
        headers.contains { field in
            let name = field.name.canonicalName
            return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
    }

    /// The header and value that mark a request as forwarded.
    ///
    /// They are added to requests with an older protocol version.
    static let mark = (name: "via", value: "1.0 unnamed")

    private static let names: Set<String> = [
        "forwarded", "via", "x-real-ip", "true-client-ip", "client-ip", "x-client-ip", "x-cluster-client-ip",
        "fastly-client-ip", "fly-client-ip", "wl-proxy-client-ip", "proxy-client-ip", "x-proxyuser-ip", "x-remote-ip",
        "x-remote-addr", "x-originating-ip", "x-host", "x-azure-clientip", "x-azure-socketip", "x-appengine-user-ip",
        "x-amzn-trace-id", "x-amz-cf-id", "x-cloud-trace-context", "cdn-loop", "front-end-https", "x-nginx-proxy",
        "x-scheme",
    ]
    /// Families of headers: `X-Forwarded-For` and related ones, and those of single providers.
    private static let prefixes = ["x-forwarded", "x-original-", "cf-", "x-envoy-", "tailscale-", "x-vercel-"]
}
