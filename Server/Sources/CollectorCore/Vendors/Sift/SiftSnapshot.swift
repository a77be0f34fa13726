// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The app state or device properties of a Sift event.
///
/// The state and the properties have the form in which our own SDK records them.
struct SiftSnapshot {
    /// Our name for the event.
    let name: String
    /// The event's attributes, under the format's own names.
    private(set) var attributes: JSONValue.Object

    /// The key for the paths of omitted values.
    ///
    /// A value is omitted if it is not a number where one is expected, such as the text `NaN`.
    static let omittedKey = "_omitted"

    /// Extracts the snapshot from an event; nil if it has none.
    ///
    /// - Throws: ``VendorFault`` if there are two snapshots, or a value has the wrong type for the format.
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
                .fieldConflict,
                "ios_device_properties",
                "An event carries “ios_app_state” or “ios_device_properties”, not both; send two events."
            )
        }
        guard value.object != nil else { throw .invalid(key, "an object", value) }
        var reading = SiftReading()
        attributes = try reading.read(value, as: shape, at: key)?.object ?? .init()
        // A negative value means unknown.
        if let level = attributes["battery_level"]?.double, level < 0 { attributes.remove(["battery_level"]) }
        if !reading.omitted.isEmpty {
            let places = reading.omitted.map { JSONValue.string(String($0.dropFirst(key.count + 1))) }
            attributes.putNew(Self.omittedKey, .array(places))
        }
    }

    /// Removes and returns the version of the SDK that made the snapshot.
    ///
    /// The version is not a property of the device.
    mutating func takeVersion() -> String? { attributes.take("sdk_version")?.text }
}

/// Reads a Sift snapshot in one pass, checking every value.
private struct SiftReading {
    /// The paths of values that are not numbers where numbers are expected.
    private(set) var omitted: [String] = []

    /// Returns the value in our spelling; nil if it must be omitted.
    ///
    /// - Throws: ``VendorFault`` with the path of a value of the wrong type.
    mutating func read(
        _ value: JSONValue,
        as shape: SiftShape,
        at place: String
    ) throws(VendorFault) -> JSONValue? {
        switch shape {
        case .text(let prefix):
            guard let text = value.string else { throw .invalid(place, "text", value) }
            return .string(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text)
        case .truth:
            guard value.boolean != nil else { throw .invalid(place, "true or false", value) }
            return value
        case .number:
            if let text = value.string, Self.isNoNumber(text) {
                omitted.append(place)
                return nil
            }
            // Check the case instead of `double`: a whole number may be too large for a double.
            switch value {
            case .integer, .double: return value
            case .null, .boolean, .string, .array, .object: throw .invalid(place, "a number", value)
            }
        case .property:
            guard Self.isProperty(value) else {
                throw .invalid(place, "text, a number, true or false, or a list of strings", value)
            }
            return value
        case .list(let element): return try list(value, of: element, at: place)
        case .object(let shapes, let others): return try object(value, shapes, others, at: place)
        }
    }

    private mutating func list(
        _ value: JSONValue,
        of shape: SiftShape,
        at place: String
    ) throws(VendorFault) -> JSONValue {
        guard let values = value.array else { throw .invalid(place, "a list", value) }
        var kept: [JSONValue] = []
        for (index, value) in values.enumerated() {
            if let value = try read(value, as: shape, at: "\(place)[\(index)]") { kept.append(value) }
        }
        return .array(kept)
    }

    private mutating func object(
        _ value: JSONValue,
        _ shapes: [String: SiftShape],
        _ others: SiftShape?,
        at place: String
    ) throws(VendorFault) -> JSONValue {
        guard let object = value.object else { throw .invalid(place, "an object", value) }
        var kept = JSONValue.Object()
        for member in object.withoutNulls.members {
            guard let shape = shapes[member.key] ?? others else {
                // A newer client may send more members; they are kept unchanged.
                kept.members.append(member)
                continue
            }
            kept.put(member.key, try read(member.value, as: shape, at: "\(place).\(member.key)"))
        }
        return .object(kept)
    }

    private static func isProperty(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .integer, .double, .boolean: true
        case .array(let values): values.allSatisfy { $0.string != nil }
        case .null, .object: false
        }
    }

    /// Whether a string is a common notation for infinity or not-a-number.
    ///
    /// JSON itself cannot express these values.
    private static func isNoNumber(_ text: String) -> Bool {
        let word = text.lowercased()
        let unsigned = word.hasPrefix("-") || word.hasPrefix("+") ? String(word.dropFirst()) : word
        return ["nan", "inf", "infinity"].contains(unsigned)
    }
}

/// The expected types of values in the snapshots of the Sift format.
private indirect enum SiftShape: Sendable {
    /// A string.
    ///
    /// In values of enumerations, the prefix with the type's name is removed.
    case text(dropping: String = "")
    /// True or false.
    case truth
    /// A number.
    case number
    /// Any device property: a string, a number, true or false, or a list of strings.
    case property
    /// A list of values of one type.
    case list(SiftShape)
    /// An object with members of these types.
    ///
    /// Other members have the type `others`, or any type if it is nil.
    case object([String: SiftShape], others: SiftShape? = nil)

    /// The expected types in `ios_app_state`.
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

    /// The expected types in `ios_device_properties`.
    static let deviceProperties = SiftShape.object(["sdk_version": .text()], others: .property)

    /// An object with only numbers.
    private static let readings = SiftShape.object([:], others: .number)
}
