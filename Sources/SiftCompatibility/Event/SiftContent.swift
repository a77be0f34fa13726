// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayDestinations

/// The content of an event.
package struct SiftContent: Sendable, Hashable {
    /// The time of the event, in milliseconds since 1970.
    package var time: UInt64
    /// The event's type.
    package var type: String?
    /// The location in the app.
    package var path: String?
    /// The user's ID.
    package var userId: String?
    /// The installation's ID.
    package var installationId: String?
    /// The app's own strings.
    package var fields: SiftStrings?
    /// Strings about the device.
    package var deviceProperties: SiftStrings?
    /// Strings about the client itself.
    package var metrics: SiftStrings?
    /// The state of the app and its device, under the format's names.
    package var iosAppState: Attributes?
    /// The device's properties, under the format's names.
    package var iosDeviceProperties: Attributes?

    /// Creates an event that contains only a time.
    package init(time: UInt64) {
        self.time = time
    }

    /// Whether both contents are equal except for their times.
    package func isEssentiallyEqual(to other: SiftContent) -> Bool {
        withoutTime == other.withoutTime
    }

    /// The content without its time, with named values in alphabetical order.
    private var withoutTime: SiftContent {
        var content = self
        content.time = 0
        content.iosAppState = iosAppState?.sortedByName
        content.iosDeviceProperties = iosDeviceProperties?.sortedByName
        return content
    }

    /// The faults in content that the format does not support.
    ///
    /// A fault is an entry that is not a string, or a second snapshot in one event.
    package var faults: [SiftFault] {
        let parts = [("fields", fields), ("deviceProperties", deviceProperties), ("metrics", metrics)]
        var faults = parts.flatMap { part, texts in
            (texts?.invalidEntries ?? []).map { entry in
                SiftFault(
                    field: entry.name.isEmpty ? part : "\(part).\(entry.name)",
                    value: entry.value,
                    message: "The event was not appended because a name or value in \(part) is not a string: "
                        + "\(entry.value.quoted).",
                    recoverySuggestion: "Use strings as names and values."
                )
            }
        }
        if iosAppState != nil, iosDeviceProperties != nil {
            faults.append(
                SiftFault(
                    field: "iosDeviceProperties",
                    value: "together with iosAppState",
                    message: "The event was not appended because it has both iosAppState and iosDeviceProperties.",
                    recoverySuggestion: "Append app state and device properties as two events."
                )
            )
        }
        return faults
    }
}

extension Attributes {
    /// The attributes in alphabetical order at every level.
    fileprivate var sortedByName: Attributes {
        Attributes(sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.sortedByName) })
    }
}

extension AttributeValue {
    fileprivate var sortedByName: AttributeValue {
        switch self {
        case .object(let attributes): .object(attributes.sortedByName)
        case .array(let values): .array(values.map(\.sortedByName))
        case .string, .integer, .double, .boolean, .date: self
        }
    }
}

extension SiftContent {
    /// The name of the recorded event.
    ///
    /// The name is the event's type, if the type is valid as a name.
    package var recordedName: String {
        if iosAppState != nil { return CapturedName.appState }
        if iosDeviceProperties != nil { return CapturedName.deviceProperties }
        guard let type, Self.isValidEventName(type) else { return SiftKey.untypedName }
        return type
    }

    /// The attributes of the recorded event.
    ///
    /// The attributes contain the entire content, under keys that the destination writes unchanged.
    package var recordedAttributes: Attributes {
        var pairs: [(String, AttributeValue)] = [
            // Empty values are recorded, too, so that the context's user or screen is not used.
            (SiftKey.path, .string(path ?? "")),
            (SiftKey.user, .string(userId ?? "")),
        ]
        if let installationId { pairs.append((SiftKey.installation, .string(installationId))) }
        let name = recordedName
        if let type, !type.isEmpty {
            // The name of untyped events is not a type, even if it equals the type.
            if type != name || name == SiftKey.untypedName { pairs.append((SiftKey.type, .string(type))) }
        } else if name == SiftKey.untypedName {
            pairs.append((SiftKey.untyped, true))
        }
        if let fields { pairs.append((SiftKey.fields, fields.value)) }
        if let deviceProperties { pairs.append((SiftKey.deviceProperties, deviceProperties.value)) }
        if let metrics { pairs.append((SiftKey.metrics, metrics.value)) }
        for (key, value) in iosAppState ?? iosDeviceProperties ?? [:] where !SiftKey.isReserved(key) {
            pairs.append((key, value))
        }
        return Attributes(uniquing: pairs)
    }

    /// Creates the content of a recorded event.
    package init(_ event: Event) {
        self.init(time: UInt64(clamping: event.time.milliseconds))
        func text(_ key: String) -> String? {
            event.attributes[key].flatMap { SiftStrings.text($0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        func texts(_ key: String) -> SiftStrings? { event.attributes[key]?.object.map { SiftStrings($0) } }
        path = text(SiftKey.path)
        userId = text(SiftKey.user)
        installationId = text(SiftKey.installation)
        fields = texts(SiftKey.fields)
        deviceProperties = texts(SiftKey.deviceProperties)
        metrics = texts(SiftKey.metrics)
        let rest = Attributes(event.attributes.filter { !SiftKey.isReserved($0.key) })
        switch event.name {
        case CapturedName.appState: iosAppState = rest
        case CapturedName.deviceProperties: iosDeviceProperties = rest
        default: break
        }
        let isNamed = !Self.isReserved(event.name) && event.attributes[SiftKey.untyped]?.boolean != true
        type = text(SiftKey.type) ?? (isNamed ? event.name : nil)
    }

    /// Whether a type is valid as an event name, unchanged.
    private static func isValidEventName(_ type: String) -> Bool {
        !type.isEmpty && type.utf8.count <= SiftEventLimits.nameBytes && !isReserved(type)
            && type.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Whether the name denotes a kind of event, and not a type.
    private static func isReserved(_ name: String) -> Bool {
        name == CapturedName.appState || name == CapturedName.deviceProperties || name == SiftKey.untypedName
    }
}

extension SiftStrings {
    /// The strings as an attribute, in alphabetical order.
    ///
    /// The order ensures that equal strings result in equal values.
    fileprivate var value: AttributeValue {
        .object(Attributes(texts.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) }))
    }

    /// Creates strings from an attribute.
    fileprivate init(_ attributes: Attributes) {
        self.init(
            Dictionary(attributes.compactMap { key, value in Self.text(value).map { (key, $0) } }) { $1 }
        )
    }

    /// Returns a recorded string.
    ///
    /// A string in the form of a date is read back as a date, which is converted here.
    fileprivate static func text(_ value: AttributeValue) -> String? {
        value.string ?? value.date?.description
    }
}
