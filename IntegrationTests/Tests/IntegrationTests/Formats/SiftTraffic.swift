// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import TrackwayEvents
internal import TrackwayWire

/// What requests carried that came to an unreliable server.
struct SiftTraffic {
    /// How many events, those that came again counted again.
    let events: Int

    /// Reads requests.
    ///
    /// - Throws: when one is none of the format's.
    init(_ requests: [FlakyServer.Request]) throws {
        events = try requests.reduce(0) { sum, request in
            guard request.message.startLine.hasPrefix("PUT /v3/accounts/recorder/mobile_events "),
                request.message[header: "authorization"] == "Basic ZGV2",
                let list = try JSONValue.parse(Gzip.inflate(request.message.body))["data"]?.array
            else { throw StageError("not a request of the format: \(request.message.startLine)") }
            return sum + list.count
        }
    }
}
