// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The members of a server's `INFO` that this client uses.
package struct NATSServerInfo: Sendable, Hashable {
    /// The server's name; its id if it has no name.
    package var name: String
    /// The server's version.
    package var version: String
    /// The maximum length of a message, including headers, in bytes.
    package var maxMessageBytes: Int
    /// The addresses of the cluster's other servers, as `host:port`.
    package var others: [String]
    /// Whether the server is shutting down.
    ///
    /// If so, clients should move to another server.
    package var isShuttingDown: Bool
    /// Whether the server requires TLS.
    package var requiresTLS: Bool
    /// Whether the server accepts TLS.
    package var offersTLS: Bool
    /// Whether the server supports headers, which its replies require.
    package var supportsHeaders: Bool

    /// Creates a server description.
    package init(
        name: String,
        version: String = "2.15.1",
        maxMessageBytes: Int = 8 << 20,
        others: [String] = [],
        isShuttingDown: Bool = false,
        requiresTLS: Bool = false,
        offersTLS: Bool = false,
        supportsHeaders: Bool = true
    ) {
        self.name = name
        self.version = version
        self.maxMessageBytes = maxMessageBytes
        self.others = others
        self.isShuttingDown = isShuttingDown
        self.requiresTLS = requiresTLS
        self.offersTLS = requiresTLS || offersTLS
        self.supportsHeaders = supportsHeaders
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
        maxMessageBytes = Int(clamping: value["max_payload"]?.integer ?? 1 << 20)
        others = (value["connect_urls"]?.array ?? []).prefix(Self.maxOthers).compactMap(\.string)
        isShuttingDown = value["ldm"]?.boolean ?? false
        requiresTLS = value["tls_required"]?.boolean ?? false
        offersTLS = requiresTLS || value["tls_available"]?.boolean ?? false
        supportsHeaders = value["headers"]?.boolean ?? false
    }
}
