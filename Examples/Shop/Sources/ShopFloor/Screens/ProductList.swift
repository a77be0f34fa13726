// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Products side by side, and why.
package struct ProductList: Sendable, Hashable {
    /// The writer's progress they stand on; `nil` for the results of a search.
    package var progress: WriterProgress?
    /// The search they answer; empty on a writer's progress.
    package var search: String
    /// The products.
    package var products: [Product]

    /// What stands above the list.
    package var title: String { progress?.title ?? "Found for “\(search)”" }
}
