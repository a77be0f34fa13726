// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The facts that hold for every event of a process.
package struct ContextFacts: Sendable, Hashable {
    /// About the app.
    package var app: Attributes
    /// About the device.
    package var device: Attributes
    /// Which boot of the device monotonic times belong to.
    package var boot: String

    /// Makes facts.
    package init(app: Attributes, device: Attributes, boot: String) {
        self.app = app
        self.device = device
        self.boot = boot
    }
}
