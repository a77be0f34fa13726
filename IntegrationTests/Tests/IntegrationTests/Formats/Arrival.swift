// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import TrackwayEvents

/// An event in a collector, without what each format says in its own way.
struct Arrival {
    let id: String
    let name: String
    let time: Int64
    /// Its attributes and those of all events at its time, as JSON by key: the other formats make no difference between
    /// them. Names that a format gives to presets of its own begin with a dollar sign, and are left out.
    let attributes: [String: String]
    /// Who was signed in.
    let user: String?
    /// The screen that was shown.
    let screen: String?

    /// Every event in a collector that came from an app, in order.
    static func all(in collector: Collector) throws -> [Arrival] {
        try collector.settle()
        return try collector.documents().filter { $0["event"]?["name"]?.string != "marker" }.map(Arrival.init)
    }

    private init(_ document: JSONValue) throws {
        guard let event = document["event"], let id = event["id"]?.string, let name = event["name"]?.string,
            let time = event["time"]?.integer
        else { throw StageError("not an event: \(String(decoding: document.json(), as: UTF8.self))") }
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
