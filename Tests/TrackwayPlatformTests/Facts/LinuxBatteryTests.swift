// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Batteries in sysfs")
struct LinuxBatteryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var files: [String: String]
        var expected: BatteryFacts?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "no battery at all", files: [:], expected: nil),
        Case(name: "mains only", files: ["AC/type": "Mains\n", "AC/online": "1\n"], expected: nil),
        Case(
            name: "a laptop on its battery",
            files: [
                "AC/type": "Mains\n", "BAT0/type": "Battery\n", "BAT0/present": "1\n", "BAT0/capacity": "83\n",
                "BAT0/status": "Discharging\n", "BAT0/energy_now": "41500000\n", "BAT0/energy_full": "50000000\n",
            ],
            expected: BatteryFacts(level: 0.83, state: .discharging)
        ),
        Case(
            name: "two batteries, weighted by capacity",
            files: [
                "BAT0/type": "Battery\n", "BAT0/energy_now": "20000000\n", "BAT0/energy_full": "20000000\n",
                "BAT0/capacity": "100\n", "BAT0/status": "Full\n", "BAT1/type": "Battery\n",
                "BAT1/energy_now": "10000000\n", "BAT1/energy_full": "60000000\n", "BAT1/capacity": "16\n",
                "BAT1/status": "Charging\n",
            ],
            expected: BatteryFacts(level: 0.38, state: .charging)
        ),
        Case(
            name: "two batteries, one without amounts",
            files: [
                "BAT0/type": "Battery\n", "BAT0/capacity": "100\n", "BAT1/type": "Battery\n",
                "BAT1/charge_now": "1\n", "BAT1/charge_full": "4\n", "BAT1/capacity": "25\n",
            ],
            expected: BatteryFacts(level: 0.63, state: nil)
        ),
        Case(
            name: "two batteries, one in watt hours and one in ampere hours, which cannot be added",
            files: [
                "BAT0/type": "Battery\n", "BAT0/energy_now": "50000000\n", "BAT0/energy_full": "100000000\n",
                "BAT1/type": "Battery\n", "BAT1/charge_now": "3000000\n", "BAT1/charge_full": "3000000\n",
            ],
            expected: BatteryFacts(level: 0.75, state: nil)
        ),
        Case(
            name: "two batteries, one with amounts of both kinds",
            files: [
                "BAT0/type": "Battery\n", "BAT0/energy_now": "40\n", "BAT0/energy_full": "40\n",
                "BAT0/charge_now": "10\n", "BAT0/charge_full": "10\n", "BAT1/type": "Battery\n",
                "BAT1/charge_now": "5\n", "BAT1/charge_full": "30\n",
            ],
            expected: BatteryFacts(level: 0.38, state: nil)
        ),
        Case(
            name: "charge instead of energy, no gauge",
            files: [
                "battery/type": "Battery\n", "battery/charge_now": "1500000\n", "battery/charge_full": "3000000\n",
                "battery/status": "Not charging\n",
            ],
            expected: BatteryFacts(level: 0.5, state: .notCharging)
        ),
        Case(
            name: "an old battery that reports more than its capacity, no gauge",
            files: ["BAT0/type": "Battery\n", "BAT0/energy_now": "60\n", "BAT0/energy_full": "50\n"],
            expected: BatteryFacts(level: 1, state: nil)
        ),
        Case(
            name: "a mouse's battery is not the device's",
            files: ["hid/type": "Battery\n", "hid/scope": "Device\n", "hid/capacity": "40\n"],
            expected: nil
        ),
        Case(
            name: "an empty bay",
            files: ["BAT1/type": "Battery\n", "BAT1/present": "0\n", "BAT1/status": "Unknown\n"],
            expected: nil
        ),
        Case(
            name: "an empty bay next to a battery",
            files: [
                "BAT0/type": "Battery\n", "BAT0/capacity": "80\n", "BAT0/status": "Full\n", "BAT1/type": "Battery\n",
                "BAT1/present": "0\n", "BAT1/capacity": "0\n", "BAT1/status": "Unknown\n",
            ],
            expected: BatteryFacts(level: 0.8, state: .full)
        ),
        Case(
            name: "impossible values are ignored",
            files: [
                "BAT0/type": "Battery\n", "BAT0/capacity": "250\n", "BAT0/energy_now": "-5\n",
                "BAT0/energy_full": "0\n", "BAT0/status": "Full\n",
            ],
            expected: BatteryFacts(level: nil, state: .full)
        ),
        Case(
            name: "garbage",
            files: ["BAT0/type": "Battery", "BAT0/capacity": "many", "BAT0/status": ""],
            expected: nil
        ),
    ]

    @Test(arguments: cases)
    func `several batteries are combined into one level and state`(_ sample: Case) throws {
        let prefixed = sample.files.map { ("/sys/class/power_supply/\($0.key)", $0.value) }
        let recorded = try RecordedTree(Dictionary(uniqueKeysWithValues: prefixed))
        #expect(LinuxBattery(tree: recorded.tree).facts() == sample.expected)
    }
}
