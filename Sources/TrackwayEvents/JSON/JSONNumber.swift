// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A number in a JSON text: whole when it is written without point and exponent and fits.
public enum JSONNumber: Sendable, Hashable {
    /// A whole number, exact.
    case integer(Int64)
    /// Any other number, as the nearest double.
    case double(Double)
}
