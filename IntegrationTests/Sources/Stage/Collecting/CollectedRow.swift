// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One event as the collector's index shows it.
package struct CollectedRow: Sendable, Hashable {
    /// Where it lies in the collector's log.
    package var position: String
    /// The event's id.
    package var id: String
    /// Who recorded it; empty when it was sent without.
    package var writer: String
    /// Its number there; 0 when it was sent without.
    package var sequence: UInt64
    /// The event's name.
    package var name: String
    /// The event as it was received.
    package var event: JSONValue

    init(_ value: JSONValue) throws {
        guard let position = value["position"]?.string, let id = value["id"]?.string, let event = value["event"],
            let name = event["name"]?.string
        else { throw StageError("not a stored event: \(String(decoding: value.json(), as: UTF8.self))") }
        self.position = position
        self.id = id
        self.name = name
        self.event = event
        writer = value["writer"]?.string ?? ""
        sequence = UInt64(value["sequence"]?.integer ?? 0)
    }

    /// A whole number among the event's attributes.
    package func number(_ key: String) -> Int? {
        event["attributes"]?[key]?.integer.map(Int.init)
    }

    /// A text among the event's attributes.
    package func text(_ key: String) -> String? {
        event["attributes"]?[key]?.string
    }
}
