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

/// A list of numbers as the kernel writes the numbers of processors: "0-3,6".
package struct NumberRanges: Sendable, Hashable {
    private let ranges: [ClosedRange<Int>]

    /// Reads a list.
    ///
    /// - Returns: `nil` when the text is none, is empty, or names a number beyond a million.
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

    /// How many numbers there are.
    package var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The lowest number.
    package var lowest: Int? { ranges.map(\.lowerBound).min() }

    /// The numbers in the order of the list.
    package var numbers: some Sequence<Int> { ranges.lazy.flatMap { $0 } }
}

/// Reads the processors' frequencies from cpufreq, which writes them in kHz.
private struct LinuxFrequencies: Sendable {
    private let tree: SystemTree

    /// Reads from a tree.
    init(tree: SystemTree) {
        self.tree = tree
    }

    /// Adds what is known to properties, in Hz: the lowest and the highest of all processors, and the one they are sold
    /// with. The frequency of this moment is not told: it is another one at every reading.
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
            hertz("base_frequency").max() ?? CPUInfo(tree.text("/proc/cpuinfo") ?? "").soldFrequency
    }
}

/// Reads the caches that a processor uses.
private struct LinuxCaches: Sendable {
    private let tree: SystemTree
    private let folder: String

    /// Reads from a tree.
    ///
    /// - Parameters:
    ///   - tree: Where the system's files lie.
    ///   - folder: The processor's folder of caches.
    init(tree: SystemTree, folder: String) {
        self.tree = tree
        self.folder = folder
    }

    /// Adds what is known to properties.
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

    /// A size such as "32K".
    private static func bytes(_ text: String) -> Int64? {
        guard text.last == "K", let kibibytes = Int64(text.dropLast()), (1...1 << 40).contains(kibibytes) else {
            return nil
        }
        return kibibytes * 1_024
    }
}

/// What `/proc/cpuinfo` says about the first processor. Each architecture says it in words of its own.
package struct CPUInfo: Sendable, Hashable {
    private var fields: [String: String] = [:]

    /// Reads the file's text up to its first empty line.
    package init(_ text: String) {
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            guard !line.isEmpty else { break }
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[Self.trimmed(line[..<colon])] = Self.trimmed(line[line.index(after: colon)...])
        }
    }

    /// Whether the processor can do 64-bit work, whatever the kernel does; `nil` where the file does not say.
    package var is64Bit: Bool? {
        words("flags").map { $0.contains("lm") }
    }

    /// Whether there is a floating-point unit; `nil` where the file does not say.
    package var hasFloatingPoint: Bool? {
        switch fields["fpu"] {
        case "yes": return true
        case "no": return false
        default: break
        }
        guard let features = words("Features") else { return nil }
        return !features.isDisjoint(with: ["fp", "vfp", "vfpv3", "vfpv4"])
    }

    /// The frequency in Hz that the maker sells the processor with, where its name ends in one: "… @ 2.50GHz".
    package var soldFrequency: Int64? {
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
