// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a record of the Sensors Analytics format is about: its `type`. The destination writes it, and a collector that takes
/// the format reads it.
public enum SensorsAnalyticsKind: String, Sendable, Hashable, CaseIterable {
    /// Something happened.
    case track
    /// Somebody signed in, and the ids of before and after belong together.
    case signUp = "track_signup"
    /// A further id belongs to the person from now on.
    case bind = "track_id_bind"
    /// An id does not belong to the person any more.
    case unbind = "track_id_unbind"
    /// Properties of the person, which replace those of before.
    case profileSet = "profile_set"
    /// Properties of the person, which replace none.
    case profileSetOnce = "profile_set_once"
    /// Numbers to be added to those of the person.
    case profileIncrement = "profile_increment"
    /// Elements to be added to lists of the person.
    case profileAppend = "profile_append"
    /// Properties to be taken from the person.
    case profileUnset = "profile_unset"
    /// Everything about the person is to be forgotten.
    case profileDelete = "profile_delete"
    /// Properties of a thing.
    case itemSet = "item_set"
    /// A thing is to be forgotten.
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

    /// Whether the record is about a thing, and so names no person.
    public var isItem: Bool { self == .itemSet || self == .itemDelete }
}
