// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What is known about the device the app runs on. A fact that cannot be read is absent; nothing is guessed.
///
/// No name, address or serial number of the device is among the facts, and its machine id only as a keyed hash.
package struct DeviceFacts: Sendable, Hashable {
    /// The kind of system: "Linux", "iOS", "macOS", "tvOS", "watchOS" or "visionOS".
    package var platform: String?
    /// The system's short name, such as "debian".
    package var systemID: String?
    /// The system's name for humans, such as "Debian GNU/Linux".
    package var systemName: String?
    /// The system's version, such as "12" or "17.5.1".
    package var systemVersion: String?
    /// The kernel's release, such as "6.1.0-18-amd64".
    package var kernelVersion: String?
    /// The processor's instruction set, such as "x86_64" or "arm64".
    package var architecture: String?
    /// Names this device for this app only; see `DeviceIdentity`.
    package var identity: String?
    /// Who made the device.
    package var make: String?
    /// The device's model.
    package var model: String?
    /// Processor cores in use by the system.
    package var cores: Int?
    /// Main memory in bytes.
    package var memoryBytes: Int64?
    /// The user's locale, such as "de_DE".
    package var locale: String?
    /// The time zone's identifier, such as "Europe/Berlin".
    package var zone: String?
    /// How far local time is ahead of UTC at the moment of reading, in seconds, daylight saving included.
    package var zoneOffsetSeconds: Int?
    /// The size of the main screen in pixels.
    package var screen: Screen?
    /// The battery at the moment of reading; absent on devices without one.
    package var battery: BatteryFacts?
    /// The network at the moment of reading.
    package var network: NetworkFacts?

    /// A screen's size.
    package struct Screen: Sendable, Hashable {
        /// Pixels from left to right.
        package var width: Int
        /// Pixels from top to bottom.
        package var height: Int

        /// Makes a size.
        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// No facts at all.
    package init() {}
}
