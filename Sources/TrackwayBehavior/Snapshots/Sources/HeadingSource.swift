// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A compass. It runs only while a snapshot is under way.
public protocol HeadingSource: Sendable {
    /// Whether there is a compass.
    var isAvailable: Bool { get }

    /// Begins to read.
    ///
    /// - Parameter report: takes each reading, from any thread, until ``stop()``. What comes later is left aside.
    func start(_ report: @escaping @Sendable (Heading) -> Void)

    /// Ends reading. Called once for each ``start(_:)``.
    func stop()
}
