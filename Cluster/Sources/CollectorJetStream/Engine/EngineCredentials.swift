// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Who connects to an engine.
package struct EngineCredentials: Sendable, Hashable {
    /// Who publishes and reads; nil for nobody in particular.
    package var user: NATSCredentials?
    /// A user of the system account, who asks servers how they sync; nil when `user` may.
    package var system: NATSCredentials?

    /// Credentials.
    package init(user: NATSCredentials? = nil, system: NATSCredentials? = nil) {
        self.user = user
        self.system = system
    }

    /// Reads `{"user":"trackway","password":"…","system":{"user":"sys","password":"…"}}`; in place of user and password a `token`
    /// may stand.
    ///
    /// - Returns: Nil when the text is something else.
    package init?(json bytes: [UInt8]) {
        // What is wrong with a file of secrets is better not quoted.
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
