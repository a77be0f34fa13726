// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What a server says of itself: its greeting, as far as it matters here.
package struct NATSServerInfo: Sendable, Hashable {
    /// The server's name, for people; its id when it has none.
    package var name: String
    /// The server's version.
    package var version: String
    /// The longest message it takes, headers included, in bytes.
    package var longestMessage: Int
    /// Where the other servers of its cluster are reached, as `host:port`.
    package var others: [String]
    /// Whether it is about to end: whoever can goes elsewhere at once.
    package var isLeaving: Bool
    /// Whether it wants the connection encrypted.
    package var needsTLS: Bool
    /// Whether it takes an encrypted connection.
    package var offersTLS: Bool
    /// Whether it knows headers, which it needs for answering at all.
    package var knowsHeaders: Bool

    /// A server as far as it is known.
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

    /// So many addresses of others are looked at.
    private static let maxOthers = 64

    /// Reads the JSON of an `INFO` line. Members it does not know are passed over.
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
