// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What devices told about themselves, in a few numbers.
struct DeviceSummary: Sendable, Hashable {
    /// Devices that told of themselves.
    var devices = 0
    /// Properties that were another than before.
    var changes: Int64 = 0
    /// App states.
    var states: Int64 = 0

    /// The sums of the collector's list of devices; what is absent counts as zero.
    init(_ list: JSONValue) {
        for device in list["devices"]?.array ?? [] {
            devices += 1
            changes += device["property_changes"]?.integer ?? 0
            states += device["states"]?.integer ?? 0
        }
    }

    /// The numbers in a sentence.
    var sentence: String {
        func counted(_ number: Int64, _ one: String, _ many: String) -> String {
            "\(UInt64(clamping: number).grouped) \(number == 1 ? one : many)"
        }
        return [
            counted(Int64(devices), "device", "devices"), counted(changes, "property change", "property changes"),
            counted(states, "app state", "app states"),
        ].joined(separator: ", ")
    }
}
