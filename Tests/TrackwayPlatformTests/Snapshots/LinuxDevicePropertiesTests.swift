// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayLifecycle

@testable import TrackwayPlatform

@Suite("Device properties on Linux")
struct LinuxDevicePropertiesTests {
    static let app: Attributes = ["id": "shop", "name": "Shop", "version": "3.8.1", "process": 4711]

    static func read(
        _ files: [String: String],
        app: Attributes = app,
        recognizesDevice: Bool = true
    ) throws -> DeviceProperties {
        try RecordedTree.with(files) {
            LinuxDeviceProperties(app: app, tree: $0, recognizesDevice: recognizesDevice).deviceProperties()
        }
    }

    private static let laptopPropertyNames = Result { Set(try read(RecordedDevice.laptop).names) }

    @Test
    func `exactly the properties in a laptop's tree are read`() throws {
        let expected: Attributes = [
            "app_name": "Shop", "app_version_short": "3.8.1",
            "cache_l1_dcache_size": 32_768, "cache_l1_icache_size": 49_152, "cache_l2_cache_size": 262_144,
            "cache_l3_cache_size": 8_388_608, "cache_line_size": 64,
            "cpu_64bit_capable": true, "cpu_active_cpu_count": 4, "cpu_byte_order": "1234", "cpu_count": 4,
            "cpu_frequency": 1_800_000_000, "cpu_frequency_max": 4_000_000_000, "cpu_frequency_min": 400_000_000,
            "cpu_has_fp": true, "cpu_logical_cpu_count": 4, "cpu_logical_cpu_max": 8, "cpu_physical_cpu_count": 2,
            "device_hardware_machine": "x86_64", "device_hardware_model": "20XW-BOARD", "device_host_name": "ada",
            "device_ifv": "7350bbafef5d0240512b0c054a6ea375",
            "device_kernel_boot_session_uuid": .string(
                BootIdentity.obfuscated("0b5a6f10-1111-4222-8333-444455556666", for: "shop")
            ),
            "device_kernel_version": "Linux version 6.11.4-301.fc41.x86_64 (gcc 14.2.1) #1 SMP PREEMPT_DYNAMIC",
            "device_memory_size": 16_474_599_424, "device_model": "20XW004AGE", "device_name": "Ada's laptop",
            "device_os_release": "6.11.4-301.fc41.x86_64", "device_os_type": "Linux", "device_package_count": 1,
            "device_screen_height": 1_200, "device_screen_width": 1_920, "device_system_name": "Fedora Linux",
            "device_system_version": "41",
        ]
        #expect(try Self.read(RecordedDevice.laptop).attributes == expected)
    }

