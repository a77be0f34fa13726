// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayEvents

extension AppStateSnapshot.Orientation {
    /// How a device is held that an accelerometer at rest tells the direction of down for.
    ///
    /// Only when it is clear: the device is held still (nothing but gravity acts, 0.8 g to 1.2 g), and down lies within
    /// about 30 degrees of one of its axes.
    ///
    /// - Parameter gravity: What the accelerometer reads, in units of standard gravity, down being where it points.
    /// - Returns: nil when the device moves or is held between two ways.
    package init?(gravity: Vector3) {
        let strength = (gravity.x * gravity.x + gravity.y * gravity.y + gravity.z * gravity.z).squareRoot()
        guard (0.8...1.2).contains(strength) else { return nil }
        // The cosine of 30 degrees: at most one axis is that close.
        let clear = 0.866 * strength
        if gravity.z <= -clear {
            self = .faceUp
        } else if gravity.z >= clear {
            self = .faceDown
        } else if gravity.y <= -clear {
            self = .portrait
        } else if gravity.y >= clear {
            self = .portraitUpsideDown
        } else if gravity.x <= -clear {
            self = .landscapeLeft
        } else if gravity.x >= clear {
            self = .landscapeRight
        } else {
            return nil
        }
    }
}
#endif
