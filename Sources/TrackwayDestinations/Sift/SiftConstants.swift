// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The constants of one type, which travel as the snake case of their full names.
struct SiftConstants: Sendable, Hashable {
    /// The type's name, such as `UIDeviceBatteryState`.
    let type: String
    /// What our snapshots call the constants, such as `unplugged` or `face_up`.
    let values: [String]
    /// What our snapshots say where the format says nothing.
    let unspoken: [String]

    init(_ type: String, _ values: [String], unspoken: [String] = []) {
        self.type = type
        self.values = values
        self.unspoken = unspoken
    }

    /// What the format calls a constant; nil when it has no word for it.
    func spelling(of value: String) -> String? {
        guard values.contains(value) else { return nil }
        return SiftSpelling.snakeCase(type).map { "\($0)_\(value)" }
    }
}
