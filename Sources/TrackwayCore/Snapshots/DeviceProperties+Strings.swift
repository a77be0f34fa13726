// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Names from Sift's documentation and its format, including legacy names.
extension DeviceProperties.Key where Value == String {
    /// The app's display name.
    public static var appName: Self { Self("app_name") }

    /// The app's build version.
    public static var appVersion: Self { Self("app_version") }

    /// The app's version as shown in the store.
    public static var appVersionShort: Self { Self("app_version_short") }

    /// The device's name.
    public static var deviceName: Self { Self("device_name") }

    /// The commercial name of the device's model.
    public static var deviceModel: Self { Self("device_model") }

    /// The device's model in the language of its user.
    public static var deviceLocalizedModel: Self { Self("device_localized_model") }

    /// The identifier for advertisers; present only if the user allows tracking.
    public static var advertisingID: Self { Self("device_ifa") }

    /// The identifier of the device for this vendor.
    public static var vendorID: Self { Self("device_ifv") }

    /// The first ``vendorID`` of this device.
    public static var firstVendorID: Self { Self("initial_device_ifv") }

    /// The operating system's name.
    public static var systemName: Self { Self("device_system_name") }

    /// The operating system's version.
    public static var systemVersion: Self { Self("device_system_version") }

    /// The name of the mobile network operator.
    public static var carrierName: Self { Self("mobile_carrier_name") }

    /// The operator's country, as ISO 3166-1 alpha-2.
    public static var carrierCountry: Self { Self("mobile_iso_country_code") }

    /// The operator's mobile country code.
    public static var mobileCountryCode: Self { Self("mobile_country_code") }

    /// The operator's mobile network code.
    public static var mobileNetworkCode: Self { Self("mobile_network_code") }

    /// The machine's identifier, such as iPhone15,2 or x86_64.
    public static var hardwareMachine: Self { Self("device_hardware_machine") }

    /// The board's or product's name.
    public static var hardwareModel: Self { Self("device_hardware_model") }

    /// The UUID of the running kernel's build.
    public static var kernelUUID: Self { Self("device_kernel_uuid") }

    /// The kernel's version line.
    public static var kernelVersion: Self { Self("device_kernel_version") }

    /// The identifier of the device's current boot.
    public static var kernelBootSession: Self { Self("device_kernel_boot_session_uuid") }

    /// The signature of the device's current boot.
    public static var kernelBootSignature: Self { Self("device_kernel_boot_signature") }

    /// The device's name on its network.
    public static var hostName: Self { Self("device_host_name") }

    /// The kernel's name, such as Darwin or Linux.
    public static var osType: Self { Self("device_os_type") }

    /// The kernel's release.
    public static var osRelease: Self { Self("device_os_release") }

    /// The byte order as digits: 1234 is little-endian.
    public static var cpuByteOrder: Self { Self("cpu_byte_order") }
}
