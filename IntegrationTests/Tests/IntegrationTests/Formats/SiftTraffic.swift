// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import TrackwayCore
internal import TrackwayDestinationKit

/// The contents of requests to an unreliable server.
struct SiftTraffic {
    /// The number of events, including repeated ones.
    let events: Int

    /// Parses requests.
    ///
    /// - Throws: If a request is not in the Sift format.
    init(_ requests: [FlakyServer.Request]) throws {
        events = try requests.reduce(0) { sum, request in
            guard request.message.startLine.hasPrefix("PUT /v3/accounts/recorder/mobile_events "),
                request.message[header: "authorization"] == "Basic ZGV2",
                let list = try JSONValue.parse(Gzip.inflate(request.message.body))["data"]?.array
            else { throw TestSupportError("not a Sift request: \(request.message.startLine)") }
            return sum + list.count
        }
    }
}
