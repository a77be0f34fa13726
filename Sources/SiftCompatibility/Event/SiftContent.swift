// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDestinations
package import TrackwayEvents

/// What one event says.
package struct SiftContent: Sendable, Hashable {
    /// When it happened, in milliseconds since 1970.
    package var time: UInt64
    /// What happened.
    package var type: String?
    /// Where in the app.
    package var path: String?
    /// Who used it.
    package var userId: String?
    /// Which installed copy of the app it was.
    package var installationId: String?
    /// The app's own texts.
    package var fields: SiftTexts?
    /// Texts about the device.
    package var deviceProperties: SiftTexts?
    /// Texts about the client itself.
    package var metrics: SiftTexts?
    /// What the app and its device were about, by the format's names.
    package var iosAppState: Attributes?
    /// What the device is, by the format's names.
    package var iosDeviceProperties: Attributes?

    /// An event that says nothing but when.
    package init(time: UInt64) {
        self.time = time
    }

    /// Whether both say the same, whenever they say it.
    package func isEssentiallyEqual(to other: SiftContent) -> Bool {
        timeless == other.timeless
    }

    /// The same without its time, and with named values in an order that does not depend on who named them.
    private var timeless: SiftContent {
        var content = self
        content.time = 0
        content.iosAppState = iosAppState?.inOrder
        content.iosDeviceProperties = iosDeviceProperties?.inOrder
        return content
    }

    /// What the format cannot carry: entries that are no texts, and two snapshots in one event.
    package var faults: [SiftFault] {
        let parts = [("fields", fields), ("deviceProperties", deviceProperties), ("metrics", metrics)]
        var faults = parts.flatMap { part, texts in
            (texts?.misfits ?? []).map { misfit in
                SiftFault(
                    field: misfit.name.isEmpty ? part : "\(part).\(misfit.name)",
                    value: misfit.value,
                    message: "The event was not appended because a name or value in \(part) is not a text: "
                        + "\(misfit.value.quoted).",
                    recoverySuggestion: "Use texts as names and values."
                )
            }
        }
        if iosAppState != nil, iosDeviceProperties != nil {
            faults.append(
                SiftFault(
                    field: "iosDeviceProperties",
                    value: "beside iosAppState",
                    message: "The event was not appended because it has both iosAppState and iosDeviceProperties.",
                    recoverySuggestion: "Append app state and device properties as two events."
                )
            )
        }
        return faults
    }
}

extension Attributes {
    /// The same, in alphabetical order at every level.
    fileprivate var inOrder: Attributes {
        Attributes(sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.inOrder) })
    }
}

extension AttributeValue {
    fileprivate var inOrder: AttributeValue {
        switch self {
        case .object(let attributes): .object(attributes.inOrder)
        case .array(let values): .array(values.map(\.inOrder))
        case .string, .integer, .double, .boolean, .date: self
        }
    }
}

extension SiftContent {
    /// The name of the recorded event: the type where it can be one.
    package var recordedName: String {
        if iosAppState != nil { return CapturedName.appState }
        if iosDeviceProperties != nil { return CapturedName.deviceProperties }
        guard let type, Self.isName(type) else { return SiftKey.untypedName }
        return type
    }

    /// The attributes of the recorded event: everything that is said, in words that the destination writes as they are.
    package var recordedAttributes: Attributes {
        var pairs: [(String, AttributeValue)] = [
            // Nothing is said as well: the context's user or screen is not meant.
            (SiftKey.path, .string(path ?? "")),
            (SiftKey.user, .string(userId ?? "")),
        ]
        if let installationId { pairs.append((SiftKey.installation, .string(installationId))) }
        let name = recordedName
        if let type, !type.isEmpty {
            // The name of untyped events says nothing, even where it is the type.
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

    /// What a recorded event says.
    package init(_ event: Event) {
        self.init(time: UInt64(clamping: event.time.milliseconds))
        func text(_ key: String) -> String? {
            event.attributes[key].flatMap { SiftTexts.text($0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        func texts(_ key: String) -> SiftTexts? { event.attributes[key]?.object.map { SiftTexts($0) } }
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
        let isNamed = !Self.isSpecial(event.name) && event.attributes[SiftKey.untyped]?.boolean != true
        type = text(SiftKey.type) ?? (isNamed ? event.name : nil)
    }

    /// Whether a type can be the name of an event as it is.
    private static func isName(_ type: String) -> Bool {
        !type.isEmpty && type.utf8.count <= SiftBounds.nameBytes && !isSpecial(type)
            && type.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Whether the name says what kind of event it is, and not what happened.
    private static func isSpecial(_ name: String) -> Bool {
        name == CapturedName.appState || name == CapturedName.deviceProperties || name == SiftKey.untypedName
    }
}

extension SiftTexts {
    /// The texts as an attribute, in alphabetical order: the same ones are the same value.
    fileprivate var value: AttributeValue {
        .object(Attributes(texts.sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) }))
    }

    /// The texts of an attribute.
    fileprivate init(_ attributes: Attributes) {
        self.init(
            Dictionary(attributes.compactMap { key, value in Self.text(value).map { (key, $0) } }) { $1 }
        )
    }

    /// A text that was recorded; one in the form of a date is read back as a date.
    fileprivate static func text(_ value: AttributeValue) -> String? {
        value.string ?? value.date?.description
    }
}
