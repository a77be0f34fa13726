// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@class NSString;
SWIFT_CLASS("_TtC24ClickstreamCompatibility4Attr")
@interface Attr : NSObject
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull SCREEN_NAME;)
+ (NSString * _Nonnull)SCREEN_NAME SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull SCREEN_UNIQUE_ID;)
+ (NSString * _Nonnull)SCREEN_UNIQUE_ID SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull TRAFFIC_SOURCE_SOURCE;)
+ (NSString * _Nonnull)TRAFFIC_SOURCE_SOURCE SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull TRAFFIC_SOURCE_MEDIUM;)
+ (NSString * _Nonnull)TRAFFIC_SOURCE_MEDIUM SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull TRAFFIC_SOURCE_CAMPAIGN;)
+ (NSString * _Nonnull)TRAFFIC_SOURCE_CAMPAIGN SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull TRAFFIC_SOURCE_CAMPAIGN_ID;)
+ (NSString * _Nonnull)TRAFFIC_SOURCE_CAMPAIGN_ID SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull TRAFFIC_SOURCE_TERM;)
+ (NSString * _Nonnull)TRAFFIC_SOURCE_TERM SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull TRAFFIC_SOURCE_CONTENT;)
+ (NSString * _Nonnull)TRAFFIC_SOURCE_CONTENT SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull TRAFFIC_SOURCE_CLID;)
+ (NSString * _Nonnull)TRAFFIC_SOURCE_CLID SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull TRAFFIC_SOURCE_CLID_PLATFORM;)
+ (NSString * _Nonnull)TRAFFIC_SOURCE_CLID_PLATFORM SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull APP_INSTALL_CHANNEL;)
+ (NSString * _Nonnull)APP_INSTALL_CHANNEL SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull VALUE;)
+ (NSString * _Nonnull)VALUE SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull CURRENCY;)
+ (NSString * _Nonnull)CURRENCY SWIFT_WARN_UNUSED_RESULT;
- (nonnull instancetype)init OBJC_DESIGNATED_INITIALIZER;
@end

SWIFT_CLASS("_TtC24ClickstreamCompatibility24ClickstreamConfiguration")
@interface ClickstreamConfiguration : NSObject
- (nonnull instancetype)init OBJC_DESIGNATED_INITIALIZER;
- (ClickstreamConfiguration * _Nonnull)withAppId:(NSString * _Nonnull)appId;
- (ClickstreamConfiguration * _Nonnull)withEndpoint:(NSString * _Nonnull)endpoint;
@property (nonatomic) BOOL isLogEvents;
- (ClickstreamConfiguration * _Nonnull)withLogEvents:(BOOL)isLogEvents;
- (ClickstreamConfiguration * _Nonnull)withCompressEvents:(BOOL)isCompressEvents;
- (ClickstreamConfiguration * _Nonnull)withSendEventInterval:(NSInteger)sendEventInterval;
- (ClickstreamConfiguration * _Nonnull)withSendEventsInterval:(NSInteger)sendEventsInterval;
- (ClickstreamConfiguration * _Nonnull)withSessionTimeoutDuration:(int64_t)sessionTimeoutDuration;
- (ClickstreamConfiguration * _Nonnull)withTrackScreenViewEvents:(BOOL)isTrackScreenViewEvents;
- (ClickstreamConfiguration * _Nonnull)withTrackUserEngagementEvents:(BOOL)isTrackUserEngagementEvents;
- (ClickstreamConfiguration * _Nonnull)withTrackAppExceptionEvents:(BOOL)isTrackAppExceptionEvents;
- (ClickstreamConfiguration * _Nonnull)withAuthCookie:(NSString * _Nonnull)authCookie;
@end

@class NSDictionary;
@interface ClickstreamConfiguration (SWIFT_EXTENSION(ClickstreamCompatibility))
- (ClickstreamConfiguration * _Nonnull)withInitialGlobalAttributesObjc:(NSDictionary * _Nonnull)globalAttributes;
@end

SWIFT_CLASS("_TtC24ClickstreamCompatibility18ClickstreamItemKey")
@interface ClickstreamItemKey : NSObject
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull ITEM_ID;)
+ (NSString * _Nonnull)ITEM_ID SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull ITEM_NAME;)
+ (NSString * _Nonnull)ITEM_NAME SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull LOCATION_ID;)
+ (NSString * _Nonnull)LOCATION_ID SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull ITEM_BRAND;)
+ (NSString * _Nonnull)ITEM_BRAND SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull CURRENCY;)
+ (NSString * _Nonnull)CURRENCY SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull PRICE;)
+ (NSString * _Nonnull)PRICE SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull QUANTITY;)
+ (NSString * _Nonnull)QUANTITY SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull CREATIVE_NAME;)
+ (NSString * _Nonnull)CREATIVE_NAME SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull CREATIVE_SLOT;)
+ (NSString * _Nonnull)CREATIVE_SLOT SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull ITEM_CATEGORY;)
+ (NSString * _Nonnull)ITEM_CATEGORY SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull ITEM_CATEGORY2;)
+ (NSString * _Nonnull)ITEM_CATEGORY2 SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull ITEM_CATEGORY3;)
+ (NSString * _Nonnull)ITEM_CATEGORY3 SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull ITEM_CATEGORY4;)
+ (NSString * _Nonnull)ITEM_CATEGORY4 SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull ITEM_CATEGORY5;)
+ (NSString * _Nonnull)ITEM_CATEGORY5 SWIFT_WARN_UNUSED_RESULT;
- (nonnull instancetype)init OBJC_DESIGNATED_INITIALIZER;
@end

SWIFT_CLASS("_TtC24ClickstreamCompatibility15ClickstreamObjc")
@interface ClickstreamObjc : NSObject
+ (BOOL)initSDKAndReturnError:(NSError * _Nullable * _Nullable)error SWIFT_METHOD_FAMILY(none);
+ (BOOL)initSDK:(ClickstreamConfiguration * _Nonnull)configuration error:(NSError * _Nullable * _Nullable)error SWIFT_METHOD_FAMILY(none);
+ (void)recordEvent:(NSString * _Nonnull)eventName;
+ (void)recordEvent:(NSString * _Nonnull)eventName :(NSDictionary * _Nonnull)attributes;
+ (void)recordEvent:(NSString * _Nonnull)eventName :(NSDictionary * _Nonnull)attributes :(NSArray * _Nonnull)items;
+ (void)flushEvents;
+ (void)addGlobalAttributes:(NSDictionary * _Nonnull)attributes;
+ (void)deleteGlobalAttributes:(NSArray * _Nonnull)attributes;
+ (void)addUserAttributes:(NSDictionary * _Nonnull)attributes;
+ (void)setUserId:(NSString * _Nullable)userId;
+ (ClickstreamConfiguration * _Nullable)getClickstreamConfigurationAndReturnError:(NSError * _Nullable * _Nullable)error SWIFT_WARN_UNUSED_RESULT;
+ (void)disable;
+ (void)enable;
- (nonnull instancetype)init OBJC_DESIGNATED_INITIALIZER;
@end

SWIFT_CLASS("_TtC24ClickstreamCompatibility9EventName")
@interface EventName : NSObject
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull SCREEN_VIEW;)
+ (NSString * _Nonnull)SCREEN_VIEW SWIFT_WARN_UNUSED_RESULT;
- (nonnull instancetype)init OBJC_DESIGNATED_INITIALIZER;
@end

