// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The processes that record when the kill happens.
struct KillMode: Sendable {
    var name: String
    var threads: Int
    var processes: Int
    /// The arguments of every process of the installation.
    var arguments: [String] = []
}
