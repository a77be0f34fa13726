// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// An event as the index stores it: its bytes as received; for simple clients with the id and time that were missing.
enum EventBody {
    /// The line with what was missing put in at its beginning.
    static func completed(_ line: UnsafeRawBufferPointer, id: EventID?, time: Timestamp?) -> [UInt8] {
        guard let brace = line.firstIndex(of: UInt8(ascii: "{")) else { return Array(line) }
        var start = "{"
        if let id { start += "\"id\":\"\(id)\"," }
        if let time { start += "\"time\":\(time.milliseconds)," }
        var body = Array(start.utf8)
        body.reserveCapacity(body.count + line.count)
        body.append(contentsOf: line[(brace + 1)...])
        return body
    }
}
