// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayCore

/// Reads the kernel's information about the processors.
struct LinuxProcessor: Sendable {
    private static let folder = "/sys/devices/system/cpu"

    private let tree: SystemTree

    /// Creates a reader for the given tree.
    init(tree: SystemTree) {
        self.tree = tree
    }

    /// Adds the known values to the properties.
    func report(_ properties: inout DeviceProperties) {
        let online = ranges("online")
        reportCounts(&properties, online: online)
        LinuxFrequencies(tree: tree).report(&properties)
        // The cache sizes are those of the first processor. If processors differ, no single number is correct for all
        // of them.
        if let first = online?.lowest {
            LinuxCaches(tree: tree, folder: "\(Self.folder)/cpu\(first)/cache").report(&properties)
        }
        reportFeatures(&properties)
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
        // The core of an offline processor is unknown.
        if possible?.count == online.count { properties[.physicalCPUMaximum] = cores }
        // The kernel writes -1 if the board does not report the package.
        properties[.packageCount] = distinct("physical_package_id", of: online, except: "-1")
    }

    /// Returns the number of distinct contents of a processor file.
    ///
    /// Returns `nil` unless every processor has the file.
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

    private func reportFeatures(_ properties: inout DeviceProperties) {
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

/// A list of numbers in the kernel's format, such as "0-3,6".
package struct NumberRanges: Sendable, Equatable {
    private let ranges: [ClosedRange<Int>]

    /// Parses a list.
    ///
    /// - Returns: `nil` if the text is malformed or empty, or contains a number of 2²⁰ or more.
    package init?(_ list: String) {
        var ranges: [ClosedRange<Int>] = []
        for part in list.split(separator: ",") {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let low = ends[0], let high = ends[ends.count - 1], low >= 0, high >= low,
                high < 1 << 20
            else { return nil }
            ranges.append(low...high)
        }
        guard !ranges.isEmpty else { return nil }
        self.ranges = ranges
    }

    /// The number of numbers in the list.
    package var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The lowest number.
    package var lowest: Int? { ranges.map(\.lowerBound).min() }

    /// The numbers in the order of the list.
    package var numbers: some Sequence<Int> { ranges.lazy.flatMap { $0 } }
}

/// Reads the processors' frequencies from cpufreq, which reports them in kHz.
private struct LinuxFrequencies: Sendable {
    private let tree: SystemTree

    /// Creates a reader for the given tree.
    init(tree: SystemTree) {
        self.tree = tree
    }

    /// Adds the known frequencies to the properties, in Hz.
    ///
    /// These are the lowest and the highest of all processors, and the nominal frequency. The current frequency is left
    /// out, because it differs at every reading.
    func report(_ properties: inout DeviceProperties) {
        let policies = tree.names(in: "/sys/devices/system/cpu/cpufreq").filter { $0.hasPrefix("policy") }
        func hertz(_ file: String) -> [Int64] {
            policies.compactMap { policy in
                guard let kilohertz = tree.number("/sys/devices/system/cpu/cpufreq/\(policy)/\(file)"),
                    (1...100_000_000).contains(kilohertz)
                else { return nil }
                return kilohertz * 1_000
            }
        }
        properties[.cpuFrequencyMinimum] = hertz("cpuinfo_min_freq").min()
        properties[.cpuFrequencyMaximum] = hertz("cpuinfo_max_freq").max()
        properties[.cpuFrequency] =
            hertz("base_frequency").max() ?? CPUInfo(tree.text("/proc/cpuinfo") ?? "").nominalFrequency
    }
}

/// Reads a processor's caches.
private struct LinuxCaches: Sendable {
    private let tree: SystemTree
    private let folder: String

    /// Creates a reader for the given tree.
    ///
    /// - Parameters:
    ///   - tree: The location of the system's files.
    ///   - folder: The processor's cache folder.
    init(tree: SystemTree, folder: String) {
        self.tree = tree
        self.folder = folder
    }

    /// Adds the known values to the properties.
    func report(_ properties: inout DeviceProperties) {
        for cache in tree.names(in: folder) where cache.hasPrefix("index") {
            let size = tree.text("\(folder)/\(cache)/size").flatMap(Self.bytes)
            let line = tree.number("\(folder)/\(cache)/coherency_line_size").flatMap { $0 > 0 ? $0 : nil }
            switch (tree.number("\(folder)/\(cache)/level"), tree.text("\(folder)/\(cache)/type")) {
            case (1, "Data"), (1, "Unified"):
                properties[.l1DataCacheSize] = size
                properties[.cacheLineSize] = line
            case (1, "Instruction"): properties[.l1InstructionCacheSize] = size
            case (2, "Unified"), (2, "Data"): properties[.l2CacheSize] = size
            case (3, "Unified"): properties[.l3CacheSize] = size
            default: continue
            }
        }
    }

    /// Returns the number of bytes in a size such as "32K".
    private static func bytes(_ text: String) -> Int64? {
        guard text.last == "K", let kibibytes = Int64(text.dropLast()), (1...1 << 40).contains(kibibytes) else {
            return nil
        }
        return kibibytes * 1_024
    }
}

/// The first processor's fields in `/proc/cpuinfo`, whose names differ between architectures.
package struct CPUInfo: Sendable, Equatable {
    private var fields: [String: String] = [:]

    /// Parses the file's text up to its first empty line.
    package init(_ text: String) {
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            guard !line.isEmpty else { break }
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[Self.trimmed(line[..<colon])] = Self.trimmed(line[line.index(after: colon)...])
        }
    }

    /// Whether the processor supports 64-bit code; `nil` if unknown.
    ///
    /// The kernel may nevertheless be a 32-bit kernel.
    package var is64Bit: Bool? {
        words("flags").map { $0.contains("lm") }
    }

    /// Whether the processor has a floating-point unit; `nil` if unknown.
    package var hasFloatingPoint: Bool? {
        switch fields["fpu"] {
        case "yes": return true
        case "no": return false
        default: break
        }
        guard let features = words("Features") else { return nil }
        return !features.isDisjoint(with: ["fp", "vfp", "vfpv3", "vfpv4"])
    }

    /// The nominal frequency in Hz.
    ///
    /// The frequency is known only if the model name ends with it: "… @ 2.50GHz".
    package var nominalFrequency: Int64? {
        guard let name = fields["model name"], let at = name.lastIndex(of: "@") else { return nil }
        let text = Self.trimmed(name[name.index(after: at)...])
        for (unit, factor) in [("GHz", 1e9), ("MHz", 1e6)] where text.hasSuffix(unit) {
            guard let number = Double(Self.trimmed(text.dropLast(unit.count))), (0.001...100_000).contains(number)
            else {
                return nil
            }
            return Int64((number * factor).rounded())
        }
        return nil
    }

    private func words(_ field: String) -> Set<Substring>? {
        fields[field].map { Set($0.split(separator: " ")) }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(text[first...last])
    }
}
#endif
