// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The Objective-C samples from the Clickstream document, unchanged, each in a function or method of its own.
// AS_WRITTEN_KEYS compiles the keys of two dictionaries without their at signs, and AS_WRITTEN_ITEMS the comma in a
// call that needs a colon.
#import <UIKit/UIKit.h>
#if __has_include("ClickstreamCompatibility-Swift.h")
#import "ClickstreamCompatibility-Swift.h"
#else
@import ClickstreamCompatibility;
#endif

#ifdef AS_WRITTEN_KEYS
#define KEY(text) text
#else
#define KEY(text) @text
#endif
#ifdef AS_WRITTEN_ITEMS
#define ITEMS ,
#else
#define ITEMS :
#endif

@interface ClickstreamAppDelegate : NSObject
@end

@implementation ClickstreamAppDelegate

- (BOOL)application:(UIApplication *)application didFinishLaunchingWithOptions:(NSDictionary *)launchOptions { 
    NSError *error = nil;
    [ClickstreamObjc initSDKAndReturnError:&error];
    if (error) {
        NSLog(@"Fail to initialize ClickstreamAnalytics: %@", error.localizedDescription);
    }
    return YES;
}

@end

void clickstreamDocumentRecordsEvents(void) {
NSDictionary *attributes =@{
    @"category": @"shoes",
    @"currency": @"CNY",
    @"value": @12.34
};
[ClickstreamObjc recordEvent:@"button_click" :attributes];

[ClickstreamObjc recordEvent:@"button_click"];
}

void clickstreamDocumentStartsWithGlobalAttributes(void) {
NSError *error = nil;
NSDictionary *globalAttributes = @{
    Attr.TRAFFIC_SOURCE_SOURCE: @"amazon",
    Attr.TRAFFIC_SOURCE_MEDIUM: @"cpc",
    Attr.TRAFFIC_SOURCE_CAMPAIGN: @"summer_promotion",
    Attr.TRAFFIC_SOURCE_CAMPAIGN_ID: @"summer_promotion_01",
    Attr.TRAFFIC_SOURCE_TERM: @"running_shoes",
    Attr.TRAFFIC_SOURCE_CONTENT: @"banner_ad_1",
    Attr.TRAFFIC_SOURCE_CLID: @"amazon_ad_123",
    Attr.TRAFFIC_SOURCE_CLID_PLATFORM: @"amazon_ads",
    Attr.APP_INSTALL_CHANNEL: @"App Store",
};
ClickstreamConfiguration *configuration = [[[[[ClickstreamConfiguration alloc] init]
    withAppId:@"your appId"]
    withEndpoint:@"https://example.com/collect"]
    withInitialGlobalAttributesObjc:globalAttributes];
[ClickstreamObjc initSDK:configuration error: &error];
}

void clickstreamDocumentAddsGlobalAttributes(void) {
NSDictionary *attributes =@{
    Attr.APP_INSTALL_CHANNEL: @"App Store",
    @"class": @6,
    @"level": @5.1,
    @"isOpenNotification": @YES
};
[ClickstreamObjc addGlobalAttributes :attributes];
}

void clickstreamDocumentDeletesGlobalAttributes(void) {
[ClickstreamObjc deleteGlobalAttributes: @[@"level"]];
}

void clickstreamDocumentSignsInAndOut(void) {
[ClickstreamObjc setUserId:@"userId"];

[ClickstreamObjc setUserId:NULL];
}

void clickstreamDocumentAddsUserAttributes(void) {
NSDictionary *userAttributes =@{
    @"_user_age": @21,
    @"user_name": @"carl"
};
[ClickstreamObjc addUserAttributes:userAttributes];
}

void clickstreamDocumentRecordsItems(void) {
NSDictionary *attributes = @{
    Attr.VALUE: @99.9,
    Attr.CURRENCY: @"USD",
    KEY("event_category"): @"recommended"
};
NSDictionary *item_book = @{
    ClickstreamItemKey.ITEM_ID: @123,
    ClickstreamItemKey.ITEM_NAME: @"Nature",
    ClickstreamItemKey.ITEM_CATEGORY: @"book",
    ClickstreamItemKey.PRICE: @99.9,
    KEY("book_publisher"): @"Nature Research"
};
[ClickstreamObjc recordEvent:@"view_item" :attributes ITEMS @[item_book]];
}

void clickstreamDocumentRecordsAScreen(void) {
NSDictionary *attributes = @{
    Attr.SCREEN_NAME: @"HomeView",
    Attr.SCREEN_UNIQUE_ID: @"your screen uniqueId"
};
[ClickstreamObjc recordEvent:EventName.SCREEN_VIEW :attributes];
}

void clickstreamDocumentFlushes(void) {
[ClickstreamObjc flushEvents];
}

void clickstreamDocumentSwitchesOffAndOn(void) {
[ClickstreamObjc disable];

[ClickstreamObjc enable];
}

void clickstreamDocumentNamesEveryOption(void) {
NSError *error = nil;
ClickstreamConfiguration *configuration = [[[[[[[[[[[[[ClickstreamConfiguration alloc] init]
    withAppId:@"your appId"]
    withEndpoint:@"https://example.com/collect"]
    withLogEvents:TRUE]
    withCompressEvents:TRUE]
    withSendEventInterval: 10000]
    withSessionTimeoutDuration: 1800000]
    withTrackScreenViewEvents:TRUE]
    withTrackUserEngagementEvents:TRUE]
    withTrackAppExceptionEvents:TRUE]
    withAuthCookie: @"your auth cookie"]
    withInitialGlobalAttributesObjc:@{Attr.TRAFFIC_SOURCE_SOURCE: @"amazon"}];
[ClickstreamObjc initSDK:configuration error: &error];
}

void clickstreamDocumentChangesTheConfiguration(void) {
NSError *error = nil;
ClickstreamConfiguration *configuration = [ClickstreamObjc getClickstreamConfigurationAndReturnError:&error];
configuration = [[[[[[[configuration withAppId:@"your appId"]
    withEndpoint:@"https://example.com/collect"]
    withLogEvents:TRUE]
    withCompressEvents:TRUE]
    withTrackScreenViewEvents:TRUE]
    withTrackUserEngagementEvents:TRUE]
    withTrackAppExceptionEvents:TRUE];
}

// Names in the document's tables that its samples do not use: the other spelling of a setting, a property, and the
// remaining names of an item.
NSArray *clickstreamDocumentedNames(ClickstreamConfiguration *configuration) {
configuration.isLogEvents = YES;
return @[
    [configuration withSendEventsInterval: 10000], ClickstreamItemKey.ITEM_BRAND, ClickstreamItemKey.CURRENCY,
    ClickstreamItemKey.QUANTITY, ClickstreamItemKey.CREATIVE_NAME, ClickstreamItemKey.CREATIVE_SLOT, ClickstreamItemKey.LOCATION_ID,
    ClickstreamItemKey.ITEM_CATEGORY2, ClickstreamItemKey.ITEM_CATEGORY3, ClickstreamItemKey.ITEM_CATEGORY4,
    ClickstreamItemKey.ITEM_CATEGORY5
];
}
