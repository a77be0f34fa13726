// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the system does with the process, as far as an app cares.
package enum LifeCycleEvent: Sendable, Hashable {
    /// The user is leaving: the process is about to be stopped (Ctrl-Z in a terminal).
    case entersBackground
    /// The process runs again after `entersBackground`.
    case entersForeground
    /// Somebody asked the process to end, by this signal. A host with a handler of its own may decide otherwise.
    case terminates(signal: Int32)
    /// The process ends by its own will: `exit` was called or `main` returned.
    case exits
}
