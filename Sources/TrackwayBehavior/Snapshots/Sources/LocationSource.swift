// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Knows where the device is, if the person allows it. The SDK neither asks for leave nor starts to look.
public protocol LocationSource: Sendable {
    /// Whether the person allows the app to know.
    var isAuthorized: Bool { get }

    /// The last place that is known; nil when none is. Asked for only while ``isAuthorized`` is true.
    func lastLocation() -> Location?
}
