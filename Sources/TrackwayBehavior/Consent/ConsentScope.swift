// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Whom a decision holds for.
public enum ConsentScope: String, Sendable, Hashable, Codable, CaseIterable {
    /// Everybody on this device who made none of their own.
    case device
    /// The person who uses the app now.
    case person
}
