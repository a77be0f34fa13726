// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Somebody who signed in on this installation, and what names the person when it comes back.
package struct KnownUser: Sendable, Hashable {
    /// The id the app gave.
    package var user: String
    /// The unique id; nil for the installation's own.
    package var uniqueID: String?
    /// When the person first opened the app; nil together with ``uniqueID``.
    package var firstTouch: Timestamp?

    init(user: String, uniqueID: String?, firstTouch: Timestamp?) {
        self.user = user
        self.uniqueID = uniqueID
        self.firstTouch = firstTouch
    }

    init(json: JSONValue) throws(JSONError) {
        guard let user = json["user"]?.string else { throw .stateInvalid }
        self.init(
            user: user,
            uniqueID: json["unique_id"]?.string,
            firstTouch: json["first_touch"]?.integer.map { Timestamp(milliseconds: $0) }
        )
    }

    var json: JSONValue {
        .object(
            .init(present: [
                "user": .string(user),
                "unique_id": uniqueID.map { .string($0) },
                "first_touch": firstTouch.map { .integer($0.milliseconds) },
            ])
        )
    }
}
