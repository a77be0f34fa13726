// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Bodies as sent by clients of the Sift format.
public enum SiftSamples {
    /// The account in the bodies.
    public static let account = "acct_1"
    /// The path to which they are sent.
    public static let path = "/v3/accounts/acct_1/mobile_events"
    /// The installation in the bodies.
    public static let installation = "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E"

    /// A custom event and an app state.
    public static let list = """
        {"data":[{"time":1750000000123,"mobile_event_type":"checkout","path":"/cart/confirm","user_id":"user-42",\
        "installation_id":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E","fields":{"cart_size":"3","coupon":""}},\
        {"time":1750000004890,"user_id":"user-42","installation_id":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E",\
        "ios_app_state":{"sdk_version":"v2.2.5","window_root_view_controller_titles":["CartViewController"],\
        "battery_level":0.83,"battery_state":"ui_device_battery_state_unplugged",\
        "network_addresses":["192.168.1.23","fe80::1c2a:33ff:fe44:5566"],\
        "location":{"latitude":37.7793,"longitude":-122.4193}}}]}
        """

    /// Device properties.
    public static let deviceProperties = """
        {"data":[{"time":1750000010000,"user_id":"user-42","installation_id":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E",\
        "ios_device_properties":{"app_name":"Shop","app_version":"381","app_version_short":"3.8.1","sdk_version":"v2.2.5",\
        "device_name":"iPhone","device_system_name":"iOS","device_system_version":"18.1",\
        "device_ifv":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E","initial_device_ifv":"0B5A6F10-1111-4222-8333-444455556666",\
        "mobile_carrier_name":"--","mobile_iso_country_code":"us","mobile_country_code":"310","mobile_network_code":"260",\
        "device_hardware_machine":"iPhone15,2","evidence_files_present":[],"evidence_directories_symlinked":[],\
        "evidence_directories_writable":[],"evidence_dylds_present":[],"evidence_url_schemes_openable":[]}}]}
        """

    /// An app state with everything that older clients send, including motion.
    public static let fullAppState = """
        {"data":[{"time":1625000000000,"installation_id":"9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E","ios_app_state":{\
        "sdk_version":"v2.1.0","application_state":"ui_application_state_active",\
        "device_orientation":"ui_device_orientation_face_up","proximity_state":false,"network_addresses":["10.0.0.7"],\
        "location":{"time":1624999999000,"latitude":48.1,"longitude":11.6,"horizontal_accuracy":65,"altitude":519.2,\
        "vertical_accuracy":10,"floor":2,"speed":1.3,"course":271.4},\
        "heading":{"time":1625000003800,"magnetic_heading":268.1,"accuracy":12,"true_heading":271.2,\
        "raw_magnetic_field_x":-12.1,"raw_magnetic_field_y":3.4,"raw_magnetic_field_z":-41.0},\
        "motion":[{"time":1625000000512,"attitude_roll":0.02,"attitude_pitch":0.01,"attitude_yaw":-1.57,\
        "rotation_rate_x":0.001,"rotation_rate_y":-0.002,"rotation_rate_z":0,"gravity_x":0,"gravity_y":-0.01,\
        "gravity_z":-0.99,"user_acceleration_x":0.003,"user_acceleration_y":0.001,"user_acceleration_z":-0.002,\
        "magnetic_field_x":-12.3,"magnetic_field_y":3.1,"magnetic_field_z":-40.8,\
        "magnetic_field_calibration_accuracy":"cm_magnetic_field_calibration_accuracy_high"}]}}]}
        """
}
