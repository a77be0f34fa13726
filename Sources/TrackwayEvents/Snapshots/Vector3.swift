// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Three numbers along the axes of a device: x to the right, y to the top, z out of the screen.
public struct Vector3: Sendable, Hashable {
    /// Along the axis to the right.
    public var x: Double
    /// Along the axis to the top.
    public var y: Double
    /// Along the axis out of the screen.
    public var z: Double

    /// A vector of these parts.
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }
}

extension Attributes {
    /// Adds a vector's parts under a name; parts that are no number are left out.
    mutating func set(_ name: String, _ vector: Vector3) {
        set(finite: "\(name)_x", vector.x)
        set(finite: "\(name)_y", vector.y)
        set(finite: "\(name)_z", vector.z)
    }

    /// Adds a number, unless it is none: a reading that is infinite or not a number is as good as no reading.
    mutating func set(finite name: String, _ number: Double?) {
        guard let number, number.isFinite else { return }
        self[name] = .double(number)
    }
}
