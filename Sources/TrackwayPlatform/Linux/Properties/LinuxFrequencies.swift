// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayEvents

/// Reads the processors' frequencies from cpufreq, which writes them in kHz.
struct LinuxFrequencies: Sendable {
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
#endif
