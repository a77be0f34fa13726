// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What kind of value stands where in the snapshots of the Sift format.
indirect enum SiftShape: Sendable {
    /// Text. Values of enumerations carry their type's name in front, which is left off.
    case text(dropping: String = "")
    /// True or false.
    case truth
    /// A number.
    case number
    /// Whatever a device property can be: text, a number, true or false, or texts.
    case property
    /// Values of one kind.
    case list(SiftShape)
    /// Members of these kinds; the others of one kind, or, where there is none, of any.
    case object([String: SiftShape], others: SiftShape? = nil)

    /// `ios_app_state`
    static let appState = SiftShape.object([
        "sdk_version": .text(),
        "application_state": .text(dropping: "ui_application_state_"),
        "window_root_view_controller_titles": .list(.text()),
        "battery_level": .number,
        "battery_state": .text(dropping: "ui_device_battery_state_"),
        "device_orientation": .text(dropping: "ui_device_orientation_"),
        "proximity_state": .truth,
        "network_addresses": .list(.text()),
        "location": readings,
        "heading": readings,
        "motion": .list(
            .object(
                ["magnetic_field_calibration_accuracy": .text(dropping: "cm_magnetic_field_calibration_accuracy_")],
                others: .number
            )
        ),
        "raw_accelerometer": .list(readings),
        "raw_gyro": .list(readings),
        "raw_magnetometer": .list(readings),
    ])

    /// `ios_device_properties`
    static let deviceProperties = SiftShape.object(["sdk_version": .text()], others: .property)

    /// Numbers and nothing else.
    private static let readings = SiftShape.object([:], others: .number)
}
