// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A key that a visitor presses.
package enum Key: Sendable, Hashable {
    case up
    case down
    case left
    case right
    case enter
    case escape
    case backspace
    case character(Character)
}
