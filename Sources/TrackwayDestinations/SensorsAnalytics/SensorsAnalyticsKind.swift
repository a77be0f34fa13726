// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a record of the format is about: its `type`.
enum SensorsAnalyticsKind: String, Sendable, Hashable {
    case track
    case signUp = "track_signup"
    case bind = "track_id_bind"
    case unbind = "track_id_unbind"
    case profileSet = "profile_set"
    case profileSetOnce = "profile_set_once"
    case profileIncrement = "profile_increment"
    case profileAppend = "profile_append"
    case profileUnset = "profile_unset"
    case profileDelete = "profile_delete"
    case itemSet = "item_set"
    case itemDelete = "item_delete"

    /// Whether the record is an event, with a name and preset properties.
    var isEvent: Bool {
        switch self {
        case .track, .signUp, .bind, .unbind: true
        case .profileSet, .profileSetOnce, .profileIncrement, .profileAppend, .profileUnset, .profileDelete, .itemSet,
            .itemDelete:
            false
        }
    }

    /// Whether the record is about a thing, and so names no person.
    var isItem: Bool { self == .itemSet || self == .itemDelete }
}
