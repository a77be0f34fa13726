// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector

/// How the collector listens and what it allows. Read once, when the server starts.
public struct CollectorConfiguration: Sendable {
    /// The address to listen on. The default is reachable from this machine only.
    public var host: String
    /// The port; 0 lets the system choose.
    public var port: Int
    /// Who needs a key for reading. Where the collector listens beyond the loopback, everybody does in any case.
    public var readKeys = ReadKeys.auto
    /// Whether it keeps nothing beyond its end: for tests. Its answers say `memory`, it can be reset, and on the loopback nobody
    /// needs a key.
    public var isEphemeral = false
    /// Further names under which a collector on the loopback answers, such as a proxy's: `collector.example.com`. Reading
    /// under them needs a key.
    public var hostNames: Set<String> = []
    /// The origins of web pages that may send events, such as `https://shop.example.com`. None by default.
    public var sendingOrigins: Set<String> = []
    /// The origins of web pages that may read, with a key where one is needed. None by default.
    public var readingOrigins: Set<String> = []
    /// How often each address may ask; nil for no limit. This machine's own addresses have none.
    public var addressRate: RateLimit? = .requests(perSecond: 100)
    /// The addresses of proxies whose `X-Forwarded-For` tells for whom they ask. Without, a proxy is one address.
    public var trustedProxies: Set<IPAddress> = []
    /// The limits of each key that has none of its own.
    public var keyLimits = KeyLimits()
    /// What addresses of webhooks have to begin with; empty for the usual rule (``WebhookPolicy``).
    public var webhookPrefixes: [String] = []
    /// What is asked of every body.
    public var limits = AdmissionLimits()
    /// How long a request's headers may take to arrive, counted from the connection's beginning.
    public var headerTimeout: Duration = .seconds(10)
    /// How long a request's body may take to arrive.
    public var bodyTimeout: Duration = .seconds(30)
    /// How long a connection may rest between requests.
    public var idleTimeout: Duration = .seconds(75)
    /// How often a silent live stream says that it is alive.
    public var heartbeat: Duration = .seconds(15)
    /// How often streams and waits look whether their key is still good.
    public var passInterval: Duration = .seconds(1)
    /// How long an expectation whose time is over may wait for the index to come to what was answered until then.
    public var expectationCatchUp: Duration = .seconds(10)
    /// The most connections at once. One more makes the one go that has rested longest.
    public var connections = 4_096
    /// The most live streams and waits at once.
    public var followers = 256

    /// A configuration for an address.
    public init(host: String = "127.0.0.1", port: Int = 8787) {
        self.host = host
        self.port = port
    }

    /// Where alerts may be told: on this machine's loopback only when whoever decides that is on it, too.
    public var webhooks: WebhookPolicy {
        WebhookPolicy(
            prefixes: webhookPrefixes,
            allowsLoopback: Self.isLoopback(host) && readKeys == .auto && hostNames.isEmpty
        )
    }

    /// Whether this machine sends without a key, too.
    var isOpenForSending: Bool { isEphemeral && Self.isLoopback(host) }

    /// Whether an address to listen on can be reached from this machine only.
    public static func isLoopback(_ host: String) -> Bool {
        HostName(listening: host)?.isLoopback ?? false
    }
}

/// Who needs a key for reading. There is no way to require none: whatever may come from another machine needs one.
///
/// `trackway serve` chooses ``always`` unless its operator lets this machine read without a key.
public enum ReadKeys: String, Sendable, Hashable, CaseIterable {
    /// Whoever may be beyond this machine. Without a key reads only what reached a loopback address directly, under a
    /// name of this machine, with no trace of a proxy.
    case auto
    /// Everybody. For a collector behind a proxy on the same machine.
    case always
}
