// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// A request as the collector received it, from `GET /v1/connection`.
struct ReceivedConnection: Sendable, Hashable {
    /// The state of the request's key.
    enum Key: Sendable, Hashable {
        case missing
        case unknown
        case known(name: String, scopes: [String])
    }

    /// The collector's time.
    var time: Timestamp
    /// The host in the request, such as `collector.example.com`.
    var host: String?
    var hasProxyHeaders: Bool
    var hasForwardedFor: Bool
    var isProxyTrusted: Bool
    var readsWithoutKey: Bool
    var sendsWithoutKey: Bool
    var key: Key
    /// The address that connected to the collector; nil without a known key.
    var peer: String?

    /// Reads a response; nil if it is in another format.
    init?(_ json: JSONValue) {
        guard let time = json["time"]?.integer, let key = json["key"]?["state"]?.string,
            let hasProxyHeaders = json["has_proxy_headers"]?.boolean,
            let hasForwardedFor = json["has_forwarded_for"]?.boolean
        else { return nil }
        self.time = Timestamp(milliseconds: time)
        (self.hasProxyHeaders, self.hasForwardedFor) = (hasProxyHeaders, hasForwardedFor)
        host = json["host"]?.string
        isProxyTrusted = json["proxy_is_trusted"]?.boolean ?? false
        readsWithoutKey = json["reads_without_key"]?.boolean ?? false
        sendsWithoutKey = json["sends_without_key"]?.boolean ?? false
        peer = json["peer"]?.string
        switch key {
        case "missing": self.key = .missing
        case "known":
            let scopes = json["key"]?["scopes"]?.array?.compactMap(\.string) ?? []
            self.key = .known(name: json["key"]?["name"]?.string ?? "", scopes: scopes)
        default: self.key = .unknown
        }
    }

    /// Whether the collector knows the key.
    var isKeyKnown: Bool { if case .known = key { true } else { false } }
}

extension ReceivedConnection {
    /// The allowed difference between the clocks in milliseconds.
    private static let clockTolerance: Int64 = 30_000

    /// Compares the collector's clock with this machine's.
    ///
    /// - Parameters:
    ///   - sent: This machine's time before the request.
    ///   - received: This machine's time after the response.
    func clockFinding(sent: Timestamp, received: Timestamp) -> DoctorFinding {
        let (from, to) = (sent.milliseconds, max(sent.milliseconds, received.milliseconds))
        // The collector answered at some moment between the two.
        let offset = time.milliseconds < from ? time.milliseconds - from : max(0, time.milliseconds - to)
        guard abs(offset) > Self.clockTolerance else {
            return .ok(.clock, "The collector's clock and this machine's agree.")
        }
        let direction = offset > 0 ? "ahead of" : "behind"
        return .fault(
            .clock,
            "clock_wrong",
            "The collector's clock is \(TimeSpan(milliseconds: abs(offset)).text) \(direction) this machine's.",
            "Synchronize both clocks with a time server (`timedatectl status`, `chronyc tracking`); the collector's clock "
                + "dates events, and decides which ones are too old or expire."
        )
    }

    /// Checks whether the key may do what it is for.
    ///
    /// - Parameter scope: The scope that the key needs: `read` or `write`.
    func keyFinding(scope: String) -> DoctorFinding {
        let create = "create one with `trackway keys create NAME --scope \(scope)`"
        switch key {
        case .missing:
            if scope == "read" ? readsWithoutKey : sendsWithoutKey {
                return .ok(.key, "No key is needed from this machine.")
            }
            return .fault(
                .key,
                "key_missing",
                "No key was passed.",
                "Pass a key with --key or TRACKWAY_KEY; \(create) on the collector's machine."
            )
        case .unknown:
            return .fault(
                .key,
                "key_unknown",
                "The key is unknown to this collector, or was revoked.",
                "Check --key and TRACKWAY_KEY against `trackway keys list` on the collector's machine, or \(create)."
            )
        case .known(let name, let scopes):
            guard scopes.contains(scope) else {
                return .fault(
                    .key,
                    "key_scope",
                    "The key “\(name)” has the scope “\(scopes.joined(separator: ", "))”, not “\(scope)”.",
                    "Pass another key, or \(create). To check an app's key, pass --scope write."
                )
            }
            return .ok(.key, "The key “\(name)” has the scope “\(scopes.joined(separator: ", "))”.")
        }
    }
}

extension ReceivedConnection {
    /// Returns the faults of the proxy between this machine and the collector.
    ///
    /// - Parameters:
    ///   - address: The address that the request was sent to.
    ///   - server: The `Server` header of the response.
    /// - Returns: One finding for each fault; nil if there is no proxy.
    func proxyFindings(_ address: CollectorAddress, server: String?) -> [DoctorFinding]? {
        let isHostKept = Self.hostsAreEqual(host, address)
        // The collector speaks plain HTTP and names itself, so anything else is a proxy's work.
        let hasProxy =
            hasProxyHeaders || !isHostKept || address.root.hasPrefix("https:")
            || server.map { $0 != "trackway" } ?? false
        guard hasProxy else { return nil }
        var findings: [DoctorFinding] = []
        if address.key != nil, key == .missing {
            findings.append(
                .fault(
                    .proxy,
                    "proxy_drops_key",
                    "The proxy does not forward the Authorization header, so the collector receives no key.",
                    "Let the proxy forward the header; in nginx, remove `proxy_set_header Authorization \"\";`."
                )
            )
        }
        if readsWithoutKey {
            findings.append(
                .fault(
                    .proxy,
                    "proxy_opens_reading",
                    "The proxy looks like a program on the collector's machine, so its clients read without a key.",
                    "Start the collector without --dev-key, --ephemeral and --open-read, or with --read-key always."
                )
            )
        }
        if !hasForwardedFor {
            findings.append(
                .fault(
                    .proxy,
                    "proxy_hides_clients",
                    "The proxy does not set X-Forwarded-For, so all its clients count as one.",
                    "In nginx, add `proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;`."
                )
            )
        } else if !isProxyTrusted {
            findings.append(
                .fault(
                    .proxy,
                    "proxy_not_trusted",
                    "The collector does not trust the proxy\(peer.map { " at \($0)" } ?? ""), "
                        + "so all its clients count as one.",
                    "Start the collector with --trusted-proxy \(peer ?? "and the proxy's address")."
                )
            )
        }
        if !isHostKept {
            findings.append(
                .warning(
                    .proxy,
                    "proxy_changes_host",
                    "The proxy forwards the host “\(host ?? "")” instead of the one in \(address.root).",
                    "In nginx, add `proxy_set_header Host $http_host;`."
                )
            )
        }
        return findings
    }

    /// Whether a received host is the one of an address, with or without the port.
    private static func hostsAreEqual(_ received: String?, _ address: CollectorAddress) -> Bool {
        guard let received = received?.lowercased(), let url = URL(string: address.root),
            let host = url.host?.lowercased()
        else { return false }
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        guard received != name else { return true }
        let port = url.port ?? (url.scheme == "https" ? 443 : 80)
        return received == "\(name):\(port)"
    }
}
