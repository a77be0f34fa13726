// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird

/// Under which names the collector answers, and which requests certainly come from this machine.
///
/// A collector that listens on the loopback shows events to this machine without a key if its operator chose so. Two kinds of request reach the
/// loopback and are not this machine's. A hostile web page points a name of its own here (DNS rebinding): its name stands
/// in `Host`, so names that are not this machine's are refused. And a proxy on this machine hands on what others ask: its
/// headers say so, and reading needs a key.
struct HostPolicy: Sendable {
    /// Whether this machine reads without a key.
    private let isOpen: Bool
    /// Names that the operator gave the collector, in lower case.
    private let names: Set<String>

    init(_ configuration: CollectorConfiguration) {
        isOpen = configuration.readKeys == .auto && CollectorConfiguration.isLoopback(configuration.host)
        names = Set(configuration.hostNames.map { $0.lowercased() })
    }

    /// Refuses a request that came under a foreign name.
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
                    "This collector answers on this machine only, not as “\(text.prefix(128))”; allow the name with --allow-host, or require a key from every reader: leave out --open-read and --dev-key, or add --read-key always."
            )
        }
    }

    /// Whether reading needs a key, for all that is known of who asks.
    func readingNeedsKey(_ request: Request) -> Bool {
        guard isOpen, let host = Self.host(request), host.isLoopback else { return true }
        return ForwardingTrace.isPresent(in: request.headers)
    }

    /// Refuses what may come from another machine, where this one sends without a key.
    func checkIsLocal(_ request: Request) throws(RequestFailure) {
        guard readingNeedsKey(request) else { return }
        throw RequestFailure(
            status: .forbidden,
            code: "not_local",
            field: "host",
            message:
                "This collector was started with --ephemeral and takes events of this machine only, and none that a proxy hands on."
        )
    }

    /// The host a request is for; nil when it names none, several, or nothing that can be one.
    private static func host(_ request: Request) -> HostName? {
        // The first `Host` became the authority; others stayed among the headers.
        guard request.headers[Self.hostField] == nil, let authority = request.head.authority else { return nil }
        return HostName(authority: authority)
    }

    private static let hostField = Answer.name("host")
}

/// What proxies leave in a request that they hand on.
///
/// The sign is taken one way only: a request that has it may come from anywhere, so it needs a key. One that lacks it is
/// believed to come from this machine only where the peer's address and the `Host` say so too. A proxy that leaves no trace
/// at all cannot be seen, which is why reading without a key is never the default.
enum ForwardingTrace {
    /// Whether a proxy had a request in its hands.
    static func isPresent(in headers: HTTPFields) -> Bool {
        headers.contains { field in
            let name = field.name.canonicalName
            return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
    }

    /// The header that marks what was handed on in an older version of the protocol, and what it says.
    static let mark = (name: "via", value: "1.0 unnamed")

    private static let names: Set<String> = [
        "forwarded", "via", "x-real-ip", "true-client-ip", "client-ip", "x-client-ip", "x-cluster-client-ip",
        "fastly-client-ip", "fly-client-ip", "wl-proxy-client-ip", "proxy-client-ip", "x-proxyuser-ip", "x-remote-ip",
        "x-remote-addr", "x-originating-ip", "x-host", "x-azure-clientip", "x-azure-socketip", "x-appengine-user-ip",
        "x-amzn-trace-id", "x-amz-cf-id", "x-cloud-trace-context", "cdn-loop", "front-end-https", "x-nginx-proxy",
        "x-scheme",
    ]
    /// Families of headers: `X-Forwarded-For` and its kin, and what single providers add.
    private static let prefixes = ["x-forwarded", "x-original-", "cf-", "x-envoy-", "tailscale-", "x-vercel-"]
}
