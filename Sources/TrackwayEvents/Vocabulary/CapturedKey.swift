// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The attributes of events that the SDK records by itself.
public enum CapturedKey {
    // MARK: Launch and exit

    /// True for the first `_app_start` of a process that the user can see.
    public static let isFirstTime = "_is_first_time"
    /// How the app was started: "cold", "hot" or "passive".
    public static let startKind = "_start_kind"
    /// True for the first start ever of this installation.
    public static let isFirstStart = "_is_first_start"
    /// True when the app came back from the background.
    public static let resumedFromBackground = "_resumed_from_background"
    /// How long the app was in the foreground, in milliseconds, time in the background left out.
    public static let foregroundDuration = "_foreground_duration_msec"
    /// True when the event was lost to a kill and written at the next start.
    public static let isRecovered = "_is_recovered"

    // MARK: Session

    /// The session's id.
    public static let sessionID = "_session_id"
    /// When the session began, in milliseconds since 1970.
    public static let sessionStart = "_session_start_timestamp"
    /// How long the session had lasted when the event happened, in milliseconds.
    public static let sessionDuration = "_session_duration"
    /// The how manieth session of this installation it is, from 1.
    public static let sessionNumber = "_session_number"

    // MARK: Screens and engagement

    /// The screen's name.
    public static let screenName = "_screen_name"
    /// The screen's id.
    public static let screenID = "_screen_id"
    /// What tells two screens of one name apart.
    public static let screenUniqueID = "_screen_unique_id"
    /// What the interface calls the screen, as in its title bar; only when the app wants texts collected.
    public static let screenTitle = "_screen_title"
    /// The name of the screen before.
    public static let previousScreenName = "_previous_screen_name"
    /// The id of the screen before.
    public static let previousScreenID = "_previous_screen_id"
    /// The unique id of the screen before.
    public static let previousScreenUniqueID = "_previous_screen_unique_id"
    /// When the screen before was shown, in milliseconds since 1970.
    public static let previousTimestamp = "_previous_timestamp"
    /// 1 for the first screen of a session, 0 for the others.
    public static let entrances = "_entrances"
    /// How long a screen was used, in milliseconds.
    public static let engagementTime = "_engagement_time_msec"

    // MARK: Elements of the interface

    /// What the app calls the element.
    public static let elementID = "_element_id"
    /// What kind of element it is: the name of its class.
    public static let elementType = "_element_type"
    /// What stands on it; only when the app wants texts collected.
    public static let elementContent = "_element_content"
    /// Where in its list it lies, as "section:row".
    public static let elementPosition = "_element_position"
    /// What happened to it: the name of a trigger.
    public static let trigger = "_trigger"
    /// The sentence of the event that fired.
    public static let trace = "_trace"
    /// The name of the event that fired.
    public static let triggerIdentifier = "_trigger_identifier"
    /// "skipped", or "refused" with the reason; absent when the event's action ran.
    public static let triggerOutcome = "_trigger_outcome"

    // MARK: Timers

    /// How long a timed event took, in seconds.
    public static let eventDuration = "event_duration"

    // MARK: User

    /// The user's id, as a user attribute.
    public static let userID = "_user_id"
    /// When the user first opened the app, in milliseconds since 1970, as a user attribute.
    public static let firstTouch = "_user_first_touch_timestamp"
    /// True for a `_profile_set` that says who signed in.
    public static let signedIn = "_signed_in"
    /// The kind of an id, such as `$identity_mobile`.
    public static let identityKey = "_identity_key"
    /// The id itself.
    public static let identityValue = "_identity_value"
    /// The type of a group, such as `company`.
    public static let groupType = "_group_type"
    /// The id of a group.
    public static let groupID = "_group_id"

    // MARK: Things

    /// What kind of thing it is.
    public static let itemType = "_item_type"
    /// Which one of its kind.
    public static let itemID = "_item_id"

    // MARK: Updates, errors, crashes

    /// The app's version at the start before.
    public static let previousAppVersion = "_previous_app_version"
    /// The operating system's version at the start before.
    public static let previousOSVersion = "_previous_os_version"
    /// What made the app crash.
    public static let exceptionMessage = "_exception_message"
    /// Where it crashed.
    public static let exceptionStack = "_exception_stack"
    /// The documented code of a broken limit.
    public static let errorCode = "_error_code"
    /// What broke the limit.
    public static let errorMessage = "_error_message"

    // MARK: Erasing

    /// The installation that was erased.
    public static let erasedInstallation = "installation"
    /// The installation that the backup was made of which the device was restored from.
    public static let formerInstallation = "former_installation"
    /// The ``InstallationSecret`` behind it.
    public static let erasureProof = "proof"
}
