// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport

/// An app's day on a simulated Linux machine, with every byte that it sent.
final class RecordedDay {
    /// A part of the day, which is one process.
    enum Part: String, Sendable {
        case undecided, morning, evening, quiet
    }

    let proxy: RecordingProxy
    let machine: SimulatedSystem
    private let collector: Collector
    private let folder: TemporaryFolder
    private let app: String
    private let without: [String]

    /// Prepares a day.
    ///
    /// - Parameters:
    ///   - app: The app's id.
    ///   - without: The settings that are switched off; see the app's `FirstDay`.
    init(app: String = "own-shop", without: [String] = []) throws {
        self.app = app
        self.without = without
        folder = try TemporaryFolder()
        collector = try Collector()
        proxy = try RecordingProxy(before: collector.port)
        machine = try SimulatedSystem(Self.laptop, port: proxy.port)
    }

    /// Runs parts of the day; each part is one process.
    func live(_ parts: Part...) throws {
        for part in parts {
            // The app and the system are updated over noon.
            let isEvening = part == .evening
            if isEvening { try machine.set("/etc/os-release", to: Self.osRelease("42")) }
            let program = try start(part.rawValue, version: isEvening ? "1.1" : "1.0", in: "data")
            let status = try program.status()
            guard part == .morning ? status == .signalled(6) : status == .exited(0) else {
                throw TestSupportError("the \(part) ended with \(status):\n\(program.tail)")
            }
            guard try !program.allLines().contains(where: { $0.hasPrefix("failed") }) else {
                throw TestSupportError("the \(part) failed:\n\(program.tail)")
            }
        }
    }

    /// Starts the app with a copy of its folder.
    func liveInCopy() throws {
        try FileManager.default.copyItem(atPath: folder.path("data"), toPath: folder.path("copy"))
        let program = try start("copied", version: "1.1", in: "copy")
        guard try program.status() == .exited(0) else { throw TestSupportError(program.tail) }
    }

    private func start(_ part: String, version: String, in name: String) throws -> Program {
        var environment = machine.environment.merging(proxy.environment) { $1 }
        environment["LANG"] = "de_CH.UTF-8"
        environment["LC_ALL"] = ""
        environment["LC_MESSAGES"] = ""
        environment["TZ"] = "Europe/Zurich"
        return try Program(
            BuiltProducts.path("first-day-app"),
            [part, "--data", folder.path(name), "--app", app, "--version", version]
                + without.flatMap { ["--without", $0] },
            environment: environment
        )
    }

    // MARK: What was sent

    /// The requests of all connections.
    func requests() throws -> [RecordedRequest] { try proxy.received.flatMap { try RecordedRequest.parse($0) } }

    /// The fields of all requests.
    func fields() throws -> Set<SentField> { Set(try requests().flatMap { try SentField.fields(in: $0) }) }

    // MARK: The machine

    private static func osRelease(_ version: String) -> String {
        "NAME=\"Fedora Linux\"\nID=fedora\nVERSION_ID=\(version)\n"
    }

    private static let laptop: [String: String] = {
        var files = [
            "/etc/os-release": osRelease("41"), "/etc/machine-id": "0123456789abcdef0123456789abcdef\n",
            "/etc/machine-info": "PRETTY_HOSTNAME=\"Ada's laptop\"\n",
            "/proc/sys/kernel/arch": "x86_64\n", "/proc/sys/kernel/ostype": "Linux\n",
            "/proc/sys/kernel/osrelease": "6.11.4-301.fc41.x86_64\n", "/proc/sys/kernel/hostname": "ada-laptop\n",
            "/proc/sys/kernel/random/boot_id": "0b5a6f10-1111-4222-8333-444455556666\n",
            "/proc/version": "Linux version 6.11.4-301.fc41.x86_64\n",
            "/proc/meminfo": "MemTotal:       16088476 kB\n",
            "/proc/cpuinfo": "processor\t: 0\nmodel name\t: CPU @ 1.80GHz\nfpu\t\t: yes\nflags\t\t: fpu lm\n",
            "/proc/net/route": "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
                + "wlx0a1b2c3d4e5f\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n",
            "/sys/class/net/wlx0a1b2c3d4e5f/type": "1\n", "/sys/class/net/wlx0a1b2c3d4e5f/operstate": "up\n",
            "/sys/class/net/wlx0a1b2c3d4e5f/uevent": "DEVTYPE=wlan\n", "/sys/class/net/wlx0a1b2c3d4e5f/device/": "",
            "/sys/kernel/cpu_byteorder": "little\n", "/sys/kernel/address_bits": "64\n",
            "/sys/kernel/notes": "\u{4}\0\0\0\u{8}\0\0\0\u{3}\0\0\0GNU\0kernelid",
            "/sys/class/dmi/id/sys_vendor": "LENOVO\n", "/sys/class/dmi/id/product_name": "20XW004AGE\n",
            "/sys/class/dmi/id/board_name": "20XW-BOARD\n",
            "/sys/class/drm/card0-eDP-1/status": "connected\n", "/sys/class/drm/card0-eDP-1/modes": "1920x1200\n",
            "/sys/class/power_supply/BAT0/type": "Battery\n", "/sys/class/power_supply/BAT0/capacity": "80\n",
            "/sys/class/power_supply/BAT0/status": "Discharging\n",
            "/sys/devices/system/cpu/online": "0\n", "/sys/devices/system/cpu/present": "0\n",
            "/sys/devices/system/cpu/possible": "0\n",
            "/sys/devices/system/cpu/cpu0/topology/core_cpus_list": "0\n",
            "/sys/devices/system/cpu/cpu0/topology/physical_package_id": "0\n",
            "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_min_freq": "400000\n",
            "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq": "4000000\n",
        ]
        for (index, (level, type)) in [(1, "Data"), (1, "Instruction"), (2, "Unified"), (3, "Unified")].enumerated() {
            let cache = "/sys/devices/system/cpu/cpu0/cache/index\(index)"
            files["\(cache)/level"] = "\(level)\n"
            files["\(cache)/type"] = "\(type)\n"
            files["\(cache)/size"] = "32K\n"
            files["\(cache)/coherency_line_size"] = "64\n"
        }
        let sensor = "/sys/bus/iio/devices/iio:device"
        files["\(sensor)0/name"] = "stk3311\n"
        files["\(sensor)0/in_proximity_raw"] = "37\n"
        files["\(sensor)0/in_proximity_nearlevel"] = "200\n"
        files["\(sensor)1/name"] = "mpu6050\n"
        for (axis, value) in [("x", "0"), ("y", "0"), ("z", "16384")] {
            files["\(sensor)1/in_accel_\(axis)_raw"] = "\(value)\n"
        }
        files["\(sensor)1/in_accel_scale"] = "0.000598\n"
        return files
    }()
}
