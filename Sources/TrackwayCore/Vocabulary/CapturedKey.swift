// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The attributes of events that the SDK records automatically.
public enum CapturedKey {
    // MARK: Launch and exit

    /// Whether the event is the process's first `_app_start`.
    ///
    /// Only starts in which the app is visible to the user count.
    public static let isFirstTime = "_is_first_time"
    /// The kind of start: "cold", "hot" or "passive".
    public static let startKind = "_start_kind"
    /// Whether the event is the first start of this installation.
    public static let isFirstStart = "_is_first_start"
    /// Whether the app returned from the background.
    public static let resumedFromBackground = "_resumed_from_background"
    /// The time the app spent in the foreground, in milliseconds.
    ///
    /// Time in the background is not included.
    public static let foregroundDuration = "_foreground_duration_msec"
    /// Whether the event was recorded at the next start.
    ///
    /// The process was killed before it could record the event.
    public static let isRecovered = "_is_recovered"

    // MARK: Session

    /// The session's id.
    public static let sessionID = "_session_id"
    /// The start of the session, in milliseconds since 1970.
    public static let sessionStart = "_session_start_timestamp"
    /// The duration of the session until the event, in milliseconds.
    public static let sessionDuration = "_session_duration"
    /// The session's number within this installation, starting at 1.
    public static let sessionNumber = "_session_number"

    // MARK: Screens and engagement

    /// The screen's name.
    public static let screenName = "_screen_name"
    /// The screen's id.
    public static let screenID = "_screen_id"
    /// An id that distinguishes two screens of the same name.
    public static let screenUniqueID = "_screen_unique_id"
    /// The screen's title in the interface, such as in its title bar.
    ///
    /// Present only if the app enables the collection of texts.
    public static let screenTitle = "_screen_title"
    /// The name of the previous screen.
    public static let previousScreenName = "_previous_screen_name"
    /// The id of the previous screen.
    public static let previousScreenID = "_previous_screen_id"
    /// The unique id of the previous screen.
    public static let previousScreenUniqueID = "_previous_screen_unique_id"
    /// The time when the previous screen was shown, in milliseconds since 1970.
    public static let previousTimestamp = "_previous_timestamp"
    /// 1 for the first screen of a session, 0 for the others.
    public static let entrances = "_entrances"
    /// The time spent on a screen, in milliseconds.
    public static let engagementTime = "_engagement_time_msec"

    // MARK: Interface elements

    /// The element's id in the app.
    public static let elementID = "_element_id"
    /// The type of the element: the name of its class.
    public static let elementType = "_element_type"
    /// The element's text; present only if the app enables text collection.
    public static let elementContent = "_element_content"
    /// The element's position in its list, as "section:row".
    public static let elementPosition = "_element_position"
    /// The name of the trigger that fired.
    public static let trigger = "_trigger"
    /// The trace message of the event that fired.
    public static let trace = "_trace"
    /// The name of the event that fired.
    public static let triggerIdentifier = "_trigger_identifier"
    /// "skipped", or "refused" with the reason; absent if the event's action ran.
    public static let triggerOutcome = "_trigger_outcome"

    // MARK: Timers

    /// The duration of a timed event, in seconds.
    public static let eventDuration = "event_duration"

    // MARK: User

    /// The user's id, as a user attribute.
    public static let userID = "_user_id"
    /// The time when the user first opened the app, as a user attribute.
    ///
    /// The value is in milliseconds since 1970.
    public static let firstTouch = "_user_first_touch_timestamp"
    /// In a `_profile_set` event: true for a sign-in, false for a sign-out.
    public static let signedIn = "_signed_in"
    /// The type of an id, such as `$identity_mobile`.
    public static let identityKey = "_identity_key"
    /// The value of the id whose type is ``identityKey``.
    public static let identityValue = "_identity_value"
    /// In an `_alias` event: the id of the user who is counted as another one.
    public static let aliasFrom = "_alias_from"
    /// In an `_alias` event: the id of the user with whom the other one is counted.
    public static let aliasTo = "_alias_to"
    /// The type of a group, such as `company`.
    public static let groupType = "_group_type"
    /// The id of a group.
    public static let groupID = "_group_id"

    // MARK: Consent

    /// The decision: "granted", "denied", "pending", or "removed".
    ///
    /// It is "removed" if an earlier decision was removed.
    public static let consentDecision = "_consent_decision"
    /// The scope of the decision: "device" or "person".
    public static let consentScope = "_consent_scope"
    /// The category of the decision; absent for all categories.
    public static let consentCategory = "_consent_category"
    /// Where the decision was made, in the app's words.
    public static let consentSource = "_consent_source"
    /// The version of the text that was agreed to or refused.
    public static let consentVersion = "_consent_version"

    // MARK: Items

    /// The type of an item.
    public static let itemType = "_item_type"
    /// The id of an item within its type.
    public static let itemID = "_item_id"

    // MARK: Updates, errors, crashes

    /// The app's version at the previous start.
    public static let previousAppVersion = "_previous_app_version"
    /// The operating system's version at the previous start.
    public static let previousOSVersion = "_previous_os_version"
    /// The cause of the crash.
    public static let exceptionMessage = "_exception_message"
    /// The stack of the crash.
    public static let exceptionStack = "_exception_stack"
    /// The documented code of the exceeded limit.
    public static let errorCode = "_error_code"
    /// A description of the part that exceeded the limit.
    public static let errorMessage = "_error_message"

    // MARK: Erasure

    /// The installation that was erased.
    public static let erasedInstallation = "installation"
    /// The installation whose backup the device was restored from.
    public static let formerInstallation = "former_installation"
    /// The ``InstallationSecret`` of the erased installation.
    public static let erasureProof = "proof"
}
