// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The contents of system files on various devices.
enum RecordedDevice {
    /// A laptop with a panel and an external screen.
    ///
    /// It has two batteries, and two cores with two threads each.
    static let laptop: [String: String] = [
        "/etc/os-release": "NAME=\"Fedora Linux\"\nID=fedora\nVERSION_ID=41\n",
        "/etc/machine-id": "0123456789abcdef0123456789abcdef\n",
        "/etc/machine-info": "PRETTY_HOSTNAME=\"Ada's laptop\"\nCHASSIS=laptop\n",
        "/proc/sys/kernel/arch": "x86_64\n",
        "/proc/sys/kernel/ostype": "Linux\n",
        "/proc/sys/kernel/osrelease": "6.11.4-301.fc41.x86_64\n",
        "/proc/sys/kernel/hostname": "ada\n",
        "/proc/sys/kernel/random/boot_id": "0b5a6f10-1111-4222-8333-444455556666\n",
        "/proc/version": "Linux version 6.11.4-301.fc41.x86_64 (gcc 14.2.1) #1 SMP PREEMPT_DYNAMIC\n",
        "/proc/meminfo": "MemTotal:       16088476 kB\nMemFree:         1234 kB\n",
        "/proc/cpuinfo": """
        processor\t: 0
        model name\t: Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz
        fpu\t\t: yes
        flags\t\t: fpu vme lm

        processor\t: 1
        fpu\t\t: no
        """,
        "/sys/kernel/cpu_byteorder": "little\n",
        "/sys/kernel/address_bits": "64\n",
        "/sys/class/dmi/id/product_name": "20XW004AGE\n",
        "/sys/class/dmi/id/board_name": "20XW-BOARD\n",
        "/sys/devices/system/cpu/online": "0-3\n",
        "/sys/devices/system/cpu/present": "0-3\n",
        "/sys/devices/system/cpu/possible": "0-7\n",
        "/sys/devices/system/cpu/cpu0/topology/core_cpus_list": "0,2\n",
        "/sys/devices/system/cpu/cpu1/topology/core_cpus_list": "1,3\n",
        "/sys/devices/system/cpu/cpu2/topology/core_cpus_list": "0,2\n",
        "/sys/devices/system/cpu/cpu3/topology/core_cpus_list": "1,3\n",
        "/sys/devices/system/cpu/cpu0/topology/physical_package_id": "0\n",
        "/sys/devices/system/cpu/cpu1/topology/physical_package_id": "0\n",
        "/sys/devices/system/cpu/cpu2/topology/physical_package_id": "0\n",
        "/sys/devices/system/cpu/cpu3/topology/physical_package_id": "0\n",
        "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_min_freq": "400000\n",
        "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "4000000\n",
        "/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq": "812345\n",
        "/sys/devices/system/cpu/cpufreq/policy1/cpuinfo_min_freq": "500000\n",
        "/sys/devices/system/cpu/cpufreq/policy1/cpuinfo_max_freq": "3900000\n",
        "/sys/devices/system/cpu/cpu0/cache/index0/level": "1\n",
        "/sys/devices/system/cpu/cpu0/cache/index0/type": "Data\n",
        "/sys/devices/system/cpu/cpu0/cache/index0/size": "32K\n",
        "/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size": "64\n",
        "/sys/devices/system/cpu/cpu0/cache/index1/level": "1\n",
        "/sys/devices/system/cpu/cpu0/cache/index1/type": "Instruction\n",
        "/sys/devices/system/cpu/cpu0/cache/index1/size": "48K\n",
        "/sys/devices/system/cpu/cpu0/cache/index2/level": "2\n",
        "/sys/devices/system/cpu/cpu0/cache/index2/type": "Unified\n",
        "/sys/devices/system/cpu/cpu0/cache/index2/size": "256K\n",
        "/sys/devices/system/cpu/cpu0/cache/index3/level": "3\n",
        "/sys/devices/system/cpu/cpu0/cache/index3/type": "Unified\n",
        "/sys/devices/system/cpu/cpu0/cache/index3/size": "8192K\n",
        "/sys/class/drm/card0/": "",
        "/sys/class/drm/card0-DP-1/status": "connected\n",
        "/sys/class/drm/card0-DP-1/modes": "3840x2160\n1920x1080\n",
        "/sys/class/drm/card0-HDMI-A-1/status": "disconnected\n",
        "/sys/class/drm/card0-eDP-1/status": "connected\n",
        "/sys/class/drm/card0-eDP-1/modes": "1920x1200\n1920x1080\n",
        "/sys/class/power_supply/BAT0/type": "Battery\n",
        "/sys/class/power_supply/BAT0/energy_now": "20000000\n",
        "/sys/class/power_supply/BAT0/energy_full": "20000000\n",
        "/sys/class/power_supply/BAT0/status": "Full\n",
        "/sys/class/power_supply/BAT1/type": "Battery\n",
        "/sys/class/power_supply/BAT1/energy_now": "10000000\n",
        "/sys/class/power_supply/BAT1/energy_full": "60000000\n",
        "/sys/class/power_supply/BAT1/status": "Discharging\n",
    ]

