// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The limits of one event.
///
/// The format has no limits. These limits are far above what events contain in practice, and low enough that a request
/// with such an event is accepted.
enum SiftEventLimits {
    /// The maximum length of a recorded event's name, in bytes.
    ///
    /// A longer type is stored separately.
    static let nameBytes = 1_024
    /// The maximum length of a field's name, in bytes.
    static let keyBytes = 4_096
    /// The maximum number of fields, and of each other kind of string.
    static let entries = 10_000
    /// The maximum size of an event as JSON, in bytes.
    static let eventBytes = 192 * 1_024

    /// Trackway's event limits, wide enough for every event within these limits.
    static var limits: EventLimits {
        var limits = EventLimits()
        limits.nameBytes = nameBytes
        limits.keyBytes = keyBytes
        limits.stringBytes = eventBytes
        limits.attributes = entries
        // In addition to the attributes, an event has an identity, a name, times, and possibly a report of problems.
        limits.eventBytes = eventBytes + 32 * 1_024
        return limits
    }
}

extension SiftContent {
    /// The faults of content that exceeds the limits.
    var limitViolations: [SiftFault] {
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
            faults += texts?.limitViolations(in: part) ?? []
        }
        guard faults.isEmpty else { return faults }
        let size = JSONValue.object(recordedAttributes.json).json().count
        guard size > SiftEventLimits.eventBytes else { return [] }
        return [
            SiftFault(
                field: "event",
                value: "\(size) bytes",
                message: "The event was not appended because it has \(size) bytes.",
                recoverySuggestion: "Use at most \(SiftEventLimits.eventBytes) bytes in one event."
            )
        ]
    }
}

extension SiftStrings {
    fileprivate func limitViolations(in part: String) -> [SiftFault] {
        if texts.count > SiftEventLimits.entries {
            return [
                SiftFault(
                    field: part,
                    value: "\(texts.count) texts",
                    message: "The event was not appended because \(part) has \(texts.count) entries.",
                    recoverySuggestion: "Use at most \(SiftEventLimits.entries) entries."
                )
            ]
        }
        guard let name = texts.keys.first(where: { !(1...SiftEventLimits.keyBytes).contains($0.utf8.count) }) else {
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
                recoverySuggestion: "Use names of 1 to \(SiftEventLimits.keyBytes) bytes."
            )
        ]
    }
}
