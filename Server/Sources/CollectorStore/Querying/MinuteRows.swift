// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reading the counts per minute.
enum MinuteRows {
    static func since(_ moment: Timestamp, _ db: Database) throws -> [MinuteCount] {
        let statement = try RawStatement(
            db,
            "SELECT minute, name, events FROM minutes WHERE minute >= ? ORDER BY minute, name"
        )
        // The minute the moment lies in counts too.
        statement.bind(1, max(moment.milliseconds, Int64.min + 59_999) - 59_999)
        var minutes: [MinuteCount] = []
        while try statement.step() {
            let minute = Timestamp(milliseconds: statement.integer(0))
            let events = UInt64(clamping: statement.integer(2))
            if minutes.last?.minute != minute { minutes.append(MinuteCount(minute: minute, events: 0)) }
            minutes[minutes.count - 1].events += events
            minutes[minutes.count - 1].names[statement.text(1)] = events
        }
        return minutes
    }
}
