// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The destinations that a call applies to.
///
/// ```swift
/// analytics.record("internal_metric", to: ["audit"])
/// analytics.requestUpload(of: .all)
/// ```
public enum Route: Sendable, Hashable {
    /// Every destination.
    case all
    /// Only the listed destinations; none if the list is empty.
    case only([DestinationID])

    /// The ids in the form used by the journal and delivery.
    ///
    /// Empty means every destination.
    package var ids: [DestinationID] {
        switch self {
        case .all: []
        case .only(let ids): ids
        }
    }

    /// Whether the route names no destination.
    var isEmpty: Bool { self == .only([]) }

    /// Creates a route from the form used by the journal and delivery.
    ///
    /// Empty means every destination.
    package init(ids: [DestinationID]) {
        self = ids.isEmpty ? .all : .only(ids)
    }
}

extension Route: ExpressibleByArrayLiteral {
    /// Creates a route to the destinations in a literal such as `["audit"]`.
    public init(arrayLiteral elements: DestinationID...) {
        self = .only(elements)
    }
}
