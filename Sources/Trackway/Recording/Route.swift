// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// The destinations that a call is for.
///
/// ```swift
/// analytics.record("internal_metric", to: ["audit"])
/// analytics.requestUpload(of: .all)
/// ```
public enum Route: Sendable, Hashable {
    /// Every destination.
    case all
    /// The named destinations alone; none if the list is empty.
    case only([DestinationID])

    /// The ids, empty for every destination: the form of the journal and of delivery.
    package var ids: [DestinationID] {
        switch self {
        case .all: []
        case .only(let ids): ids
        }
    }

    /// Whether the route names no destination at all.
    var isNowhere: Bool { self == .only([]) }

    /// A route of the form that the journal and delivery use: empty for every destination.
    package init(ids: [DestinationID]) {
        self = ids.isEmpty ? .all : .only(ids)
    }
}

extension Route: ExpressibleByArrayLiteral {
    /// A route to the destinations of a literal such as `["audit"]`.
    public init(arrayLiteral elements: DestinationID...) {
        self = .only(elements)
    }
}
