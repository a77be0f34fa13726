// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// An order of the coordinator to its driver. Orders of one input are carried out one after the other.
package enum BehaviorAction: Sendable, Hashable {
    /// Record an event with this moment, under the context as the latest ``context(session:screen:)`` set it.
    case record(name: String, attributes: Attributes, at: DeviceTime)
    /// From now on events carry this session and this screen.
    case context(session: RecordedContext.Session?, screen: RecordedContext.Screen?)
    /// The app left the foreground, or came back.
    case background(Bool)
    /// Ask the system for time to finish; records, ``flush`` and ``closeWindow`` follow.
    case openWindow
    /// Send what waits.
    case flush
    /// Give the time back, once the flush before it is over.
    case closeWindow
    /// Keep the coordinator as it is now.
    case save
}
