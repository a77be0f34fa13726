// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension Attributes {
    /// These attributes, and behind them those of `others` with other keys. What is the event's own stands first, so that a
    /// limit on the count never costs it.
    ///
    /// - Parameter most: how many of the others are looked at; more could not be recorded anyway.
    func filled(from others: Attributes, most: Int) -> Attributes {
        var filled = self
        for (key, value) in others.prefix(most) where self[key] == nil { filled[key] = value }
        return filled
    }
}
