// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Who made a collection policy.
public enum PolicySource: String, Sendable, Hashable, CaseIterable {
    /// The app.
    case app
    /// A back-end, by a configuration it sent.
    case backEnd = "back_end"
}
