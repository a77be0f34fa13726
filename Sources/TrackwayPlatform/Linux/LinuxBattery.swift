// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// Reads the batteries that power the device from sysfs; those of mice and headsets do not count.
package struct LinuxBattery: Sendable {
    private struct Reading {
        var now: Double?
        var full: Double?
        var percent: Double?
        var status: String?
    }

    private let tree: SystemTree

    /// Reads from a tree.
    package init(tree: SystemTree) {
        self.tree = tree
    }

    /// All batteries taken together; `nil` without any.
    package func facts() -> BatteryFacts? {
        let readings = tree.names(in: "/sys/class/power_supply").compactMap(reading)
        guard !readings.isEmpty else { return nil }
        let facts = BatteryFacts(level: level(of: readings), state: state(of: readings))
        return facts.level == nil && facts.state == nil ? nil : facts
    }

    private func reading(_ name: String) -> Reading? {
        let folder = "/sys/class/power_supply/\(name)"
        guard tree.text("\(folder)/type") == "Battery", tree.text("\(folder)/scope") != "Device",
            tree.number("\(folder)/present") != 0
        else { return nil }
        var reading = Reading()
        for quantity in ["energy", "charge"] where reading.full == nil {
            guard let now = tree.number("\(folder)/\(quantity)_now"),
                let full = tree.number("\(folder)/\(quantity)_full"), now >= 0, full > 0
            else { continue }
            reading.now = Double(now)
            reading.full = Double(full)
        }
        if let percent = tree.number("\(folder)/capacity"), (0...100).contains(percent) {
            reading.percent = Double(percent)
        }
        reading.status = tree.text("\(folder)/status")
        return reading
    }

    private func level(of readings: [Reading]) -> Double? {
        // One battery: its own gauge knows best. Several: weighed by what they hold, when all tell.
        if readings.count == 1, let percent = readings[0].percent { return percent / 100 }
        let now = readings.compactMap(\.now)
        let full = readings.compactMap(\.full)
        if full.count == readings.count {
            let level = now.reduce(0, +) / full.reduce(0, +)
            return min(1, (level * 100).rounded() / 100)
        }
        let percents = readings.compactMap(\.percent)
        guard percents.count == readings.count else { return nil }
        return (percents.reduce(0, +) / Double(percents.count)).rounded() / 100
    }

    private func state(of readings: [Reading]) -> BatteryFacts.State? {
        let statuses = readings.compactMap(\.status)
        if statuses.contains("Charging") { return .charging }
        if statuses.contains("Discharging") { return .discharging }
        if statuses.contains("Not charging") { return .notCharging }
        return !statuses.isEmpty && statuses.allSatisfy { $0 == "Full" } ? .full : nil
    }
}
#endif
