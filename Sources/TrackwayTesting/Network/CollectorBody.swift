// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// The body of a request in Trackway's own format.
///
/// It is parsed independently of the code that wrote it, so that neither can hide the other's bugs.
struct CollectorBody {
    /// The batch header; null if missing.
    private(set) var header = JSONValue.null
    /// The events in order, each with the context line that precedes it.
    private(set) var events: [(event: Event, context: JSONValue)] = []

    /// Parses a body; returns nil if the body is not in this format.
    init?(_ request: WireRequest) {
        var body = request.body
        if request.headers["content-encoding"] == "gzip" {
            // A body that is not gzip is not in this format.
            guard let inflated = try? Gzip.inflate(body) else { return nil }
            body = inflated
        }
        var context = JSONValue.null
        for line in body.split(separator: UInt8(ascii: "\n")) {
            let line = Array(line)
            // A line that is neither JSON nor, below, an event is not in this format either.
            guard let value = try? JSONValue.parse(line) else { return nil }
            if let batch = value["batch"], value["id"] == nil {
                header = batch
            } else if let changed = value["context"], value["id"] == nil {
                context = changed
            } else if let event = try? Event(json: line) {  // see above
                events.append((event, context))
            } else {
                return nil
            }
        }
    }

    /// Returns the collector's response, which rejects the events at the given indices.
    func answer(refusing refused: [Int: String]) -> WireResponse {
        let rejected = refused.sorted { $0.key < $1.key }.filter { events.indices.contains($0.key) }.map {
            place,
            code in
            #"{"i":\#(place),"id":"\#(events[place].event.id)","code":"\#(code)","field":"name","message":"scripted"}"#
        }
        let accepted = events.count - rejected.count
        let list = rejected.joined(separator: ",")
        let body = #"{"accepted":\#(accepted),"rejected":[\#(list)],"position":"1.0","durability":"disk"}"#
        return WireResponse(status: 200, headers: ["content-type": "application/json"], body: Array(body.utf8))
    }
}
