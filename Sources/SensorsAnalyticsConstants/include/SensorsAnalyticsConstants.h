// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The names of the Sensors Analytics format for Objective-C, which cannot use Swift constants: the same names and
// values as in SensorsAnalyticsCompatibility. In Objective-C they are NSString, in C null-terminated strings.
//
//     @import SensorsAnalyticsCompatibility;
//     @import SensorsAnalyticsConstants;

#ifndef SENSORS_ANALYTICS_CONSTANTS_H
#define SENSORS_ANALYTICS_CONSTANTS_H

#if defined(__OBJC__)
#import <Foundation/Foundation.h>
#define SENSORS_ANALYTICS_NAME(name, text) static NSString *const name __attribute__((unused)) = @text
#else
#define SENSORS_ANALYTICS_NAME(name, text) static const char *const name __attribute__((unused)) = text
#endif

/// The app was started, or returned to the foreground.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_START, "$AppStart");
/// The app was started in the background, without the user.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_START_PASSIVELY, "$AppStartPassively");
/// The app left the foreground.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_END, "$AppEnd");
/// A screen was shown.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_VIEW_SCREEN, "$AppViewScreen");
/// An element was clicked.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_CLICK, "$AppClick");
/// A user signed in.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_SIGN_UP, "$SignUp");
/// The app crashed.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_CRASHED, "AppCrashed");
/// The back end's configuration changed.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_REMOTE_CONFIG_CHANGED, "$AppRemoteConfigChanged");
/// The app switched tracking off.
SENSORS_ANALYTICS_NAME(SA_EVENT_NAME_APP_DATA_TRACKING_CLOSE, "$AppDataTrackingClose");

/// Whether it is the first start of the installation.
SENSORS_ANALYTICS_NAME(SA_EVENT_PROPERTY_APP_FIRST_START, "$is_first_time");
/// Whether the app returned from the background.
SENSORS_ANALYTICS_NAME(SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND, "$resume_from_background");
/// The duration in seconds.
SENSORS_ANALYTICS_NAME(SA_EVENT_PROPERTY_EVENT_DURATION, "event_duration");
/// The name of the screen.
SENSORS_ANALYTICS_NAME(SA_EVENT_PROPERTY_SCREEN_NAME, "$screen_name");
/// The title of the screen.
SENSORS_ANALYTICS_NAME(SA_EVENT_PROPERTY_TITLE, "$title");
/// The address of the screen.
SENSORS_ANALYTICS_NAME(SA_EVENT_PROPERTY_SCREEN_URL, "$url");
/// The address of the previous screen.
SENSORS_ANALYTICS_NAME(SA_EVENT_PROPERTY_SCREEN_REFERRER_URL, "$referrer");
/// The changed configuration as text.
SENSORS_ANALYTICS_NAME(SA_EVENT_PROPERTY_APP_REMOTE_CONFIG, "$app_remote_config");

/// The first client's storage key for having launched once.
SENSORS_ANALYTICS_NAME(SA_HAS_LAUNCHED_ONCE, "HasLaunchedOnce");

#undef SENSORS_ANALYTICS_NAME

#endif
