// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How an app was started.
package enum StartKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The process began, and the user sees it.
    case cold
    /// The app came back to the foreground.
    case hot
    /// The system began the process in the background; nobody sees it.
    case passive
}
