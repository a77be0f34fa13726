// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The calls in the listings of the Sensors Analytics document. A translation has damaged the listings
// (`sensoranalysissdk`, `registersuperproperties: {@ “key”: @ “value”}`), so they do not compile; AS_WRITTEN compiles
// one of them as an example. Here each call is spelled as in the client's own header.
#import <UIKit/UIKit.h>
#if __has_include("SensorsAnalyticsCompatibility-Swift.h")
#import "SensorsAnalyticsCompatibility-Swift.h"
#else
@import SensorsAnalyticsCompatibility;
#endif
#import <SensorsAnalyticsConstants.h>

static NSString *const SA_SERVER_URL = @"https://example.com/sa?project=default";

@interface SensorsAppDelegate : NSObject
@end

@implementation SensorsAppDelegate {
    BOOL _appRelaunched;
    BOOL _applicationWillResignActive;
}

// 3.1.2, first listing.
- (BOOL)application:(UIApplication *)application startsByHand:(NSDictionary *)launchOptions {
#ifdef AS_WRITTEN
    [sensoranalysissdk startwithconfigoptions: Nil];
#else
    [SensorsAnalyticsSDK startWithConfigOptions: nil];
#endif
    [[SensorsAnalyticsSDK sharedInstance] registerSuperProperties: @{@"key": @"value"}];
    [[SensorsAnalyticsSDK sharedInstance] autoTrackAppStart];
    return YES;
}

// 3.1.2, second listing.
- (BOOL)application:(UIApplication *)application didFinishLaunchingWithOptions:(NSDictionary *)launchOptions {
    SAConfigOptions *options = [[SAConfigOptions alloc] initWithServerURL: SA_SERVER_URL launchOptions: launchOptions];
    [options setAutoTrackEventType: SensorsAnalyticsEventTypeAppStart];
    [SensorsAnalyticsSDK startWithConfigOptions: options];
    [[SensorsAnalyticsSDK sharedInstance] registerSuperProperties: @{@"key": @"value"}];
    return YES;
}

// 3.1.1 and 3.2: calls that the client itself makes, and that apps may also make.
- (void)trackRelaunchAppStart:(SensorsAnalyticsSDK *)sdk {
    if ([sdk isAutoTrackEventTypeIgnored: SensorsAnalyticsEventTypeAppStart] == NO) {
        [sdk track: SA_EVENT_NAME_APP_START withProperties: @{
            SA_EVENT_PROPERTY_RESUME_FROM_BACKGROUND: @(_appRelaunched),
            SA_EVENT_PROPERTY_APP_FIRST_START: @(NO),
        } withTrackType: SensorsAnalyticsTrackTypeAuto];
    }
    [sdk trackTimerStart: SA_EVENT_NAME_APP_END];
}

// 3.3: the passive start.
- (void)trackAppStartPassively:(SensorsAnalyticsSDK *)sdk {
    [sdk track: SA_EVENT_NAME_APP_START_PASSIVELY withTrackType: SensorsAnalyticsTrackTypeAuto];
}

// 4.1: the exit.
- (void)trackAppEnd:(SensorsAnalyticsSDK *)sdk {
    if ([sdk isAutoTrackEventTypeIgnored: SensorsAnalyticsEventTypeAppEnd] == NO) {
        [sdk track: SA_EVENT_NAME_APP_END withTrackType: SensorsAnalyticsTrackTypeAuto];
    }
}

@end

// The document's `- track:`, and related calls in the client's header.
void sensorsDocumentedCalls(NSString *sentence) {
SAConfigOptions *options = [[SAConfigOptions alloc] initWithServerURL: SA_SERVER_URL launchOptions: nil];
options.autoTrackEventType = SensorsAnalyticsEventTypeAppStart | SensorsAnalyticsEventTypeAppEnd | SensorsAnalyticsEventTypeAppClick
    | SensorsAnalyticsEventTypeAppViewScreen;
options.flushInterval = 15000;
options.flushBulkSize = 100;
options.enableLog = YES;
options.enableTrackAppCrash = YES;
options.remoteConfigURL = SA_SERVER_URL;
[SensorsAnalyticsSDK startWithConfigOptions: options debugMode: SensorsAnalyticsDebugOff];
SensorsAnalyticsSDK *sdk = [SensorsAnalyticsSDK sharedInstance];
[sdk track: sentence];
[sdk track: sentence withProperties: @{@"price": @12.5}];
[sdk trackTimerEnd: sentence withProperties: nil];
[sdk trackTimerPause: sentence];
[sdk trackTimerResume: sentence];
[sdk login: @"somebody"];
[sdk logout];
[sdk identify: @"nobody yet"];
[sdk resetAnonymousId];
[sdk bind: @"identity" value: @"value"];
[sdk unbind: @"identity" value: @"value"];
[sdk set: @{@"level": @3}];
[sdk setOnce: @"channel" to: @"store"];
[sdk increment: @"visits" by: @1];
[sdk append: @"movies" by: @[@"one"]];
[sdk unset: @"level"];
[sdk deleteUser];
[sdk itemSetWithType: @"book" itemId: @"1" properties: nil];
[sdk itemDeleteWithType: @"book" itemId: @"1"];
[sdk registerDynamicSuperProperties: ^NSDictionary *(void) { return @{@"online": @YES}; }];
[sdk unregisterSuperProperty: @"key"];
[sdk clearSuperProperties];
[sdk trackViewScreen: @"home" withProperties: nil];
[sdk setServerUrl: SA_SERVER_URL isRequestRemoteConfig: NO];
[sdk setCookie: @"a=b" withEncode: YES];
[sdk flush];
[sdk deleteAll];
[SensorsAnalyticsSDK disableSDK];
[SensorsAnalyticsSDK enableSDK];
}
