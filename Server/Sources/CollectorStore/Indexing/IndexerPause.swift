// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How the indexer waits before it tries again. Tests count instead.
package protocol IndexerPause: Sendable {
    /// Returns when the next try may begin; at once when the task is cancelled.
    ///
    /// - Parameter afterFailures: how many tries have failed in a row, from 1.
    func wait(afterFailures: Int) async
}