    @Test
    func `without recognition, no property of a laptop distinguishes it from others`() throws {
        var files = RecordedDevice.laptop
        let kernelNote: [UInt8] = [4, 0, 0, 0, 8, 0, 0, 0, 3, 0, 0, 0] + Array("GNU\0".utf8) + Array(1...8)
        files["/sys/kernel/notes"] = String(decoding: kernelNote, as: UTF8.self)
        let all = try Self.read(files)
        let kept = try Self.read(files, recognizesDevice: false)
        #expect(
            Set(all.names).subtracting(kept.names) == [
                "device_host_name", "device_kernel_boot_session_uuid", "device_kernel_uuid", "device_name",
            ]
        )
        #expect(Set(kept.names).isSubset(of: all.names))
        try RecordedTree.with(files) { tree in
            let sources = SnapshotSources.system(app: Self.app, root: tree.root)
            #expect(sources.deviceProperties?.deviceProperties() == kept)
        }
        let live = SnapshotSources.system(app: Self.app)
        #expect(live.appState?.appState().networkAddresses == nil)
    }

    @Test
    func `a phone's properties come from its device tree and panel, and unknown ones are omitted`() throws {
        let expected: Attributes = [
            "app_name": "Shop", "app_version_short": "3.8.1",
            "cpu_active_cpu_count": 4, "cpu_count": 4, "cpu_has_fp": true, "cpu_logical_cpu_count": 4,
            "cpu_logical_cpu_max": 4, "cpu_physical_cpu_count": 4, "cpu_physical_cpu_max": 4,
            "device_hardware_machine": "aarch64", "device_hardware_model": "pine64,pinephone-1.2",
            "device_ifv": "3f0343bf6b36b3b358b3b09ef4971a4f", "device_model": "Pine64 PinePhone (1.2)",
            "device_screen_height": 1_440, "device_screen_width": 720, "device_system_name": "postmarketOS",
            "device_system_version": "v24.12",
        ]
        #expect(try Self.read(RecordedDevice.phone).attributes == expected)
    }

    @Test
    func `a container without hardware information reports the app and the distribution`() throws {
        let names = ["app_name", "app_version_short", "device_system_name", "device_system_version"]
        #expect(try Self.read(RecordedDevice.container).names == names)
    }

    @Test
    func `an empty tree and an app without a name yield no properties`() throws {
        #expect(try Self.read([:], app: ["id": "shop"]).isEmpty)
    }

    @Test
    func `an app's build has a separate property`() throws {
        let properties = try Self.read([:], app: ["id": "shop", "build": "381", "version": "3.8.1"])
        #expect(properties[.appVersion] == "381")
        #expect(properties[.appVersionShort] == "3.8.1")
    }

    @Test
    func `the base frequency takes precedence over the one in the processor's name`() throws {
        var files = RecordedDevice.laptop
        files["/sys/devices/system/cpu/cpufreq/policy0/base_frequency"] = "2000000\n"
        #expect(try Self.read(files)[.cpuFrequency] == 2_000_000_000)
    }

    @Test
    func `two readings of an unchanged device are equal, regardless of its current frequency`() throws {
        var files = RecordedDevice.laptop
        let before = try Self.read(files)
        files["/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq"] = "3999999\n"
        files["/proc/meminfo"] = "MemTotal:       16088476 kB\nMemFree:         9 kB\n"
        #expect(try Self.read(files) == before)
    }

    @Test(arguments: [
        ("/proc/sys/kernel/arch", String(repeating: "x", count: 300), ["device_hardware_machine"]),
        ("/proc/sys/kernel/hostname", "a\nb\u{7}", ["device_host_name"]),
        ("/proc/sys/kernel/hostname", "(none)\n", ["device_host_name"]),
        ("/proc/meminfo", "MemTotal: lots kB", ["device_memory_size"]),
        ("/etc/machine-id", "uninitialized", ["device_ifv"]),
        ("/etc/machine-info", "PRETTY_HOSTNAME=", ["device_name"]),
        ("/sys/class/dmi/id/board_name", "Default string", ["device_hardware_model"]),
        ("/sys/class/dmi/id/product_name", "20\u{1}\u{2}XW", ["device_model"]),
        ("/etc/os-release", "NAME=\(String(repeating: "x", count: 300))\nVERSION_ID=41", ["device_system_name"]),
        ("/etc/os-release", "NAME=Fedora Linux\nVERSION_ID=4\u{1B}1", ["device_system_version"]),
        ("/sys/devices/system/cpu/possible", "7-0", ["cpu_logical_cpu_max"]),
        ("/sys/devices/system/cpu/cpu2/topology/core_cpus_list", "", ["cpu_physical_cpu_count"]),
        ("/sys/devices/system/cpu/cpu2/topology/physical_package_id", "-1", ["device_package_count"]),
        ("/sys/devices/system/cpu/cpu0/cache/index3/size", "lots", ["cache_l3_cache_size"]),
        ("/sys/devices/system/cpu/cpu0/cache/index3/size", "99999999999999999999K", ["cache_l3_cache_size"]),
        ("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", "-64", ["cache_line_size"]),
        ("/sys/kernel/cpu_byteorder", "middle", ["cpu_byte_order"]),
        ("/proc/cpuinfo", "\u{0}\u{1}:::", ["cpu_frequency", "cpu_has_fp"]),
        (
            "/sys/devices/system/cpu/online", "all",
            [
                "cache_l1_dcache_size", "cache_l1_icache_size", "cache_l2_cache_size", "cache_l3_cache_size",
                "cache_line_size", "cpu_active_cpu_count", "cpu_logical_cpu_count", "cpu_physical_cpu_count",
                "device_package_count",
            ]
        ),
    ])
    func `only damaged values are omitted`(_ path: String, _ content: String, _ missing: [String]) throws {
        let whole = try Self.laptopPropertyNames.get()
        var files = RecordedDevice.laptop
        files[path] = content
        #expect(whole.subtracting(try Self.read(files).names) == Set(missing))
    }

    @Test
    func `bytes that are not valid text are omitted`() throws {
        let recorded = try RecordedTree(RecordedDevice.laptop)
        defer { withExtendedLifetime(recorded) {} }
        for path in ["/proc/sys/kernel/hostname", "/sys/class/dmi/id/product_name"] {
            try Data([0x61, 0xFF, 0xFE, 0x62]).write(to: recorded.root.appendingPathComponent(path))
        }
        let properties = LinuxDeviceProperties(app: Self.app, tree: recorded.tree, recognizesDevice: true)
            .deviceProperties()
        #expect(properties[.hostName] == nil)
        #expect(properties[.deviceModel] == nil)
        #expect(properties[.osType] == "Linux")
    }

    @Test
    func `loops, folders in place of files and oversized files cause neither crashes nor invented values`() throws {
        let files = RecordedDevice.laptop.merging([
            "/etc/machine-info": "-> machine-info", "/proc/meminfo": "-> ../proc/meminfo",
            "/sys/class/power_supply/loop": "-> ../power_supply", "/sys/class/drm/card9-eDP-1": "-> ../drm",
            "/sys/kernel/notes": String(repeating: "\u{4}\u{0}\u{0}\u{0}", count: 1_000_000),
            "/proc/version": String(repeating: "x", count: 10_000_000),
        ]) { _, hostile in hostile }
        let whole = Set(try Self.read(RecordedDevice.laptop).names)
        let missing: Set = ["device_name", "device_memory_size", "device_kernel_version"]
        #expect(whole.subtracting(try Self.read(files).names) == missing)
    }

    @Test(arguments: ["0", "-5", "9223372036854775807", "fast", ""])
    func `impossible frequencies are omitted`(_ text: String) throws {
        let properties = try Self.read([
            "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_min_freq": text,
            "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": text,
            "/sys/devices/system/cpu/cpufreq/policy0/base_frequency": text,
        ])
        #expect(properties[.cpuFrequency] == nil)
        #expect(properties[.cpuFrequencyMinimum] == nil)
        #expect(properties[.cpuFrequencyMaximum] == nil)
    }

    @Test
    func `the running system reports its kernel, processors, memory and page size, but no evidence`() throws {
        let properties = LinuxDeviceProperties(app: Self.app, recognizesDevice: true).deviceProperties()
        #expect(properties[.osType] == "Linux")
        #expect(properties[.hardwareMachine]?.isEmpty == false)
        #expect(try #require(properties[.memorySize]) > 0)
        #expect(try #require(properties[.logicalCPUCount]) > 0)
        let page = try #require(properties[.pageSize])
        #expect(page >= 4_096 && page & (page - 1) == 0)
        #expect(try #require(properties[.posix1Version]) >= 200_112)
        let boot = try #require(properties[.kernelBootSession])
        #expect(boot.utf8.count == 36)
        // The kernel's own boot ID never leaves the device.
        #expect(boot != BootIdentity.current())
        #expect(properties[.isCPU64Bit] == true)
        #expect(properties[.isSimulator] == nil)
        #expect(!properties.names.contains { $0.hasPrefix("evidence_") || $0.hasPrefix("mobile_") })
        #expect(properties == LinuxDeviceProperties(app: Self.app, recognizesDevice: true).deviceProperties())
    }

    @Test(arguments: [RecordedDevice.laptop, RecordedDevice.phone])
    func `the system's sources read the given tree`(_ files: [String: String]) throws {
        try RecordedTree.with(files) { tree in
            let sources = SnapshotSources.system(app: Self.app, root: tree.root + "/", recognizesDevice: true)
            let properties = try #require(sources.deviceProperties?.deviceProperties())
            #expect(properties == (try Self.read(files)))
            #expect(sources.location == nil)
        }
    }
}
