// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// One event as the collector's index returns it.
package struct CollectedRow: Sendable, Hashable {
    /// The event's position in the collector's log.
    package var position: String
    /// The event's id.
    package var id: String
    /// The writer that recorded it; empty if the event was sent without one.
    package var writer: String
    /// The writer's sequence number; 0 if the event was sent without one.
    package var sequence: UInt64
    /// The event's name.
    package var name: String
    /// The event as it was received.
    package var event: JSONValue

    init(_ value: JSONValue) throws {
        guard let position = value["position"]?.string, let id = value["id"]?.string, let event = value["event"],
            let name = event["name"]?.string
        else { throw TestSupportError("not a stored event: \(String(decoding: value.json(), as: UTF8.self))") }
        self.position = position
        self.id = id
        self.name = name
        self.event = event
        writer = value["writer"]?.string ?? ""
        sequence = UInt64(value["sequence"]?.integer ?? 0)
    }

    /// Returns an integer attribute of the event.
    package func number(_ key: String) -> Int? {
        event["attributes"]?[key]?.integer.map(Int.init)
    }

    /// Returns a string attribute of the event.
    package func text(_ key: String) -> String? {
        event["attributes"]?[key]?.string
    }
}
