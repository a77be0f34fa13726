// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The keys of device properties, in the order in which they are written.
enum SiftDeviceProperties {
    static let members: [SiftMember] = names + hardware + evidence + kernel + processor

    private static let names =
        SiftMember.members(["app_name", "app_version", "app_version_short"], .string, isCurrent: true)
        + SiftMember.members(
            ["device_name", "device_system_name", "device_system_version", "device_ifv", "initial_device_ifv"],
            .string,
            isCurrent: true
        )
        + SiftMember.members(
            ["mobile_carrier_name", "mobile_iso_country_code", "mobile_country_code", "mobile_network_code"],
            .string,
            isCurrent: true
        )

    private static let hardware =
        SiftMember.members(["device_hardware_machine"], .string, isCurrent: true)
        + SiftMember.members(
            ["device_hardware_model", "device_model", "device_localized_model", "device_ifa"],
            .string
        )
        + SiftMember.members(["device_screen_width", "device_screen_height"], .integer)
        + SiftMember.members(["is_simulator"], .boolean)

    private static let evidence =
        SiftMember.members(
            [
                "evidence_files_present", "evidence_directories_symlinked", "evidence_directories_writable",
                "evidence_dylds_present", "evidence_url_schemes_openable",
            ],
            .strings,
            isCurrent: true
        ) + SiftMember.members(["evidence_syscalls_succeeded"], .strings)

    private static let kernel =
        SiftMember.members(
            [
                "device_package_count", "device_memory_size", "device_page_size", "device_tb_frequency",
                "device_host_id",
                "device_os_revision", "device_posix1_version", "device_posix2_version",
            ],
            .integer
        )
        + SiftMember.members(
            [
                "device_kernel_uuid", "device_kernel_version", "device_kernel_boot_session_uuid",
                "device_kernel_boot_signature", "device_host_name", "device_os_type", "device_os_release",
            ],
            .string
        )

    private static let processor =
        SiftMember.members(["cpu_byte_order"], .string)
        + SiftMember.members(["cpu_64bit_capable", "cpu_has_fp"], .boolean)
        + SiftMember.members(
            [
                "cpu_family", "cpu_type", "cpu_subtype", "cpu_count", "cpu_physical_cpu_count", "cpu_physical_cpu_max",
                "cpu_logical_cpu_count", "cpu_logical_cpu_max", "cpu_active_cpu_count", "cpu_frequency",
                "cpu_frequency_min", "cpu_frequency_max", "cache_line_size", "cache_l1_dcache_size",
                "cache_l1_icache_size", "cache_l2_cache_size", "cache_l3_cache_size", "bus_frequency",
                "bus_frequency_min", "bus_frequency_max",
            ],
            .integer
        )
}
