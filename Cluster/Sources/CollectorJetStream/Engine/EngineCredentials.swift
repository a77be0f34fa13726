// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Credentials for a NATS cluster.
package struct EngineCredentials: Sendable, Hashable {
    /// The user that publishes and reads; nil for none.
    package var user: NATSCredentials?
    /// A user of the system account, for reports on how servers sync.
    ///
    /// Nil if `user` may request these reports.
    package var system: NATSCredentials?

    /// Creates the credentials.
    package init(user: NATSCredentials? = nil, system: NATSCredentials? = nil) {
        self.user = user
        self.system = system
    }

    /// Parses `{"user":"trackway","password":"…","system":{"user":"sys","password":"…"}}`.
    ///
    /// A `token` member may replace the user and password.
    ///
    /// - Returns: Nil if the text has any other form.
    package init?(json bytes: [UInt8]) {
        // The parsing error is dropped, because it may quote secrets.
        guard let json = try? JSONValue.parse(bytes), let user = Self.credentials(json) else { return nil }
        self.init(user: user)
        if let system = json["system"] {
            guard let credentials = Self.credentials(system) else { return nil }
            self.system = credentials
        }
    }

    private static func credentials(_ json: JSONValue) -> NATSCredentials? {
        if let token = json["token"]?.string, !token.isEmpty, json["user"] == nil, json["password"] == nil {
            return NATSCredentials(token: token)
        }
        guard let user = json["user"]?.string, let password = json["password"]?.string, !user.isEmpty,
            json["token"] == nil
        else { return nil }
        return NATSCredentials(user: user, password: password)
    }
}
