// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What a device told about itself over time, the latest first.
package struct DeviceHistory: Sendable, Hashable {
    /// One moment at which properties were other than before.
    package struct Step: Sendable, Hashable {
        /// When.
        package var time: Timestamp
        /// What was other, in the order of names.
        package var changes: [PropertyChange]

        /// A step of these changes.
        package init(time: Timestamp, changes: [PropertyChange]) {
            self.time = time
            self.changes = changes
        }
    }

    /// The device itself.
    package var device: StoredDevice
    /// The properties of the latest snapshot, in the order of names.
    package var properties: JSONValue.Object
    /// When they were other than before.
    package var steps: [Step]
    /// What the app and the device were about, from time to time.
    package var states: [StoredAppState]

    /// A history of these parts.
    package init(
        device: StoredDevice,
        properties: JSONValue.Object,
        steps: [Step],
        states: [StoredAppState]
    ) {
        self.device = device
        self.properties = properties
        self.steps = steps
        self.states = states
    }
}
