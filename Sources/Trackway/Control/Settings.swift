// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What must survive a restart of the app, besides the events: decisions and identity.
package struct Settings: Sendable, Hashable {
    /// What the person decided; nil when never asked on this installation.
    package var consent: Consent?
    /// Whether the app switched the SDK on or off; nil when it never did on this installation.
    package var isEnabled: Bool?
    /// Who uses the app; nil when nobody is signed in.
    package var user: String?
    /// Attributes of all events.
    package var global = Attributes()

    /// Nothing decided, nobody known.
    package init() {}

    /// Reads what ``bytes`` wrote. Members of a newer version are ignored.
    ///
    /// - Throws: `JSONError` when the bytes are not what was written.
    init(bytes: [UInt8]) throws(JSONError) {
        let json = try JSONValue.parse(bytes)
        guard json.object != nil else { throw JSONError(.unexpectedType, at: 0) }
        if let text = json["consent"]?.string {
            guard let consent = Consent(rawValue: text) else { throw JSONError(.memberInvalid, at: 0) }
            self.consent = consent
        }
        isEnabled = json["enabled"]?.boolean
        user = json["user"]?.string
        if let global = json["global"]?.object { self.global = Attributes(global) }
    }

    /// The settings as they lie on disk.
    var bytes: [UInt8] {
        var members: [JSONValue.Object.Member] = [.init(key: "version", value: .integer(1))]
        if let consent { members.append(.init(key: "consent", value: .string(consent.rawValue))) }
        if let isEnabled { members.append(.init(key: "enabled", value: .boolean(isEnabled))) }
        if let user { members.append(.init(key: "user", value: .string(user))) }
        if !global.isEmpty { members.append(.init(key: "global", value: .object(global.json))) }
        return JSONValue.object(.init(members)).json()
    }
}
