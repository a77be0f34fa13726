// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The format's names for automatically recorded events and their properties.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The app was started or returned to the foreground.
public let SA_EVENT_NAME_APP_START = "$AppStart"
/// The app was started in the background, without user interaction.
public let SA_EVENT_NAME_APP_START_PASSIVELY = "$AppStartPassively"
/// The app left the foreground.
public let SA_EVENT_NAME_APP_END = "$AppEnd"
/// A screen was shown.
public let SA_EVENT_NAME_APP_VIEW_SCREEN = "$AppViewScreen"
/// An element was clicked.
public let SA_EVENT_NAME_APP_CLICK = "$AppClick"
/// A user signed in.
public let SA_EVENT_NAME_APP_SIGN_UP = "$SignUp"
/// The app crashed.
public let SA_EVENT_NAME_APP_CRASHED = "AppCrashed"
/// The back end's configuration changed.
public let SA_EVENT_NAME_APP_REMOTE_CONFIG_CHANGED = "$AppRemoteConfigChanged"
/// The app disabled tracking.
public let SA_EVENT_NAME_APP_DATA_TRACKING_CLOSE = "$AppDataTrackingClose"

/// Whether this is the app's very first launch.
public let SA_EVENT_PROPERTY_APP_FIRST_START = "$is_first_time"
/// Whether the app returned from the background.
public let SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND = "$resume_from_background"
/// The duration, in seconds.
public let SA_EVENT_PROPERTY_EVENT_DURATION = "event_duration"
/// The name of the screen.
public let SA_EVENT_PROPERTY_SCREEN_NAME = "$screen_name"
/// The title of the screen.
public let SA_EVENT_PROPERTY_TITLE = "$title"
/// The address of the screen.
public let SA_EVENT_PROPERTY_SCREEN_URL = "$url"
/// The address of the previous screen.
public let SA_EVENT_PROPERTY_SCREEN_REFERRER_URL = "$referrer"
/// The configuration that changed, as text.
public let SA_EVENT_PROPERTY_APP_REMOTE_CONFIG = "$app_remote_config"

/// The key under which the format's first client saved the first launch.
public let SA_HAS_LAUNCHED_ONCE = "HasLaunchedOnce"
