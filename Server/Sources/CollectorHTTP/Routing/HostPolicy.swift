// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird

/// Checks host names, and whether requests come from this machine.
///
/// A collector that listens on the loopback interface shows events to this machine without a key if the operator allows
/// it. Two kinds of requests reach the loopback interface although they do not come from this machine. First, a hostile
/// web page can point its own host name to the loopback interface (DNS rebinding). That name is in `Host`, so host
/// names other than this machine's are rejected. Second, a proxy on this machine can forward requests from other
/// machines. The proxy's headers reveal the forwarding, and reading then requires a key.
struct HostPolicy: Sendable {
    /// Whether requests from this machine may read without a key.
    private let isOpen: Bool
    /// The host names that the operator configured for the collector, in lowercase.
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
                code: .wrongHost,
                field: "host",
                message:
                    """
                    This collector serves only this machine, not the host name “\(text.prefix(128))”; \
                    allow the name with --allow-host, or require a key from every reader: \
                    leave out --open-read and --dev-key, or add --read-key always.
                    """
            )
        }
    }

    /// Whether reading requires a key for this client.
    func requiresKeyForReading(_ request: Request) -> Bool {
        guard isOpen, let host = Self.host(request), host.isLoopback else { return true }
        return ProxyHeaders.isPresent(in: request.headers)
    }

    /// Rejects requests that may come from another machine.
    ///
    /// Used where this machine may send without a key.
    func checkIsLocal(_ request: Request) throws(RequestFailure) {
        guard requiresKeyForReading(request) else { return }
        throw RequestFailure(
            status: .forbidden,
            code: .notLocal,
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
    /// Nil if the request names no host, several hosts, or an invalid one.
    private static func host(_ request: Request) -> HostName? {
        // The first `Host` header became the authority; any others remain among the headers.
        guard request.headers[Self.hostField] == nil, let authority = request.head.authority else { return nil }
        return HostName(authority: authority)
    }

    private static let hostField = HTTPField.Name.literal("host")
}

/// The traces that proxies leave in requests that they forward.
///
/// A request with a trace may come from anywhere, so it requires a key. The absence of a trace is not sufficient: such
/// a request counts as coming from this machine only if its peer address and `Host` also match this machine. A proxy
/// that leaves no trace cannot be detected, which is why reading without a key is never the default.
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
    /// They are added to requests that use an older protocol version.
    static let mark = (name: "via", value: "1.0 unnamed")

    private static let names: Set<String> = [
        "forwarded", "via", "x-real-ip", "true-client-ip", "client-ip", "x-client-ip", "x-cluster-client-ip",
        "fastly-client-ip", "fly-client-ip", "wl-proxy-client-ip", "proxy-client-ip", "x-proxyuser-ip", "x-remote-ip",
        "x-remote-addr", "x-originating-ip", "x-host", "x-azure-clientip", "x-azure-socketip", "x-appengine-user-ip",
        "x-amzn-trace-id", "x-amz-cf-id", "x-cloud-trace-context", "cdn-loop", "front-end-https", "x-nginx-proxy",
        "x-scheme",
    ]
    /// The prefixes that identify proxy headers.
    ///
    /// They cover `X-Forwarded-For` and related headers, and the headers of individual providers.
    private static let prefixes = ["x-forwarded", "x-original-", "cf-", "x-envoy-", "tailscale-", "x-vercel-"]
}
