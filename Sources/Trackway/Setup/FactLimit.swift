// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayPlatform

extension ContextField {
    /// The section of the context, `app` or `device`.
    var section: Substring { rawValue.prefix { $0 != "." } }
    /// The name within the section.
    var name: String { String(rawValue.drop { $0 != "." }.dropFirst()) }

    /// The snapshot properties that contain the same value.
    var deviceProperties: [String] {
        switch self {
        case .deviceID: [DeviceProperties.Key<String>.vendorID.name, DeviceProperties.Key<String>.firstVendorID.name]
        case .deviceAdvertisingID: [DeviceProperties.Key<String>.advertisingID.name]
        default: []
        }
    }
}

extension Set<ContextField> {
    /// Returns attributes of a context's section without the omitted fields.
    func omitting(from attributes: Attributes, section: String) -> Attributes {
        guard !isEmpty else { return attributes }
        var kept = attributes
        for field in self where field.section == section { kept[field.name] = nil }
        return kept
    }
}

extension Dependencies {
    /// Returns dependencies that provide only the facts that the app's privacy settings permit.
    func limited(by configuration: Configuration) -> Dependencies {
        let limit = FactLimit(
            omitted: configuration.privacy.omittedContext,
            vendorScope: configuration.privacy.sharesVendorID ? nil : configuration.appID
        )
        var dependencies = self
        dependencies.facts = limit.apply(to: facts)
        if let refreshFacts { dependencies.refreshFacts = { limit.apply(to: refreshFacts()) } }
        if let readDeviceFacts { dependencies.readDeviceFacts = { limit.apply(toDevice: readDeviceFacts()) } }
        if limit.omitted.contains(.deviceZoneOffset) { dependencies.zoneOffset = nil }
        let recognizesDevice = configuration.snapshots?.allowsDeviceRecognition ?? false
        dependencies.limitDeviceProperties = { limit.apply(toProperties: &$0, recognizesDevice: recognizesDevice) }
        return dependencies
    }
}

/// Removes omitted facts, and replaces an id that all apps of a vendor share.
private struct FactLimit: Sendable {
    let omitted: Set<ContextField>
    /// The app for which the vendor's id is hashed; nil leaves the id unchanged.
    let vendorScope: String?

    func apply(to facts: ContextFacts) -> ContextFacts {
        ContextFacts(
            app: omitted.omitting(from: facts.app, section: "app"),
            device: apply(toDevice: facts.device),
            boot: facts.boot
        )
    }

    func apply(toDevice facts: Attributes) -> Attributes {
        var facts = omitted.omitting(from: facts, section: "device")
        scope("id", in: &facts)
        return facts
    }

    func apply(toProperties properties: inout Attributes, recognizesDevice: Bool) {
        for name in omitted.flatMap(\.deviceProperties) { properties[name] = nil }
        guard !recognizesDevice else { return }
        for name in ContextField.deviceID.deviceProperties { scope(name, in: &properties) }
    }

    /// Replaces an id in the form of a UUID by a keyed hash of it.
    ///
    /// Only Apple's `identifierForVendor` has this form; the id on Linux is such a hash already.
    private func scope(_ name: String, in attributes: inout Attributes) {
        guard let vendorScope, let id = attributes[name]?.string, InstallationID(id) != nil else { return }
        let digits = String(id.filter { $0 != "-" })
        attributes[name] = DeviceIdentity.make(machineID: digits, appID: vendorScope).map { .string($0) }
    }
}
