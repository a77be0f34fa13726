// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// A batch as the format's list of events, before compression.
struct SiftEncoding {
    /// The complete body: an object that contains the list.
    private(set) var json: [UInt8] = []
    /// The number of events in the list.
    private(set) var count = 0
    /// Events that cannot be read.
    private(set) var omitted: [Rejection] = []
    /// The parts left out of events that are sent.
    private(set) var trimmed: [Rejection] = []

    /// Encodes a batch.
    ///
    /// - Complexity: O(bytes of the batch).
    init(_ batch: EventBatch, edition: SiftDestination.Edition) {
        var contexts: [UInt32: RecordedContext] = [:]
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("data")
        writer.beginArray()
        for (index, record) in batch.records.enumerated() {
            let event: Event
            do throws(JSONError) {
                event = try batch.event(record)
            } catch {
                omitted.append(
                    Rejection(index: index, code: "unreadable", message: "The record is not an event: \(error)")
                )
                continue
            }
            let context = contexts[record.context] ?? batch.recordedContext(record.context) ?? RecordedContext()
            contexts[record.context] = context
            let installation = SiftDestination.installation(on: context.device, else: batch.installation)
            let written = SiftRecord(event, in: context, installation: installation, edition: edition)
            writer.element()
            JSONValue.object(written.members).write(into: &writer)
            count += 1
            trimmed += written.warnings.map { warning in
                Rejection(index: index, code: warning.code.rawValue, message: warning.message)
            }
        }
        writer.endArray()
        writer.endObject()
        json = writer.array()
    }
}
