// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// A batch as the format's list of records, before compression.
struct SensorsAnalyticsEncoding {
    /// The records, as a JSON array.
    private(set) var json: [UInt8] = []
    /// The number of records.
    private(set) var count = 0
    /// Events that the format cannot express.
    private(set) var omitted: [Rejection] = []
    /// The parts left out of events that are sent.
    private(set) var trimmed: [Rejection] = []

    /// Encodes a batch.
    ///
    /// - Complexity: O(bytes of the batch).
    init(_ batch: EventBatch, options: SensorsAnalyticsOptions, sentAt: Timestamp) {
        var contexts: [UInt32: SensorsAnalyticsContext] = [:]
        var writer = JSONWriter()
        writer.beginArray()
        for (index, record) in batch.records.enumerated() {
            let event: Event
            do throws(JSONError) {
                event = try batch.event(record)
            } catch {
                omitted.append(Rejection(index: index, code: "unreadable", message: "\(error)"))
                continue
            }
            let context =
                contexts[record.context]
                ?? SensorsAnalyticsContext(
                    batch.recordedContext(record.context) ?? RecordedContext(),
                    installation: batch.installation,
                    options: options
                )
            contexts[record.context] = context
            let translated = SensorsAnalyticsRecord(event, in: context, options: options)
            writer.element()
            translated.write(sentAt: sentAt, into: &writer)
            count += 1
            trimmed += translated.warnings.map { warning, field in
                Rejection(index: index, code: warning.rawValue, message: "\(warning.sentence) (\(field.prefix(128)))")
            }
        }
        writer.endArray()
        json = writer.array()
    }
}
