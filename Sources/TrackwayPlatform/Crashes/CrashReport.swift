// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents

/// What a process that died of a signal left behind.
package struct CrashReport: Sendable, Hashable {
    /// The identity of the event that tells of it: the same whenever the report is read, so that a report told twice
    /// because its reader died in between counts once.
    package let id: EventID
    /// The signal's name, and what the Swift runtime or the hardware said.
    package let message: String
    /// Where it happened, innermost call first: one line for each, module and offset; then the modules named there, with
    /// what is needed to look the offsets up. Empty when nothing is known.
    package let stack: String
    /// When it happened.
    package let at: DeviceTime
    /// The file's name.
    let name: String
}
