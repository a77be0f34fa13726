// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDestinations
package import TrackwayEvents

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
