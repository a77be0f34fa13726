// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
                    remedy: "Names and values must be texts; turn it into one. The event was not taken."
                )
            }
        }
        if iosAppState != nil, iosDeviceProperties != nil {
            faults.append(
                SiftFault(
                    field: "iosDeviceProperties",
                    value: "beside iosAppState",
                    remedy: "Append app state and device properties as two events. The event was not taken."
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
