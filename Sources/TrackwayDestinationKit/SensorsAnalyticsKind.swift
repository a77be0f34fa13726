// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The `type` of a record in the Sensors Analytics format.
///
/// The destination writes this type, and a collector that accepts the format reads it.
public enum SensorsAnalyticsKind: String, Sendable, Hashable, CaseIterable {
    /// An event.
    case track
    /// A user signed in.
    ///
    /// The IDs before and after belong to the same person.
    case signUp = "track_signup"
    /// An additional ID belongs to the person.
    case bind = "track_id_bind"
    /// An ID no longer belongs to the person.
    case unbind = "track_id_unbind"
    /// Properties of the person that replace earlier values.
    case profileSet = "profile_set"
    /// Properties of the person that do not replace earlier values.
    case profileSetOnce = "profile_set_once"
    /// Numbers to add to properties of the person.
    case profileIncrement = "profile_increment"
    /// Elements to append to list properties of the person.
    case profileAppend = "profile_append"
    /// Properties to remove from the person.
    case profileUnset = "profile_unset"
    /// The deletion of all properties of the person.
    case profileDelete = "profile_delete"
    /// Properties of an item.
    case itemSet = "item_set"
    /// The deletion of an item.
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

    /// Whether the record is about an item and therefore has no person.
    public var isItem: Bool { self == .itemSet || self == .itemDelete }
}
