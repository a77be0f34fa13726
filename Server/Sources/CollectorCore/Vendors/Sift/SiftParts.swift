// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The parts of a Sift event other than its snapshots.
///
/// These parts are the path and the maps from strings to strings.
struct SiftParts {
    private let path: String?
    private let fields: JSONValue.Object
    private let deviceProperties: JSONValue.Object
    private let metrics: JSONValue.Object
    /// Members that the format does not define.
    var other = JSONValue.Object()

    private static let pathKey = "_path"
    private static let fieldsKey = "_fields"
    private static let devicePropertiesKey = "_device_properties"
    private static let metricsKey = "_metrics"
    private static let typeKey = "_event_type"
    private static let otherKey = "_other"
    /// Names with a special meaning among the attributes.
    ///
    /// A field with such a name is put under ``fieldsKey``.
    private static let reserved: Set<String> = [
        pathKey, fieldsKey, devicePropertiesKey, metricsKey, typeKey, otherKey, SiftSnapshot.omittedKey,
    ]

    /// Removes the parts from an event.
    init(_ event: inout JSONValue.Object) throws(VendorFault) {
        if let value = event.take("path") {
            guard let text = value.string else { throw .invalid("path", "text", value) }
            path = text.isEmpty ? nil : text
        } else {
            path = nil
        }
        fields = try Self.texts("fields", &event)
        deviceProperties = try Self.texts("device_properties", &event)
        metrics = try Self.texts("metrics", &event)
    }

    /// The attributes of an event that is not a snapshot.
    var attributes: JSONValue.Object {
        var attributes = JSONValue.Object()
        attributes.put(Self.pathKey, path.map { .string($0) })
        var clashing = JSONValue.Object()
        for member in fields.members {
            if Self.reserved.contains(member.key) {
                clashing.members.append(member)
            } else {
                attributes.members.append(member)
            }
        }
        put(Self.fieldsKey, clashing, into: &attributes)
        putMaps(into: &attributes)
        return attributes
    }

    /// Returns the attributes of a snapshot, with the event's other parts.
    func attributes(mergedWith snapshot: JSONValue.Object, type: String?) -> JSONValue.Object {
        var attributes = snapshot
        attributes.putNew(Self.pathKey, path.map { .string($0) })
        attributes.putNew(Self.typeKey, type.map { .string($0) })
        put(Self.fieldsKey, fields, into: &attributes)
        putMaps(into: &attributes)
        return attributes
    }

    private func putMaps(into attributes: inout JSONValue.Object) {
        put(Self.devicePropertiesKey, deviceProperties, into: &attributes)
        put(Self.metricsKey, metrics, into: &attributes)
        put(Self.otherKey, other, into: &attributes)
    }

    private func put(_ key: String, _ object: JSONValue.Object, into attributes: inout JSONValue.Object) {
        if !object.members.isEmpty { attributes.putNew(key, .object(object)) }
    }

    /// Reads a map from strings to strings.
    ///
    /// Of duplicate keys, the last value counts.
    private static func texts(_ key: String, _ event: inout JSONValue.Object) throws(VendorFault) -> JSONValue.Object {
        guard let value = event.take(key) else { return .init() }
        guard let object = value.object else { throw .invalid(key, "an object of strings", value) }
        var places: [String: Int] = [:]
        var texts = JSONValue.Object()
        for member in object.members where member.value != .null {
            guard member.value.string != nil else { throw .invalid("\(key).\(member.key)", "text", member.value) }
            if let place = places[member.key] {
                texts.members[place] = member
            } else {
                places[member.key] = texts.members.count
                texts.members.append(member)
            }
        }
        return texts
    }
}
