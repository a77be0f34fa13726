// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The members of a server's `INFO` that this client uses.
package struct NATSServerInfo: Sendable, Hashable {
    /// The server's name; its id if it has no name.
    package var name: String
    /// The server's version.
    package var version: String
    /// The maximum length of a message, headers included, in bytes.
    package var longestMessage: Int
    /// The addresses of the cluster's other servers, as `host:port`.
    package var others: [String]
    /// Whether the server is shutting down and clients should move to another one.
    package var isLeaving: Bool
    /// Whether the server requires TLS.
    package var needsTLS: Bool
    /// Whether the server accepts TLS.
    package var offersTLS: Bool
    /// Whether the server supports headers, which all its replies need.
    package var knowsHeaders: Bool

    /// Creates a server description.
    package init(
        name: String,
        version: String = "2.15.1",
        longestMessage: Int = 8 << 20,
        others: [String] = [],
        isLeaving: Bool = false,
        needsTLS: Bool = false,
        offersTLS: Bool = false,
        knowsHeaders: Bool = true
    ) {
        self.name = name
        self.version = version
        self.longestMessage = longestMessage
        self.others = others
        self.isLeaving = isLeaving
        self.needsTLS = needsTLS
        self.offersTLS = needsTLS || offersTLS
        self.knowsHeaders = knowsHeaders
    }

    /// The maximum number of other servers' addresses that are read.
    private static let maxOthers = 64

    /// Parses the JSON of an `INFO` line. Unknown members are ignored.
    ///
    /// - Throws: ``NATSProtocolError`` `malformedInfo`.
    init(json: [UInt8]) throws(NATSProtocolError) {
        let value: JSONValue
        do {
            value = try JSONValue.parse(json)
        } catch {
            throw NATSProtocolError(.malformedInfo, json)
        }
        guard value.object != nil, let id = value["server_id"]?.string ?? value["server_name"]?.string else {
            throw NATSProtocolError(.malformedInfo, json)
        }
        name = value["server_name"]?.string ?? id
        version = value["version"]?.string ?? ""
        longestMessage = Int(clamping: value["max_payload"]?.integer ?? 1 << 20)
        others = (value["connect_urls"]?.array ?? []).prefix(Self.maxOthers).compactMap(\.string)
        isLeaving = value["ldm"]?.boolean ?? false
        needsTLS = value["tls_required"]?.boolean ?? false
        offersTLS = needsTLS || value["tls_available"]?.boolean ?? false
        knowsHeaders = value["headers"]?.boolean ?? false
    }
}
