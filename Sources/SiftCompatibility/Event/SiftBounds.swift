// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How much one event may hold. The format has no limits; these are far beyond what anybody says in one event, and small
/// enough that a request with it is taken.
enum SiftBounds {
    /// The longest name of a recorded event; a longer type stands beside it.
    static let nameBytes = 1_024
    /// The longest name of a field.
    static let keyBytes = 4_096
    /// The most fields, and as many of each of the other texts.
    static let entries = 10_000
    /// The largest event as JSON.
    static let eventBytes = 192 * 1_024

    /// The front door's limits, wide enough for everything that stays within these.
    static var limits: EventLimits {
        var limits = EventLimits()
        limits.nameBytes = nameBytes
        limits.keyBytes = keyBytes
        limits.stringBytes = eventBytes
        limits.attributes = entries
        // Beside the attributes there are identity, name, times, and room for a report of problems.
        limits.eventBytes = eventBytes + 32 * 1_024
        return limits
    }
}

extension SiftContent {
    /// What is too much, if anything is.
    var excesses: [SiftFault] {
        var faults: [SiftFault] = []
        if time > UInt64(Int64.max) {
            faults.append(
                SiftFault(
                    field: "time",
                    value: "\(time)",
                    message: "The event was not appended because its time \(time) is out of range.",
                    recoverySuggestion: "Use milliseconds since 1970, at most \(Int64.max)."
                )
            )
        }
        for (part, texts) in [("fields", fields), ("deviceProperties", deviceProperties), ("metrics", metrics)] {
            faults += texts?.excesses(in: part) ?? []
        }
        guard faults.isEmpty else { return faults }
        let size = JSONValue.object(recordedAttributes.json).json().count
        guard size > SiftBounds.eventBytes else { return [] }
        return [
            SiftFault(
                field: "event",
                value: "\(size) bytes",
                message: "The event was not appended because it has \(size) bytes.",
                recoverySuggestion: "Use at most \(SiftBounds.eventBytes) bytes in one event."
            )
        ]
    }
}

extension SiftTexts {
    fileprivate func excesses(in part: String) -> [SiftFault] {
        if texts.count > SiftBounds.entries {
            return [
                SiftFault(
                    field: part,
                    value: "\(texts.count) texts",
                    message: "The event was not appended because \(part) has \(texts.count) entries.",
                    recoverySuggestion: "Use at most \(SiftBounds.entries) entries."
                )
            ]
        }
        guard let name = texts.keys.first(where: { !(1...SiftBounds.keyBytes).contains($0.utf8.count) }) else {
            return []
        }
        return [
            SiftFault(
                field: part,
                value: name.isEmpty ? "an empty name" : name,
                message: name.isEmpty
                    ? "The event was not appended because \(part) has an empty name."
                    : "The event was not appended because the name \(name.quoted) in \(part) has \(name.utf8.count) "
                        + "bytes.",
                recoverySuggestion: "Use names of 1 to \(SiftBounds.keyBytes) bytes."
            )
        ]
    }
}
