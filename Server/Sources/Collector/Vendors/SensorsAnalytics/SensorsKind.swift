// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What a record of the Sensors Analytics format is about: its `type`.
enum SensorsKind: String, Sendable, Hashable, CaseIterable {
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

    /// Whether it is an event, with a name and preset properties.
    var isEvent: Bool {
        switch self {
        case .track, .signUp, .bind, .unbind: true
        case .profileSet, .profileSetOnce, .profileIncrement, .profileAppend, .profileUnset, .profileDelete, .itemSet,
            .itemDelete:
            false
        }
    }

    /// Whether it is about a thing, and so names no person.
    var isItem: Bool { self == .itemSet || self == .itemDelete }

    /// The name it has with us; nil for an event, which has its own.
    var name: String? {
        switch self {
        case .track: nil
        case .signUp, .profileSet: CapturedName.profileSet
        case .bind: CapturedName.identityBound
        case .unbind: CapturedName.identityUnbound
        case .profileSetOnce: CapturedName.profileSetOnce
        case .profileIncrement: CapturedName.profileIncrement
        case .profileAppend: CapturedName.profileAppend
        case .profileUnset: CapturedName.profileUnset
        case .profileDelete: CapturedName.profileDelete
        case .itemSet: CapturedName.itemSet
        case .itemDelete: CapturedName.itemDelete
        }
    }
}
