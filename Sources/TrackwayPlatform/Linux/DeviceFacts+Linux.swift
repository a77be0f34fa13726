// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway
package import TrackwayCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension DeviceFacts {
    /// Reads the facts of a Linux system.
    ///
    /// About twenty small files are read. This takes well under a millisecond if they are cached, but is too slow for a
    /// main thread that draws.
    ///
    /// - Parameters:
    ///   - appID: The app's id, for which the device's identity is derived.
    ///   - tree: The location of the system's files.
    ///   - environment: The process's environment, for locale and time zone.
    ///   - now: The time for which the zone's UTC offset is read.
    package static func read(
        appID: String,
        tree: SystemTree = .live,
        environment: [String: String] = ProcessEnvironment.current(),
        now: Timestamp = SystemClock().now().wall
    ) -> DeviceFacts {
        lasting(appID: appID, tree: tree).refreshed(tree: tree, environment: environment, now: now)
    }

    /// Reads the facts that do not change while a process runs.
    static func lasting(appID: String, tree: SystemTree) -> DeviceFacts {
        var facts = DeviceFacts()
        let release = (tree.text("/etc/os-release") ?? tree.text("/usr/lib/os-release")).map { OSRelease($0) }
        facts.platform = tree.text("/proc/sys/kernel/ostype")
        facts.systemID = release?.id
        facts.systemName = release?.name
        facts.systemVersion = release?.version
        facts.kernelVersion = tree.text("/proc/sys/kernel/osrelease")
        facts.architecture = architecture()
        facts.identity = (tree.text("/etc/machine-id") ?? tree.text("/var/lib/dbus/machine-id"))
            .flatMap { DeviceIdentity.make(machineID: $0, appID: appID) }
        facts.make = description(tree.text("/sys/class/dmi/id/sys_vendor"))
        facts.model =
            description(tree.text("/sys/class/dmi/id/product_name"))
            ?? description(tree.text("/proc/device-tree/model"))
        facts.cores = tree.text("/sys/devices/system/cpu/online").flatMap { NumberRanges($0)?.count }
        facts.memoryBytes = tree.text("/proc/meminfo").flatMap(memory)
        facts.screen = LinuxScreen(tree: tree).size()
        return facts
    }

    /// Returns the facts with locale, time zone, battery, and network read again.
    ///
    /// These are the facts that change while a process runs. About ten small files are read, so the call is cheaper
    /// than reading all facts.
    package func refreshed(
        tree: SystemTree = .live,
        environment: [String: String] = ProcessEnvironment.current(),
        now: Timestamp = SystemClock().now().wall
    ) -> DeviceFacts {
        var facts = self
        facts.locale = LinuxLocale.locale(environment: environment)
        facts.zone = LinuxLocale.zone(environment: environment, tree: tree)
        facts.zoneOffsetSeconds = Self.offset(at: now)
        facts.battery = LinuxBattery(tree: tree).facts()
        facts.network = LinuxNetwork(tree: tree).facts()
        return facts
    }

    private static func architecture() -> String? {
        var names = utsname()
        guard uname(&names) == 0 else { return nil }
        return withUnsafeBytes(of: names.machine) { bytes in
            let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            return text.isEmpty ? nil : text
        }
    }

    /// Returns a description that a manufacturer provided.
    ///
    /// Returns nil if the text is a placeholder or not a single line.
    static func description(_ text: String?) -> String? {
        guard let text, SystemTree.isLine(text, limit: 128) else { return nil }
        let blanks = [
            "to be filled by o.e.m.", "system manufacturer", "system product name", "default string", "not specified",
            "not applicable", "o.e.m", "oem", "none", "unknown", "invalid", "empty", "n/a",
        ]
        return blanks.contains(text.lowercased()) ? nil : text
    }

    private static func memory(_ text: String) -> Int64? {
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("MemTotal:") }
        guard let fields = line?.split(separator: " "), fields.count == 3, fields[2] == "kB",
            let kibibytes = Int64(fields[1])
        else { return nil }
        let bytes = kibibytes.multipliedReportingOverflow(by: 1_024)
        return bytes.overflow ? nil : bytes.partialValue
    }

    /// Returns the system time zone's UTC offset at a time, in seconds.
    ///
    /// Returns nil if it is unknown.
    package static func zoneOffset(at moment: Timestamp) -> Int? { offset(at: moment) }

    private static func offset(at now: Timestamp) -> Int? {
        var seconds = time_t(now.milliseconds / 1_000)
        var local = tm()
        // The zone may have changed since the process first read it, and localtime_r alone does not check.
        tzset()
        guard localtime_r(&seconds, &local) != nil else { return nil }
        return local.tm_gmtoff
    }
}

extension AppFacts {
    /// Reads the facts of the running process.
    ///
    /// - Parameters:
    ///   - id: The app's id.
    ///   - version: The app's version, if the app specifies one; an executable file has none.
    ///   - tree: The location of the system's files.
    package static func read(id: String, version: String? = nil, tree: SystemTree = .live) -> AppFacts {
        let name = executableName(tree)
        return AppFacts(id: id, package: name, name: name, version: version, processID: ctrackway_process_id())
    }

    private static func executableName(_ tree: SystemTree) -> String? {
        guard let path = tree.target(of: "/proc/self/exe"), var name = path.split(separator: "/").last else {
            return nil
        }
        // The kernel appends this suffix if the file was replaced while the program runs.
        if name.hasSuffix(" (deleted)") { name = name.dropLast(" (deleted)".count) }
        return name.isEmpty ? nil : String(name)
    }
}
#endif
