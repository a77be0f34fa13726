// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Names of events that tell the collector to do something. They mean that in our own format only; an event of another
/// format that has such a name is kept under another one.
enum ReservedName {
    /// How every such name begins, of today and of later versions.
    private static let prefix = "_installation_"
    /// The attribute that holds the name an event came with.
    static let originalKey = "_original_name"
    /// The attribute that says why it has another.
    static let reasonKey = "_renamed_because"

    /// Whether a name is reserved.
    static func isReserved(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// The event under a name that means nothing to the collector, with its own name and the reason as attributes.
    static func renamed(_ event: VendorEvent, from format: IntakeFormat) -> VendorEvent {
        guard isReserved(event.name) else { return event }
        var renamed = event
        renamed.name = format.rawValue + ":" + event.name
        renamed.attributes.put(originalKey, .string(event.name))
        renamed.attributes.put(reasonKey, .string("Only Trackway's own format may use the name."))
        return renamed
    }
}
