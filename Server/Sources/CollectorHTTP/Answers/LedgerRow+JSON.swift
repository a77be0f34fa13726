// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

extension LedgerRow {
    /// Whether every number the writer has told of is accounted for.
    var isComplete: Bool { gaps.isEmpty }

    /// Writes the row.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("installation")
        writer.id(installation)
        writer.key("writer")
        writer.id(self.writer)
        for (key, value) in [
            ("recorded", recorded), ("received", received), ("rejected", rejected), ("duplicates", duplicates),
        ] {
            writer.key(key)
            writer.integer(value)
        }
        writer.key("dropped")
        writer.beginObject()
        for (reason, count) in dropped.sorted(by: { $0.key < $1.key }) {
            writer.key(reason)
            writer.integer(count)
        }
        writer.endObject()
        writer.key("skipped")
        writer.integer(skipped)
        writer.key("gaps")
        writer.beginArray()
        for gap in gaps {
            writer.element()
            writer.beginArray()
            writer.element()
            writer.integer(gap.lowerBound)
            writer.element()
            writer.integer(gap.upperBound)
            writer.endArray()
        }
        writer.endArray()
        writer.key("last_received")
        writer.integer(lastReceived.milliseconds)
        writer.key("complete")
        writer.boolean(isComplete)
        writer.endObject()
    }
}
