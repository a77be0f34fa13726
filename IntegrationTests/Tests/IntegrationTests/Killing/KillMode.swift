// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Who records when the kill comes.
struct KillMode: Sendable {
    var name: String
    var threads: Int
    var processes: Int
    /// What every process of the installation is started with.
    var arguments: [String] = []
}
