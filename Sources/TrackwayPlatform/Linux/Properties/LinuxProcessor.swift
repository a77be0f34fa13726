// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayEvents

/// Reads what the kernel knows about the processors.
struct LinuxProcessor: Sendable {
    private static let folder = "/sys/devices/system/cpu"

    private let tree: SystemTree

    /// Reads from a tree.
    init(tree: SystemTree) {
        self.tree = tree
    }

    /// Adds what is known to properties.
    func report(_ properties: inout DeviceProperties) {
        let online = ranges("online")
        reportCounts(&properties, online: online)
        LinuxFrequencies(tree: tree).report(&properties)
        // Caches are those of the first processor; where processors differ, no one number holds for all.
        if let first = online?.lowest {
            LinuxCaches(tree: tree, folder: "\(Self.folder)/cpu\(first)/cache").report(&properties)
        }
        reportAbilities(&properties)
    }

    private func reportCounts(_ properties: inout DeviceProperties, online: NumberRanges?) {
        let possible = ranges("possible")
        properties[.cpuCount] = (ranges("present") ?? online).map { Int64($0.count) }
        properties[.logicalCPUCount] = online.map { Int64($0.count) }
        properties[.activeCPUCount] = online.map { Int64($0.count) }
        properties[.logicalCPUMaximum] = possible.map { Int64($0.count) }
        guard let online else { return }
        let cores = distinct("core_cpus_list", of: online) ?? distinct("thread_siblings_list", of: online)
        properties[.physicalCPUCount] = cores
        // Which core a processor that is off would belong to, nobody knows.
        if possible?.count == online.count { properties[.physicalCPUMaximum] = cores }
        // The kernel writes -1 where the board does not say.
        properties[.packageCount] = distinct("physical_package_id", of: online, except: "-1")
    }

    /// How many different texts a file has for the processors; `nil` unless each has one.
    private func distinct(_ file: String, of online: NumberRanges, except unknown: String? = nil) -> Int64? {
        var texts: Set<String> = []
        for number in online.numbers {
            guard let text = tree.text("\(Self.folder)/cpu\(number)/topology/\(file)"), text != unknown else {
                return nil
            }
            texts.insert(text)
        }
        return Int64(texts.count)
    }

    private func reportAbilities(_ properties: inout DeviceProperties) {
        let order = tree.text("/sys/kernel/cpu_byteorder") ?? (tree.isLive ? Self.ownByteOrder : nil)
        properties[.cpuByteOrder] = ["little": "1234", "big": "4321"][order ?? ""]
        let words = CPUInfo(tree.text("/proc/cpuinfo") ?? "")
        let runs64Bit = tree.text("/sys/kernel/address_bits") == "64" || (tree.isLive && Int.bitWidth == 64)
        properties[.isCPU64Bit] = runs64Bit ? true : words.is64Bit
        properties[.hasFloatingPoint] = words.hasFloatingPoint
    }

    private static var ownByteOrder: String { Int(1).littleEndian == 1 ? "little" : "big" }

    private func ranges(_ file: String) -> NumberRanges? {
        tree.text("\(Self.folder)/\(file)").flatMap { NumberRanges($0) }
    }
}
#endif