    /// A phone with a device tree instead of DMI, a DSI panel, and sensors.
    ///
    /// It is on its back, with its top to the north.
    static let phone: [String: String] = [
        "/etc/os-release": "NAME=postmarketOS\nID=postmarketos\nVERSION_ID=v24.12\n",
        "/etc/machine-id": "fedcba9876543210fedcba9876543210\n",
        "/proc/sys/kernel/arch": "aarch64\n",
        "/proc/sys/kernel/hostname": "(none)\n",
        "/proc/device-tree/model": "Pine64 PinePhone (1.2)\0",
        "/proc/device-tree/compatible": "pine64,pinephone-1.2\0pine64,pinephone\0allwinner,sun50i-a64\0",
        "/proc/cpuinfo": "processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd evtstrm\n",
        "/sys/devices/system/cpu/online": "0-3\n",
        "/sys/devices/system/cpu/possible": "0-3\n",
        "/sys/devices/system/cpu/cpu0/topology/core_cpus_list": "0\n",
        "/sys/devices/system/cpu/cpu1/topology/core_cpus_list": "1\n",
        "/sys/devices/system/cpu/cpu2/topology/core_cpus_list": "2\n",
        "/sys/devices/system/cpu/cpu3/topology/core_cpus_list": "3\n",
        "/sys/devices/system/cpu/cpu0/topology/physical_package_id": "-1\n",
        "/sys/devices/system/cpu/cpu1/topology/physical_package_id": "-1\n",
        "/sys/devices/system/cpu/cpu2/topology/physical_package_id": "-1\n",
        "/sys/devices/system/cpu/cpu3/topology/physical_package_id": "-1\n",
        "/sys/class/drm/card1-DSI-1/status": "connected\n",
        "/sys/class/drm/card1-DSI-1/modes": "720x1440\n",
        "/sys/class/power_supply/axp20x-battery/type": "Battery\n",
        "/sys/class/power_supply/axp20x-battery/capacity": "64\n",
        "/sys/class/power_supply/axp20x-battery/status": "Charging\n",
        "/sys/bus/iio/devices/iio:device0/name": "stk3311\n",
        "/sys/bus/iio/devices/iio:device0/in_proximity_raw": "37\n",
        "/sys/bus/iio/devices/iio:device0/in_proximity_nearlevel": "200\n",
        "/sys/bus/iio/devices/iio:device1/name": "lis3mdl\n",
        "/sys/bus/iio/devices/iio:device1/in_magn_x_raw": "0\n",
        "/sys/bus/iio/devices/iio:device1/in_magn_y_raw": "2000\n",
        "/sys/bus/iio/devices/iio:device1/in_magn_z_raw": "-4000\n",
        "/sys/bus/iio/devices/iio:device1/in_magn_x_scale": "0.0001\n",
        "/sys/bus/iio/devices/iio:device1/in_magn_y_scale": "0.0001\n",
        "/sys/bus/iio/devices/iio:device1/in_magn_z_scale": "0.0001\n",
        "/sys/bus/iio/devices/iio:device2/name": "mpu6050\n",
        "/sys/bus/iio/devices/iio:device2/in_accel_x_raw": "0\n",
        "/sys/bus/iio/devices/iio:device2/in_accel_y_raw": "-8\n",
        "/sys/bus/iio/devices/iio:device2/in_accel_z_raw": "-16384\n",
        "/sys/bus/iio/devices/iio:device2/in_accel_scale": "0.000598\n",
        "/sys/bus/iio/devices/iio:device2/in_accel_mount_matrix": "0, 1, 0; 1, 0, 0; 0, 0, -1\n",
        "/sys/bus/iio/devices/iio:device2/in_anglvel_x_raw": "90\n",
        "/sys/bus/iio/devices/iio:device2/in_anglvel_y_raw": "-10\n",
        "/sys/bus/iio/devices/iio:device2/in_anglvel_z_raw": "10\n",
        "/sys/bus/iio/devices/iio:device2/in_anglvel_offset": "10\n",
        "/sys/bus/iio/devices/iio:device2/in_anglvel_scale": "0.01\n",
    ]

    /// A container that exposes nothing about its host.
    static let container: [String: String] = [
        "/etc/os-release": "NAME=\"Alpine Linux\"\nID=alpine\nVERSION_ID=3.21.0\n",
        "/proc/": "",
        "/sys/": "",
    ]
}
