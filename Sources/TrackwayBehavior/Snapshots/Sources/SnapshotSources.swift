// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Where snapshots come from: what the system knows, or what the app feeds. A part without a source is left out.
public struct SnapshotSources: Sendable {
    /// What the device and its system are.
    public var deviceProperties: (any DevicePropertiesSource)?
    /// What the app and its device are about.
    public var appState: (any AppStateSource)?
    /// Where the device is.
    public var location: (any LocationSource)?
    /// Where the device points.
    public var heading: (any HeadingSource)?
    /// How the device moves.
    public var motion: (any MotionSource)?

    /// Sources of these parts.
    public init(
        deviceProperties: (any DevicePropertiesSource)? = nil,
        appState: (any AppStateSource)? = nil,
        location: (any LocationSource)? = nil,
        heading: (any HeadingSource)? = nil,
        motion: (any MotionSource)? = nil
    ) {
        self.deviceProperties = deviceProperties
        self.appState = appState
        self.location = location
        self.heading = heading
        self.motion = motion
    }
}
