// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

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
    /// What the app runs in where that is not the device it was made for.
    package var variant: Variant?
    /// The identifier for advertisers, where the app links the product that knows it and the person allows tracking.
    package var advertisingID: String?
    /// How hot the device is, at the moment of reading.
    package var thermalState: ThermalState?
    /// Whether the person saves power, at the moment of reading.
    package var savesPower: Bool?
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

    /// What an app runs in; the raw value is the attribute's text.
    package enum Variant: String, Sendable, Hashable {
        /// A simulated device.
        case simulator
        /// A Mac, made for it by Catalyst.
        case macCatalyst = "mac_catalyst"
        /// A Mac, made for a phone or a tablet.
        case iOSAppOnMac = "ios_app_on_mac"
    }

    /// How hot a device is; the raw value is the attribute's text.
    package enum ThermalState: String, Sendable, Hashable {
        /// As it should be.
        case nominal
        /// Warmer; what can wait should.
        case fair
        /// The system slows down.
        case serious
        /// Everything that can be should be stopped.
        case critical
    }

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

    /// The facts as the `device` section of an event's context; an absent fact has no key.
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
        put("saves_power", savesPower.map { .boolean($0) })
        put("network", network?.kind.map { .string($0.rawValue) })
        if let interfaces = network?.interfaces, !interfaces.isEmpty {
            put("network_interfaces", .array(interfaces.map { .string($0) }))
        }
        return section
    }
}

/// How full the device's batteries are and what happens to them.
package struct BatteryFacts: Sendable, Hashable {
    /// What happens to a battery; the raw value is the attribute's text.
    package enum State: String, Sendable, Hashable {
        /// Power flows in.
        case charging
        /// Power flows out.
        case discharging
        /// Nothing more fits in.
        case full
        /// Plugged in, but held where it is.
        case notCharging = "not_charging"
    }

    /// 0 (empty) to 1 (full), all batteries together; absent when the system does not tell.
    package var level: Double?
    /// Absent when the system does not tell.
    package var state: State?

    /// Makes facts.
    package init(level: Double?, state: State?) {
        self.level = level
        self.state = state
    }
}

/// How the device reaches the network. Addresses are not among the facts.
package struct NetworkFacts: Sendable, Hashable {
    /// A kind of network; the raw value is the attribute's text.
    package enum Kind: String, Sendable, Hashable {
        /// A cable.
        case ethernet
        /// A wireless local network.
        case wifi
        /// A mobile network.
        case cellular
        /// A tunnel or another network made by software.
        case virtual
    }

    /// The kind of network that leads to the outside; absent when there is no way out or its kind is unknown.
    package var kind: Kind?
    /// Names of the interfaces that are up and either real devices or the way out, in alphabetical order.
    package var interfaces: [String]

    /// Makes facts.
    package init(kind: Kind?, interfaces: [String]) {
        self.kind = kind
        self.interfaces = interfaces
    }
}

/// A system's version as the system writes it.
package enum SystemVersion {
    /// Apple's form: the last number is left out when it is zero, `16.4` and `16.4.1`.
    package static func text(major: Int, minor: Int, patch: Int) -> String {
        patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)"
    }
}
