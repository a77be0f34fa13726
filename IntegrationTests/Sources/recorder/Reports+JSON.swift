// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore

extension FlushReport {
    /// The report as one line of JSON, by destination.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        for (id, part) in destinations.sorted(by: { $0.key < $1.key }) {
            writer.key(id.rawValue)
            writer.beginObject()
            writer.count("delivered", part.delivered)
            writer.count("pending", part.pending)
            writer.count("dropped", part.dropped)
            if let pendingReason = part.pendingReason {
                writer.key("pending_reason")
                writer.string(pendingReason)
            }
            writer.endObject()
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Ledger {
    /// The ledger as one line of JSON.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.count("recorded", recorded)
        writer.key("destinations")
        writer.beginObject()
        for (id, account) in destinations.sorted(by: { $0.key < $1.key }) {
            writer.key(id.rawValue)
            writer.beginObject()
            writer.count("recorded", account.recorded)
            writer.count("delivered", account.delivered)
            writer.count("pending", account.pending)
            writer.key("dropped")
            writer.beginObject()
            for (reason, count) in account.dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                writer.count(reason.rawValue, count)
            }
            writer.endObject()
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    fileprivate mutating func count(_ key: String, _ value: UInt64) {
        self.key(key)
        integer(Int64(clamping: value))
    }
}
