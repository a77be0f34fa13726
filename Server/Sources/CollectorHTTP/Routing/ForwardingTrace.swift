// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes

/// What proxies leave in a request that they hand on.
///
/// The sign is taken one way only: a request that has it may come from anywhere, so it needs a key. One that lacks it is
/// believed to come from this machine only where the peer's address and the `Host` say so too. A proxy that leaves no trace
/// at all cannot be seen; `--read-key always` is for those.
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
