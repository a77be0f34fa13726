// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore

/// The settings of the server: addresses, permissions, and limits.
///
/// The settings are read once, when the server starts.
public struct CollectorConfiguration: Sendable {
    /// The address to listen on; by default reachable only from this machine.
    public var host: String
    /// The port; 0 lets the system choose.
    public var port: Int
    /// The rule for reading without a key.
    ///
    /// If the collector listens beyond the loopback interface, reading always needs a key.
    public var readKeys = ReadKeys.auto
    /// Whether all data is discarded when the collector stops, for tests.
    ///
    /// If true, responses state `memory` as the durability, the collector can be reset, and no key is needed on the
    /// loopback interface.
    public var isEphemeral = false
    /// Additional host names of a collector on the loopback interface.
    ///
    /// For example, a proxy's host name, such as `collector.example.com`. Reading under these names needs a key.
    public var hostNames: Set<String> = []
    /// The origins of web pages that may send events; none by default.
    ///
    /// For example, `https://shop.example.com`.
    public var sendingOrigins: Set<String> = []
    /// The origins of web pages that may read; none by default.
    ///
    /// Pages of these origins need a key where reading needs one.
    public var readingOrigins: Set<String> = []
    /// The request limit of each address; nil for no limit.
    ///
    /// This machine's own addresses have no limit.
    public var addressRate: RateLimit? = .requests(perSecond: 100)
    /// The addresses of proxies whose `X-Forwarded-For` is trusted.
    ///
    /// All clients of any other proxy count as one address.
    public var trustedProxies: Set<IPAddress> = []
    /// Whether events are stored with the sender's address.
    public var clientAddresses = ClientAddressPolicy.drop
    /// The time zone and the start of the week of queries that name none.
    public var calendar = ProjectCalendar()
    /// The default limits for keys that have no limits of their own.
    public var keyLimits = KeyLimits()
    /// The allowed prefixes of webhook URLs; empty for the default rule.
    ///
    /// ``WebhookPolicy`` defines the default rule.
    public var webhookPrefixes: [String] = []
    /// The limits for request bodies.
    public var limits = AdmissionLimits()
    /// The maximum time for a request's headers.
    ///
    /// The time counts from the start of the connection.
    public var headerTimeout: Duration = .seconds(10)
    /// The maximum time for a request's body.
    public var bodyTimeout: Duration = .seconds(30)
    /// The maximum idle time of a connection between requests.
    public var idleTimeout: Duration = .seconds(75)
    /// The interval of heartbeats in an idle live stream.
    public var heartbeat: Duration = .seconds(15)
    /// The interval at which streams and waits recheck their key.
    public var authorizationCheckInterval: Duration = .seconds(1)
    /// The maximum time that an expired expectation waits for the index.
    ///
    /// Within this time, the index must reach every event that was acknowledged before the expectation expired.
    public var expectationCatchUp: Duration = .seconds(10)
    /// The maximum number of concurrent connections.
    ///
    /// Each connection above the limit closes the one that has been idle longest.
    public var connections = 4_096
    /// The maximum number of concurrent live streams and waits.
    public var followers = 256

    /// Creates a configuration for an address.
    public init(host: String = "127.0.0.1", port: Int = 8787) {
        self.host = host
        self.port = port
    }

    /// The URLs to which alerts may be sent.
    ///
    /// This machine's loopback interface is allowed only if everyone who can choose the URLs is on this machine as
    /// well.
    public var webhooks: WebhookPolicy {
        WebhookPolicy(
            prefixes: webhookPrefixes,
            allowsLoopback: Self.isLoopback(host) && readKeys == .auto && hostNames.isEmpty
        )
    }

    /// Whether this machine may also send without a key.
    var isOpenForSending: Bool { isEphemeral && Self.isLoopback(host) }

    /// Whether a listening address is reachable only from this machine.
    public static func isLoopback(_ host: String) -> Bool {
        HostName(listening: host)?.isLoopback ?? false
    }
}

/// The rule for reading without a key.
///
/// No setting disables keys entirely: a request that may come from another machine always needs a key.
///
/// `trackway serve` uses ``always`` unless the operator lets this machine read without a key.
public enum ReadKeys: String, Sendable, Hashable, CaseIterable {
    /// Every client that may be on another machine needs a key.
    ///
    /// No key is needed only for requests that reached a loopback address directly, with a host name of this machine
    /// and without a trace of a proxy.
    case auto
    /// Every client needs a key.
    ///
    /// Intended for a collector behind a proxy on the same machine.
    case always
}
