// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The event by which an app says that an installation was erased.
enum Tombstone {
    /// The event's name.
    static let name: StaticString = "_installation_erased"

    /// The installation an event erases: the one its `installation` attribute names, or else the one that sent it.
    /// Nil for any other event.
    static func installation(_ line: UnsafeRawBufferPointer, _ scan: EventScan, sender: InstallationID?)
        -> InstallationID?
    {
        guard !scan.name.hasEscapes, scan.name.range.count == name.utf8CodeUnitCount else { return nil }
        let found = UnsafeRawBufferPointer(rebasing: line[scan.name.range])
        let wanted = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard found.elementsEqual(wanted) else { return nil }
        guard let attributes = scan.attributes else { return sender }
        let bytes = UnsafeRawBufferPointer(rebasing: line[attributes])
        return ContextFacts.text("installation", of: bytes).flatMap(InstallationID.init) ?? sender
    }
}
