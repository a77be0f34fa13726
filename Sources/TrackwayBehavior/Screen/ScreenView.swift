// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One announcement of a screen.
package struct ScreenView: Sendable, Hashable {
    /// The screen.
    package var screen: RecordedContext.Screen
    /// What the app says about this view of it.
    package var attributes: Attributes
    /// True when the app named the screen; false when the platform found it.
    package var isManual: Bool

    /// A view of these parts.
    package init(screen: RecordedContext.Screen, attributes: Attributes = [:], isManual: Bool) {
        self.screen = screen
        self.attributes = attributes
        self.isManual = isManual
    }
}
