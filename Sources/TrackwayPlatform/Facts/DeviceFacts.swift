// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Facts about the device that the app runs on.
///
/// A fact that cannot be read is absent; no fact is guessed. The facts do not include the device's name, address, or
/// serial number, and include the machine id only as a keyed hash.
package struct DeviceFacts: Sendable, Equatable {
    /// The kind of system: "Linux", "iOS", "macOS", "tvOS", "watchOS" or "visionOS".
    package var platform: String?
    /// The system's short name, such as "debian".
    package var systemID: String?
    /// The system's human-readable name, such as "Debian GNU/Linux".
    package var systemName: String?
    /// The system's version, such as "12" or "17.5.1".
    package var systemVersion: String?
    /// The kernel's release, such as "6.1.0-18-amd64".
    package var kernelVersion: String?
    /// The processor's instruction set, such as "x86_64" or "arm64".
    package var architecture: String?
    /// The id of this device for this app only; see `DeviceIdentity`.
    package var identity: String?
    /// The device's manufacturer.
    package var make: String?
    /// The device's model.
    package var model: String?
    /// The runtime environment.
    ///
    /// The value is absent on the kind of device that the app was built for.
    package var variant: Variant?
    /// The advertising identifier.
    ///
    /// The value is present only if the app links the product that reads it and the user allows tracking.
    package var advertisingID: String?
    /// The thermal state at the time of reading.
    package var thermalState: ThermalState?
    /// Whether Low Power Mode is on, at the time of reading.
    package var isInLowPowerMode: Bool?
    /// The number of processor cores that the system uses.
    package var cores: Int?
    /// Main memory in bytes.
    package var memoryBytes: Int64?
    /// The user's locale, such as "de_DE".
    package var locale: String?
    /// The time zone's identifier, such as "Europe/Berlin".
    package var zone: String?
    /// The local time's offset from UTC, in seconds.
    ///
    /// The value is the offset at the time of reading, including daylight saving time.
    package var zoneOffsetSeconds: Int?
    /// The size of the main screen in pixels.
    package var screen: Screen?
    /// The battery at the time of reading; absent on devices without one.
    package var battery: BatteryFacts?
    /// The network at the time of reading.
    package var network: NetworkFacts?

    /// A runtime environment; the raw value is the attribute's value.
    package enum Variant: String, Sendable, Hashable {
        /// A simulated device.
        case simulator
        /// A Mac that runs an app built with Catalyst.
        case macCatalyst = "mac_catalyst"
        /// A Mac that runs an app built for a phone or tablet.
        case iOSAppOnMac = "ios_app_on_mac"
    }

    /// A thermal state; the raw value is the attribute's value.
    package enum ThermalState: String, Sendable, Hashable {
        /// Normal.
        case nominal
        /// Elevated; deferrable work should wait.
        case fair
        /// High; the system reduces performance.
        case serious
        /// Critical; all nonessential work should stop.
        case critical
    }

    /// A screen's size.
    package struct Screen: Sendable, Equatable {
        /// Width in pixels.
        package var width: Int
        /// Height in pixels.
        package var height: Int

        /// Creates a size.
        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// Creates an empty set of facts.
    package init() {}

    /// The facts as the `device` section of an event's context.
    ///
    /// Unknown facts are left out.
    package var attributes: Attributes {
        var section = Attributes()
        func put(_ key: String, _ value: AttributeValue?) {
            guard let value else { return }
            section[key] = value
        }
        put("id", identity.map { .string($0) })
        put("platform", platform.map { .string($0) })
        put("os_id", systemID.map { .string($0) })
        put("os_name", systemName.map { .string($0) })
        put("os_version", systemVersion.map { .string($0) })
        put("kernel_version", kernelVersion.map { .string($0) })
        put("architecture", architecture.map { .string($0) })
        put("make", make.map { .string($0) })
        put("model", model.map { .string($0) })
        put("variant", variant.map { .string($0.rawValue) })
        put("advertising_id", advertisingID.map { .string($0) })
        put("cores", cores.map { .integer(Int64($0)) })
        put("memory_bytes", memoryBytes.map { .integer($0) })
        put("locale", locale.map { .string($0) })
        put("zone", zone.map { .string($0) })
        put("zone_offset_seconds", zoneOffsetSeconds.map { .integer(Int64($0)) })
        put("screen_width", screen.map { .integer(Int64($0.width)) })
        put("screen_height", screen.map { .integer(Int64($0.height)) })
        put("battery_level", battery?.level.map { .double($0) })
        put("battery_state", battery?.state.map { .string($0.rawValue) })
        put("thermal_state", thermalState.map { .string($0.rawValue) })
        put("saves_power", isInLowPowerMode.map { .boolean($0) })
        put("network", network?.kind.map { .string($0.rawValue) })
        if let interfaces = network?.interfaces, !interfaces.isEmpty {
            put("network_interfaces", .array(interfaces.map { .string($0) }))
        }
        return section
    }
}

/// Charge level and state of the device's batteries.
package struct BatteryFacts: Sendable, Equatable {
    /// A battery state; the raw value is the attribute's value.
    package enum State: String, Sendable, Hashable {
        /// The battery is charging.
        case charging
        /// The battery is discharging.
        case discharging
        /// The battery is fully charged.
        case full
        /// Plugged in, but not charging.
        case notCharging = "not_charging"
    }

    /// The level of all batteries together, from 0 (empty) to 1 (full).
    ///
    /// The value is absent if the system does not report it.
    package var level: Double?
    /// The state; absent if the system does not report it.
    package var state: State?

    /// Creates facts.
    package init(level: Double?, state: State?) {
        self.level = level
        self.state = state
    }
}

/// The device's network connection, without addresses.
package struct NetworkFacts: Sendable, Equatable {
    /// A kind of network; the raw value is the attribute's value.
    package enum Kind: String, Sendable, Hashable {
        /// A wired network.
        case ethernet
        /// A wireless local network.
        case wifi
        /// A cellular network.
        case cellular
        /// A tunnel or another virtual network.
        case virtual
    }

    /// The kind of the default route's network.
    ///
    /// Absent if the kind is unknown or no default route exists.
    package var kind: Kind?
    /// The names of active interfaces, sorted.
    ///
    /// Only hardware devices and the interface of the default route are included.
    package var interfaces: [String]

    /// Creates facts.
    package init(kind: Kind?, interfaces: [String]) {
        self.kind = kind
        self.interfaces = interfaces
    }
}

/// Formats the version of an operating system.
package enum SystemVersion {
    /// Formats a version as Apple does: `16.4` and `16.4.1`.
    ///
    /// A patch number of zero is left out.
    package static func text(major: Int, minor: Int, patch: Int) -> String {
        patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)"
    }
}
