// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

// For compatibility modules whose destination knows more than one way to treat events.
extension Analytics {
    /// Says how a destination is to treat events recorded after this call, on every thread. Those recorded before, in
    /// earlier runs too, keep what was said when they were recorded.
    package func setMode(_ mode: String, of destination: DestinationID) {
        contextStore.perform { transaction in transaction.context.modes[destination.rawValue] = .string(mode) }
    }

    /// The same as ``replaceDestination(_:)``, with another number of waiting events that are sent at once. One that no app
    /// means is brought within its bounds, and told.
    ///
    /// - Throws: As ``replaceDestination(_:)`` does.
    package func replaceDestination(_ destination: any Destination, flushEvents: Int) throws(TrackwayError) {
        try checkPresent(destination.id)
        var bounds = SettingBounds()
        delivery.replace(destination, flushEvents: bounds.count(flushEvents, from: 1, "flushEvents"))
        reporter.report(bounds.diagnostics)
    }
}
