// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A shelf of the shop.
package enum Shelf: String, Sendable, Hashable, CaseIterable {
    case books
    case kitchen
    case garden
    case outdoors
    case music

    /// The title of the shelf.
    package var title: String {
        switch self {
        case .books: "Books and maps"
        case .kitchen: "Kitchen"
        case .garden: "Garden"
        case .outdoors: "Outdoors"
        case .music: "Music"
        }
    }
}
