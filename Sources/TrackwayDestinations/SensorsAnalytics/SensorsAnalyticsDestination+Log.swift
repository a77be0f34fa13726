// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension SensorsAnalyticsDestination {
    /// The events of a batch as JSON, as they are sent at this time; nil when none can be.
    package func eventJSON(of batch: EventBatch, sentAt: Timestamp) -> String? {
        let encoding = SensorsAnalyticsEncoding(batch, options: options, sentAt: sentAt)
        guard encoding.count > 0 else { return nil }
        return String(decoding: encoding.json.dropFirst().dropLast(), as: UTF8.self)
    }
}
