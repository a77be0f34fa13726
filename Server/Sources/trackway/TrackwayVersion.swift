// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The version of the command and of the collector inside it.
enum TrackwayVersion {
    /// Semantic version.
    static let current = "0.1.0"
}
