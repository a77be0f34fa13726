// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One piece of a batch's body, as places in it.
package enum BatchLine: Sendable, Hashable {
    /// Who recorded the events; at most once, first.
    case header(Range<Int>)
    /// The context of the events behind it, up to the next one.
    case context(Range<Int>)
    /// An event; whether it is a valid one is not yet known.
    case event(Range<Int>)
}
