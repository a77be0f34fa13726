// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The keys of an app state, in the order in which they are written.
enum SiftAppState {
    static let members: [SiftMember] =
        [
            SiftMember(
                "application_state",
                .constant(
                    SiftConstants("UIApplicationState", AppStateSnapshot.ApplicationState.allCases.map(\.rawValue))
                )
            ),
            SiftMember("window_root_view_controller_titles", .nonEmptyStrings, isCurrent: true),
            SiftMember("battery_level", .measurement, isCurrent: true),
            SiftMember(
                "battery_state",
                .constant(
                    SiftConstants("UIDeviceBatteryState", AppStateSnapshot.BatteryState.allCases.map(\.rawValue))
                ),
                isCurrent: true
            ),
            SiftMember(
                "device_orientation",
                .constant(SiftConstants("UIDeviceOrientation", AppStateSnapshot.Orientation.allCases.map(\.rawValue)))
            ),
            SiftMember("proximity_state", .boolean, isCurrent: true),
            SiftMember("network_addresses", .strings, isCurrent: true),
            SiftMember("location", .object(location), isCurrent: true),
            SiftMember("heading", .object(heading)),
            SiftMember("motion", .objects(motion)),
            SiftMember("raw_accelerometer", .objects(time + SiftMember.vector("acceleration"))),
            SiftMember("raw_gyro", .objects(time + SiftMember.vector("rotation_rate"))),
            SiftMember("raw_magnetometer", .objects(time + SiftMember.vector("magnetic_field"))),
        ]

    private static let time = [SiftMember("time", .time)]

    private static let location =
        time + [
            SiftMember("latitude", .number, .unlessUnknown("horizontal_accuracy"), isCurrent: true),
            SiftMember("longitude", .number, .unlessUnknown("horizontal_accuracy"), isCurrent: true),
            SiftMember("horizontal_accuracy", .measurement),
            SiftMember("altitude", .number, .unlessUnknown("vertical_accuracy")),
            SiftMember("vertical_accuracy", .measurement),
            SiftMember("floor", .integer),
            SiftMember("speed", .measurement),
            SiftMember("course", .measurement),
        ]

    private static let heading =
        time + [
            SiftMember("magnetic_heading", .number, .unlessUnknown("accuracy")),
            SiftMember("accuracy", .measurement),
            SiftMember("true_heading", .measurement),
        ] + SiftMember.vector("raw_magnetic_field")

    private static let calibration = "magnetic_field_calibration_accuracy"

    private static let motion =
        time + SiftMember.members(["attitude_roll", "attitude_pitch", "attitude_yaw"], .number)
        + ["rotation_rate", "gravity", "user_acceleration"].flatMap { SiftMember.vector($0) }
        + SiftMember.vector("magnetic_field", .with(calibration))
        // An uncalibrated magnetic field is not sent, nor is its calibration.
        + [
            SiftMember(
                calibration,
                .constant(
                    SiftConstants(
                        "CMMagneticFieldCalibrationAccuracy",
                        ["low", "medium", "high"],
                        unsupported: [DeviceMotion.Calibration.uncalibrated.rawValue]
                    )
                )
            )
        ]
}
