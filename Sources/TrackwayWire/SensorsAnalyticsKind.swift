// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The `type` of a record in the Sensors Analytics format.
///
/// The destination writes it, and a collector that accepts the format reads it.
public enum SensorsAnalyticsKind: String, Sendable, Hashable, CaseIterable {
    /// An event.
    case track
    /// A user signed in.
    ///
    /// The ids before and after belong to the same person.
    case signUp = "track_signup"
    /// Another id belongs to the person from now on.
    case bind = "track_id_bind"
    /// An id no longer belongs to the person.
    case unbind = "track_id_unbind"
    /// Properties of the person, which replace earlier values.
    case profileSet = "profile_set"
    /// Properties of the person, which do not replace earlier values.
    case profileSetOnce = "profile_set_once"
    /// Numbers to be added to properties of the person.
    case profileIncrement = "profile_increment"
    /// Elements to be appended to lists of the person.
    case profileAppend = "profile_append"
    /// Properties of the person to be removed.
    case profileUnset = "profile_unset"
    /// All properties of the person are to be deleted.
    case profileDelete = "profile_delete"
    /// Properties of an item.
    case itemSet = "item_set"
    /// An item is to be deleted.
    case itemDelete = "item_delete"

    /// Whether the record is an event, with a name and preset properties.
    public var isEvent: Bool {
        switch self {
        case .track, .signUp, .bind, .unbind: true
        case .profileSet, .profileSetOnce, .profileIncrement, .profileAppend, .profileUnset, .profileDelete, .itemSet,
            .itemDelete:
            false
        }
    }

    /// Whether the record is about an item, and so has no person.
    public var isItem: Bool { self == .itemSet || self == .itemDelete }
}
