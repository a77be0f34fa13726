// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Names from Sift's documentation and its format, including legacy names.
extension DeviceProperties.Key where Value == Int64 {
    /// The screen's width in pixels.
    public static var screenWidth: Self { Self("device_screen_width") }

    /// The screen's height in pixels.
    public static var screenHeight: Self { Self("device_screen_height") }

    /// The number of processor packages.
    public static var packageCount: Self { Self("device_package_count") }

    /// The main memory in bytes.
    public static var memorySize: Self { Self("device_memory_size") }

    /// The size of a memory page in bytes.
    public static var pageSize: Self { Self("device_page_size") }

    /// The frequency of the time base in Hz.
    public static var timeBaseFrequency: Self { Self("device_tb_frequency") }

    /// The host id.
    public static var hostID: Self { Self("device_host_id") }

    /// The kernel's revision number.
    public static var osRevision: Self { Self("device_os_revision") }

    /// The supported version of POSIX.1, as a year and month.
    public static var posix1Version: Self { Self("device_posix1_version") }

    /// The supported version of POSIX.2, as a year and month.
    public static var posix2Version: Self { Self("device_posix2_version") }

    /// The processor's family.
    public static var cpuFamily: Self { Self("cpu_family") }

    /// The processor's type.
    public static var cpuType: Self { Self("cpu_type") }

    /// The processor's subtype.
    public static var cpuSubtype: Self { Self("cpu_subtype") }

    /// The number of processors.
    public static var cpuCount: Self { Self("cpu_count") }

    /// The number of physical cores in use.
    public static var physicalCPUCount: Self { Self("cpu_physical_cpu_count") }

    /// The maximum number of physical cores.
    public static var physicalCPUMaximum: Self { Self("cpu_physical_cpu_max") }

    /// The number of logical cores in use.
    public static var logicalCPUCount: Self { Self("cpu_logical_cpu_count") }

    /// The maximum number of logical cores.
    public static var logicalCPUMaximum: Self { Self("cpu_logical_cpu_max") }

    /// The number of cores that the scheduler currently uses.
    public static var activeCPUCount: Self { Self("cpu_active_cpu_count") }

    /// The processor's frequency in Hz.
    public static var cpuFrequency: Self { Self("cpu_frequency") }

    /// The processor's lowest frequency in Hz.
    public static var cpuFrequencyMinimum: Self { Self("cpu_frequency_min") }

    /// The processor's highest frequency in Hz.
    public static var cpuFrequencyMaximum: Self { Self("cpu_frequency_max") }

    /// The size of a cache line in bytes.
    public static var cacheLineSize: Self { Self("cache_line_size") }

    /// The size of the first-level data cache in bytes.
    public static var l1DataCacheSize: Self { Self("cache_l1_dcache_size") }

    /// The size of the first-level instruction cache in bytes.
    public static var l1InstructionCacheSize: Self { Self("cache_l1_icache_size") }

    /// The size of the second-level cache in bytes.
    public static var l2CacheSize: Self { Self("cache_l2_cache_size") }

    /// The size of the third-level cache in bytes.
    public static var l3CacheSize: Self { Self("cache_l3_cache_size") }

    /// The bus's frequency in Hz.
    public static var busFrequency: Self { Self("bus_frequency") }

    /// The bus's lowest frequency in Hz.
    public static var busFrequencyMinimum: Self { Self("bus_frequency_min") }

    /// The bus's highest frequency in Hz.
    public static var busFrequencyMaximum: Self { Self("bus_frequency_max") }
}
