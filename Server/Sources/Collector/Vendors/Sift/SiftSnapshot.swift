// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The app state or the device properties of an event of the Sift format, as our own SDK records them.
struct SiftSnapshot {
    /// What the event is called here.
    let name: String
    /// What it says, under the format's own names.
    private(set) var attributes: JSONValue.Object

    /// The places of values that are no number where one belongs, such as the text `NaN`: the reading is left out.
    static let omittedKey = "_omitted"

    /// Takes the snapshot out of an event; nil when it has none.
    ///
    /// - Throws: ``VendorFault`` when there are two, or a value is of another kind than the format says.
    init?(_ event: inout JSONValue.Object) throws(VendorFault) {
        let state = event.take("ios_app_state")
        let properties = event.take("ios_device_properties")
        let (key, value, shape): (String, JSONValue, SiftShape)
        switch (state, properties) {
        case (nil, nil): return nil
        case (let state?, nil):
            (key, value, shape) = ("ios_app_state", state, .appState)
            name = CapturedName.appState
        case (nil, let properties?):
            (key, value, shape) = ("ios_device_properties", properties, .deviceProperties)
            name = CapturedName.deviceProperties
        case (.some, .some):
            throw VendorFault(
                "field_conflict",
                "ios_device_properties",
                "An event carries “ios_app_state” or “ios_device_properties”, not both; send two events."
            )
        }
        guard value.object != nil else { throw .invalid(key, "an object", value) }
        var reading = SiftReading()
        attributes = try reading.read(value, as: shape, at: key)?.object ?? .init()
        // Below zero says that nobody knows.
        if let level = attributes["battery_level"]?.double, level < 0 { attributes.remove(["battery_level"]) }
        if !reading.omitted.isEmpty {
            let places = reading.omitted.map { JSONValue.string(String($0.dropFirst(key.count + 1))) }
            attributes.putNew(Self.omittedKey, .array(places))
        }
    }

    /// Takes out the version of the SDK that made the snapshot: it says nothing about the device.
    mutating func takeVersion() -> String? { attributes.take("sdk_version")?.text }
}
