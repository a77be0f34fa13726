// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Computes a device's heading from the magnetic field and gravity.
package enum CompassDirection {
    /// Returns the heading in degrees clockwise from magnetic north, in 0..<360.
    ///
    /// East is the cross product of the field and up, and north is that of up and east. The result is the direction of
    /// the device's y axis relative to both:
    ///
    ///     up    = -gravity / |gravity|
    ///     east  = field × up
    ///     north = up × east
    ///     direction = atan2(east.y / |east|, north.y / |north|)
    ///
    /// This works for any tilt unless the device's top points straight up or down.
    ///
    /// - Parameters:
    ///   - field: The magnetic field in the device's axes, in any unit.
    ///   - gravity: The direction of down, in units of standard gravity; nil assumes that the device is flat on its
    ///     back.
    /// - Returns: nil if the heading cannot be determined because the device is falling or being shaken, or because the
    ///   field or the device's top points straight up or down.
    package static func degrees(field: Vector3, gravity: Vector3?) -> Double? {
        var up = Vector3(x: 0, y: 0, z: 1)
        if let gravity {
            let strength = length(gravity)
            guard (0.5...1.5).contains(strength) else { return nil }
            up = scaled(gravity, by: -1 / strength)
        }
        let whole = length(field)
        guard whole > 0, whole.isFinite else { return nil }
        let east = cross(scaled(field, by: 1 / whole), up)
        let north = cross(up, east)
        // These lengths are the horizontal parts of the field and of the top. If either is near zero, noise determines
        // the result.
        guard length(east) > 0.05, (1 - up.y * up.y).squareRoot() > 0.05 else { return nil }
        let degrees = atan2(east.y, north.y) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }

    private static func cross(_ a: Vector3, _ b: Vector3) -> Vector3 {
        Vector3(x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x)
    }

    private static func scaled(_ vector: Vector3, by factor: Double) -> Vector3 {
        Vector3(x: vector.x * factor, y: vector.y * factor, z: vector.z * factor)
    }

    private static func length(_ vector: Vector3) -> Double {
        (vector.x * vector.x + vector.y * vector.y + vector.z * vector.z).squareRoot()
    }
}
#endif
