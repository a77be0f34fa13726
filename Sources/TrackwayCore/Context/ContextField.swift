// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A fact about the app or device that can be omitted.
///
/// The raw value is the fact's path in the context, as in `Documentation/DataMap.md`. The app's id and the device's
/// platform cannot be omitted, because formats require them.
public enum ContextField: String, Sendable, Hashable, CaseIterable {
    /// The system's identifier of the app.
    case appPackage = "app.package"
    /// The app's name.
    case appName = "app.name"
    /// The app's version.
    case appVersion = "app.version"
    /// The app's build number.
    case appBuild = "app.build"
    /// The process id.
    case appProcess = "app.process"
    /// The id of the device for this app.
    ///
    /// Formats that require such an id then use that of the installation, which lasts only as long as the installation.
    /// Snapshots omit the id, too.
    case deviceID = "device.id"
    /// The short name of the operating system.
    case deviceOSID = "device.os_id"
    /// The human-readable name of the operating system.
    case deviceOSName = "device.os_name"
    /// The version of the operating system.
    ///
    /// Without it, `_os_update` is not recorded.
    case deviceOSVersion = "device.os_version"
    /// The kernel's release.
    case deviceKernelVersion = "device.kernel_version"
    /// The processor's instruction set.
    case deviceArchitecture = "device.architecture"
    /// The device's manufacturer.
    case deviceMake = "device.make"
    /// The device's model.
    case deviceModel = "device.model"
    /// The runtime environment, such as a simulator.
    case deviceVariant = "device.variant"
    /// The advertising identifier.
    ///
    /// Snapshots omit it, too.
    case deviceAdvertisingID = "device.advertising_id"
    /// The number of processor cores.
    case deviceCores = "device.cores"
    /// The size of main memory.
    case deviceMemory = "device.memory_bytes"
    /// The user's locale.
    case deviceLocale = "device.locale"
    /// The time zone's identifier.
    case deviceZone = "device.zone"
    /// The local time's offset from UTC.
    case deviceZoneOffset = "device.zone_offset_seconds"
    /// The width of the main screen.
    case deviceScreenWidth = "device.screen_width"
    /// The height of the main screen.
    case deviceScreenHeight = "device.screen_height"
    /// The battery's level.
    case deviceBatteryLevel = "device.battery_level"
    /// The battery's state.
    case deviceBatteryState = "device.battery_state"
    /// The thermal state.
    case deviceThermalState = "device.thermal_state"
    /// Whether Low Power Mode is on.
    case deviceLowPowerMode = "device.saves_power"
    /// The type of network.
    case deviceNetwork = "device.network"
    /// The names of active network interfaces.
    case deviceNetworkInterfaces = "device.network_interfaces"
}
