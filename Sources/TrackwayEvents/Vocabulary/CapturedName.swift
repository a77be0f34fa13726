// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The names of events that the SDK records by itself. Destinations translate them into their own dialect.
///
/// The vocabulary is the Clickstream document's, extended where another product needs more.
public enum CapturedName {
    /// The app was opened for the first time since it was installed.
    public static let firstOpen = "_first_open"
    /// The app was started, or came back to the foreground; ``CapturedKey/startKind`` says which.
    public static let appStart = "_app_start"
    /// The app left the foreground, or ended.
    public static let appEnd = "_app_end"
    /// A session began.
    public static let sessionStart = "_session_start"
    /// A screen was shown.
    public static let screenView = "_screen_view"
    /// The user left a screen after using it for a while.
    public static let userEngagement = "_user_engagement"
    /// The user or the user's attributes were set.
    public static let profileSet = "_profile_set"
    /// The app crashed; recorded at the next start.
    public static let appException = "_app_exception"
    /// The app has another version than at the last start.
    public static let appUpdate = "_app_update"
    /// The operating system has another version than at the last start.
    public static let osUpdate = "_os_update"
    /// Something was recorded that breaks a documented limit.
    public static let clickstreamError = "_clickstream_error"
    /// The installation that this one replaces was erased: ``CapturedKey/erasedInstallation``, ``CapturedKey/erasureProof``.
    public static let installationErased = "_installation_erased"
    /// The device was restored from a backup of another installation, and is a new one now: ``CapturedKey/formerInstallation``.
    public static let installationRestored = "_installation_restored"

    // MARK: Elements of the interface

    /// An element was clicked: ``CapturedKey/elementID``, ``CapturedKey/elementType``, ``CapturedKey/elementContent``,
    /// ``CapturedKey/elementPosition``.
    public static let click = "_click"
    /// An event of an element fired, told for whoever debugs: ``CapturedKey/trigger``, ``CapturedKey/trace``.
    public static let trigger = "_trigger"

    // MARK: Snapshots

    /// What the device and its system are; the attributes are those of ``DeviceProperties``.
    public static let deviceProperties = "_device_properties"
    /// What the app and the device were about; the attributes are those of ``AppStateSnapshot``.
    public static let appState = "_app_state"

    // MARK: What is said about people and things, beside what happened

    /// Attributes of the user that count only where there is none yet.
    public static let profileSetOnce = "_profile_set_once"
    /// Numbers to be added to attributes of the user.
    public static let profileIncrement = "_profile_increment"
    /// Lists to be appended to attributes of the user.
    public static let profileAppend = "_profile_append"
    /// Attributes of the user to be taken away; their values mean nothing.
    public static let profileUnset = "_profile_unset"
    /// All attributes of the user are to be taken away.
    public static let profileDelete = "_profile_delete"
    /// A thing (``CapturedKey/itemType``, ``CapturedKey/itemID``) has these further attributes.
    public static let itemSet = "_item_set"
    /// A thing is to be forgotten.
    public static let itemDelete = "_item_delete"
    /// The person has one more id: ``CapturedKey/identityKey``, ``CapturedKey/identityValue``.
    public static let identityBound = "_identity_bound"
    /// An id is no longer the person's.
    public static let identityUnbound = "_identity_unbound"
    /// The user joined a group, or attributes of it were set: ``CapturedKey/groupType``, ``CapturedKey/groupID``.
    public static let groupSet = "_group_set"
    /// The user left a group: ``CapturedKey/groupType``, ``CapturedKey/groupID``.
    public static let groupLeft = "_group_left"
}
