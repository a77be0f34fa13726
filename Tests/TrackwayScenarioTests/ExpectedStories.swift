// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayTesting

/// The first visit to an app, which begins many scenarios.
enum ExpectedStories {
    /// The events when the app is opened for the first time after installation.
    static let first = ["_first_open", "_app_start cold", "_session_start 1"]

    /// Returns a device after a first visit to its app.
    ///
    /// The app was opened, used on one screen for 20 seconds, and left.
    static func visited() async throws -> SimulatedDevice {
        let device = SimulatedDevice()
        try await device.launch()
        try device.show("Home")
        device.wait(.seconds(20))
        try await device.goHome()
        return device
    }

    /// The events of that visit.
    static let visit = first + ["_screen_view Home", "_user_engagement 20s", "_app_end 20s"]
}
