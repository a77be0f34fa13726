// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What kind of value comes next in a JSON text.
public enum JSONKind: Sendable, Hashable {
    /// `{`
    case object
    /// `[`
    case array
    /// `"`
    case string
    /// `-` or a digit.
    case number
    /// `true` or `false`.
    case boolean
    /// `null`
    case null
}
