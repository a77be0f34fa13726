// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

extension SimulatedDevice {
    /// Returns a device whose app takes snapshots.
    ///
    /// The device knows its model and battery level.
    static func observed(
        _ options: SnapshotOptions = SnapshotOptions(),
        capture: CaptureOptions = [],
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> SimulatedDevice {
        var configuration = usualConfiguration
        configuration.capture = capture
        configuration.snapshots = options
        change(&configuration)
        let sensors = SimulatedSensors()
        sensors.deviceProperties[.deviceModel] = "phone"
        sensors.appState.batteryLevel = 0.5
        return SimulatedDevice(configuration, sensors: sensors)
    }

    /// The app state events.
    var states: [RecordedEvent] { events(named: CapturedName.appState) }

    /// The device properties events.
    var properties: [RecordedEvent] { events(named: CapturedName.deviceProperties) }
}

extension RecordedEvent {
    /// The screen title in a snapshot.
    var title: String? { event.attributes["window_root_view_controller_titles"]?.array?.first?.string }

    /// Returns the number of readings of a kind.
    func readings(_ name: String) -> Int { event.attributes[name]?.array?.count ?? 0 }
}
