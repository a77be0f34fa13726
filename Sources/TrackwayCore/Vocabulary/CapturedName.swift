// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The names of events that the SDK records automatically.
///
/// Destinations translate these names to their own. The vocabulary follows the Clickstream documentation, extended
/// where another product needs more.
public enum CapturedName {
    /// The app was opened for the first time since it was installed.
    public static let firstOpen = "_first_open"
    /// The app was started, or came back to the foreground.
    ///
    /// ``CapturedKey/startKind`` states the kind of start.
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
    /// The app's version has changed since the last start.
    public static let appUpdate = "_app_update"
    /// The operating system's version has changed since the last start.
    public static let osUpdate = "_os_update"
    /// A recorded event or attribute exceeded a documented limit.
    public static let clickstreamError = "_clickstream_error"
    /// The installation that this one replaces was erased.
    ///
    /// The attributes are ``CapturedKey/erasedInstallation`` and ``CapturedKey/erasureProof``.
    public static let installationErased = "_installation_erased"
    /// The device was restored from another installation's backup.
    ///
    /// The device became a new installation.
    ///
    /// The attribute is ``CapturedKey/formerInstallation``.
    public static let installationRestored = "_installation_restored"

    // MARK: Interface elements

    /// An element was clicked.
    ///
    /// The attributes are ``CapturedKey/elementID``, ``CapturedKey/elementType``, ``CapturedKey/elementContent`` and
    /// ``CapturedKey/elementPosition``.
    public static let click = "_click"
    /// An event of an interface element fired; recorded for debugging.
    ///
    /// The attributes are ``CapturedKey/trigger`` and ``CapturedKey/trace``.
    public static let trigger = "_trigger"

    // MARK: Snapshots

    /// The properties of the device and its system.
    ///
    /// The attributes are those of ``DeviceProperties``.
    public static let deviceProperties = "_device_properties"
    /// The state of the app and the device.
    ///
    /// The attributes are those of ``AppStateSnapshot``.
    public static let appState = "_app_state"

    // MARK: Statements about people and items, in addition to events

    /// Attributes to be set for the user unless already set.
    public static let profileSetOnce = "_profile_set_once"
    /// Numbers to be added to attributes of the user.
    public static let profileIncrement = "_profile_increment"
    /// Lists to be appended to attributes of the user.
    public static let profileAppend = "_profile_append"
    /// Attributes of the user to be removed; their values are ignored.
    public static let profileUnset = "_profile_unset"
    /// All attributes of the user are to be removed.
    public static let profileDelete = "_profile_delete"
    /// Attributes of an item to be set.
    ///
    /// The item is identified by ``CapturedKey/itemType`` and ``CapturedKey/itemID``.
    public static let itemSet = "_item_set"
    /// An item is to be deleted.
    public static let itemDelete = "_item_delete"
    /// An id was added to the user.
    ///
    /// The attributes are ``CapturedKey/identityKey`` and ``CapturedKey/identityValue``.
    public static let identityBound = "_identity_bound"
    /// An id was removed from the user.
    public static let identityUnbound = "_identity_unbound"
    /// The user joined a group, or attributes of the group were set.
    ///
    /// The attributes are ``CapturedKey/groupType`` and ``CapturedKey/groupID``.
    public static let groupSet = "_group_set"
    /// The user left a group.
    ///
    /// The attributes are ``CapturedKey/groupType`` and ``CapturedKey/groupID``.
    public static let groupLeft = "_group_left"
    /// A consent decision was made.
    ///
    /// The attributes are ``CapturedKey/consentDecision``, ``CapturedKey/consentScope``,
    /// ``CapturedKey/consentCategory``, ``CapturedKey/consentSource`` and ``CapturedKey/consentVersion``.
    public static let consent = "_consent"
    /// A user is counted as another user.
    ///
    /// The attributes are ``CapturedKey/aliasFrom`` and ``CapturedKey/aliasTo``.
    public static let alias = "_alias"

    // MARK: All names

    /// The names of all events that the SDK records automatically.
    public static let all: Set<String> = [
        firstOpen, appStart, appEnd, sessionStart, screenView, userEngagement, profileSet, appException, appUpdate,
        osUpdate, clickstreamError, installationErased, installationRestored, click, trigger, deviceProperties,
        appState, profileSetOnce, profileIncrement, profileAppend, profileUnset, profileDelete, itemSet,
        itemDelete, identityBound, identityUnbound, groupSet, groupLeft, consent, alias,
    ]
}
