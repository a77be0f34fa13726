// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import TrackwayCore

/// An event in a collector, without format-specific details.
struct Arrival {
    let id: String
    let name: String
    let time: Int64
    /// Its own attributes and the global ones, as JSON by key, because the other formats do not distinguish them.
    ///
    /// Names of a format's own presets start with a dollar sign and are omitted.
    let attributes: [String: String]
    /// The signed-in user.
    let user: String?
    /// The current screen.
    let screen: String?

    /// Returns all events in a collector that an app sent, in order.
    static func all(in collector: Collector) throws -> [Arrival] {
        try collector.waitForIndex()
        return try collector.documents().filter { $0["event"]?["name"]?.string != "marker" }.map(Arrival.init)
    }

    private init(_ document: JSONValue) throws {
        guard let event = document["event"], let id = event["id"]?.string, let name = event["name"]?.string,
            let time = event["time"]?.integer
        else { throw TestSupportError("not an event: \(String(decoding: document.json(), as: UTF8.self))") }
        self.id = id.lowercased()
        self.name = name
        self.time = time
        var attributes: [String: String] = [:]
        for members in [document["context"]?["global"]?.object?.members, event["attributes"]?.object?.members] {
            for member in members ?? [] where !member.key.hasPrefix("$") {
                attributes[member.key] = String(decoding: member.value.json(), as: UTF8.self)
            }
        }
        self.attributes = attributes
        user = document["context"]?["user"]?["id"]?.string
        screen = document["context"]?["screen"]?["name"]?.string
    }
}
