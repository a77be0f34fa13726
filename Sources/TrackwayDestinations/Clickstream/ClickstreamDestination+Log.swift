// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension ClickstreamDestination {
    /// The events of a batch as JSON, as they are sent; nil when none can be.
    package func eventJSON(of batch: EventBatch) -> String? {
        var encoder = ClickstreamEncoder(batch, appID: appID, allUserAttributes: userAttributes == .everyEvent)
        let array = encoder.body()
        guard !encoder.isEmpty else { return nil }
        return String(decoding: array.dropFirst().dropLast(), as: UTF8.self)
    }
}
