// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// Reads the device's own batteries from sysfs.
///
/// Batteries of peripherals such as mice and headsets are ignored.
package struct LinuxBattery: Sendable {
    private struct Reading {
        /// Current and full amounts by quantity: energy or charge.
        var amounts: [String: (now: Double, full: Double)] = [:]
        var percent: Double?
        var status: String?

        /// This battery's level, from 0 to 1.
        var level: Double? {
            percent.map { $0 / 100 }
                ?? LinuxBattery.quantities.lazy.compactMap { amounts[$0] }.first.map { $0.now / $0.full }
        }
    }

    /// The quantities that the kernel measures, the more accurate one first.
    private static let quantities = ["energy", "charge"]

    private let tree: SystemTree

    /// Creates a reader for the given tree.
    package init(tree: SystemTree) {
        self.tree = tree
    }

    /// Returns the combined state of all batteries.
    ///
    /// Returns `nil` if the device has no battery.
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
        for quantity in Self.quantities {
            guard let now = tree.number("\(folder)/\(quantity)_now"),
                let full = tree.number("\(folder)/\(quantity)_full"), now >= 0, full > 0
            else { continue }
            reading.amounts[quantity] = (Double(now), Double(full))
        }
        if let percent = tree.number("\(folder)/capacity"), (0...100).contains(percent) {
            reading.percent = Double(percent)
        }
        reading.status = tree.text("\(folder)/status")
        return reading
    }

    private func level(of readings: [Reading]) -> Double? {
        // A single battery's own gauge is the most accurate. Several batteries are weighted by capacity if all report
        // the same unit.
        if readings.count == 1, let percent = readings[0].percent { return percent / 100 }
        for quantity in Self.quantities {
            let amounts = readings.compactMap { $0.amounts[quantity] }
            guard amounts.count == readings.count else { continue }
            return Self.rounded(amounts.reduce(0) { $0 + $1.now } / amounts.reduce(0) { $0 + $1.full })
        }
        let levels = readings.compactMap(\.level)
        guard levels.count == readings.count else { return nil }
        return Self.rounded(levels.reduce(0, +) / Double(levels.count))
    }

    private static func rounded(_ level: Double) -> Double { min(1, (level * 100).rounded() / 100) }

    private func state(of readings: [Reading]) -> BatteryFacts.State? {
        let statuses = readings.compactMap(\.status)
        if statuses.contains("Charging") { return .charging }
        if statuses.contains("Discharging") { return .discharging }
        if statuses.contains("Not charging") { return .notCharging }
        return !statuses.isEmpty && statuses.allSatisfy { $0 == "Full" } ? .full : nil
    }
}
#endif
