// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayEvents
internal import TrackwayTesting

extension SimulatedDevice {
    /// A device whose app has snapshots taken, and that knows its model and its battery.
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

    /// What the app and the device were about, each time.
    var states: [RecordedEvent] { events(named: CapturedName.appState) }

    /// What the device was, each time it was told.
    var properties: [RecordedEvent] { events(named: CapturedName.deviceProperties) }
}

extension RecordedEvent {
    /// The title a snapshot shows.
    var title: String? { event.attributes["window_root_view_controller_titles"]?.array?.first?.string }

    /// How many readings of a kind it holds.
    func readings(_ name: String) -> Int { event.attributes[name]?.array?.count ?? 0 }
}
