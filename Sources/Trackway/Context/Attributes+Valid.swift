// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension Attributes {
    /// The attributes that keep the limits, judged exactly as those of an event are; and what is to be said of the others.
    ///
    /// - Complexity: O(size). Used when the context changes, not when events are recorded.
    func valid(_ limits: EventLimits) -> (Attributes, [Diagnostic]) {
        var diagnostics: [Diagnostic] = []
        let nobody = Event(
            id: EventID(high: 0, low: 0),
            name: "_global",
            time: Timestamp(milliseconds: 0),
            monotonic: MonotonicTime(milliseconds: 0),
            attributes: self
        )
        // It cannot fail: the text was written on the line before. If it ever does, no attribute is better than a trap.
        guard var valid = try? Event(json: nobody.json(limits: limits, report: { diagnostics.append($0) })).attributes
        else {
            assertionFailure("an event that was just written cannot be read")
            return ([:], diagnostics)
        }
        // An event says of itself what was wrong with it; a context does not.
        for key in ["_error_code", "_error_message"] where self[key] == nil { valid[key] = nil }
        return (valid, diagnostics)
    }
}
