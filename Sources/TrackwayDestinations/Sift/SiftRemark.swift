// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Something that was left out of an event because the format has no place for it.
struct SiftRemark: Sendable, Hashable {
    /// What stood in the way.
    enum Code: String, Sendable, Hashable, CaseIterable {
        /// The format has no place for items.
        case itemsUnsupported = "items_unsupported"
        /// The format has no key of this name in this place.
        case keyUnknown = "key_unknown"
        /// The format wants another type of value under this key.
        case valueType = "value_type"
        /// The key has a fixed set of values, and this is none of them.
        case valueUnknown = "value_unknown"
    }

    /// What stood in the way.
    var code: Code
    /// Where: the keys from the event inwards, such as `location.latitude`.
    var place: String
    /// What the format would have taken there; empty when nothing.
    var wanted = ""

    /// A sentence for humans.
    var message: String {
        let place = place.prefix(128)
        return switch code {
        case .itemsUnsupported: "The items were left out: the format has no place for them."
        case .keyUnknown: "\(place) was left out: the format has no such key here. Record it with an event of its own."
        case .valueType: "\(place) was left out: the format wants \(wanted) there."
        case .valueUnknown: "\(place) was left out: the format wants one of \(wanted) there."
        }
    }
}
