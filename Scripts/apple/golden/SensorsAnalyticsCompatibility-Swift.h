// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@class NSString;
@class NSDictionary;
SWIFT_CLASS_NAMED("SAConfigOptionsObject")
@interface SAConfigOptions : NSObject
- (nonnull instancetype)initWithServerURL:(NSString * _Nonnull)serverURL launchOptions:(NSDictionary * _Nullable)launchOptions OBJC_DESIGNATED_INITIALIZER;
@property (nonatomic, copy) NSString * _Nonnull serverURL;
@property (nonatomic) NSUInteger autoTrackEventType;
@property (nonatomic, copy) NSString * _Nonnull remoteConfigURL;
@property (nonatomic) BOOL enableRemoteConfig;
@property (nonatomic) NSInteger flushInterval;
@property (nonatomic) NSInteger flushBulkSize;
@property (nonatomic) BOOL enableLog;
@property (nonatomic) BOOL enableTrackAppCrash;
@property (nonatomic) BOOL enableSession;
@property (nonatomic) NSInteger eventSessionTimeout;
@property (nonatomic) BOOL disableSDK;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

typedef SWIFT_ENUM_NAMED(NSUInteger, SensorsAnalyticsAutoTrackEventType, "SensorsAnalyticsAutoTrackEventTypeObject", closed) {
  SensorsAnalyticsEventTypeAppStart SWIFT_COMPILE_NAME("appStart") = 1,
  SensorsAnalyticsEventTypeAppEnd SWIFT_COMPILE_NAME("appEnd") = 2,
  SensorsAnalyticsEventTypeAppClick SWIFT_COMPILE_NAME("appClick") = 4,
  SensorsAnalyticsEventTypeAppViewScreen SWIFT_COMPILE_NAME("appViewScreen") = 8,
};

typedef SWIFT_ENUM_NAMED(NSInteger, SensorsAnalyticsDebugMode, "SensorsAnalyticsDebugModeObject", closed) {
  SensorsAnalyticsDebugOff SWIFT_COMPILE_NAME("off") = 0,
  SensorsAnalyticsDebugOnly SWIFT_COMPILE_NAME("only") = 1,
  SensorsAnalyticsDebugAndTrack SWIFT_COMPILE_NAME("andTrack") = 2,
};

SWIFT_ENUM_FWD_DECL(NSInteger, SensorsAnalyticsTrackType)
SWIFT_CLASS_NAMED("SensorsAnalyticsSDKObject")
@interface SensorsAnalyticsSDK : NSObject
+ (void)startWithConfigOptions:(SAConfigOptions * _Nullable)configOptions;
+ (void)startWithConfigOptions:(SAConfigOptions * _Nullable)configOptions debugMode:(enum SensorsAnalyticsDebugMode)debugMode;
+ (SensorsAnalyticsSDK * _Nullable)sharedInstance SWIFT_WARN_UNUSED_RESULT;
- (void)track:(NSString * _Nonnull)event;
- (void)track:(NSString * _Nonnull)event withProperties:(NSDictionary * _Nullable)properties;
- (void)track:(NSString * _Nonnull)event withTrackType:(enum SensorsAnalyticsTrackType)type;
- (void)track:(NSString * _Nonnull)event withProperties:(NSDictionary * _Nullable)properties withTrackType:(enum SensorsAnalyticsTrackType)type;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

@class NSNumber;
@interface SensorsAnalyticsSDK (SWIFT_EXTENSION(SensorsAnalyticsCompatibility))
- (void)login:(NSString * _Nonnull)loginId;
- (void)login:(NSString * _Nonnull)loginId withProperties:(NSDictionary * _Nullable)properties;
- (void)logout;
- (NSString * _Nullable)loginId SWIFT_WARN_UNUSED_RESULT;
- (NSString * _Nonnull)anonymousId SWIFT_WARN_UNUSED_RESULT;
- (NSString * _Nonnull)distinctId SWIFT_WARN_UNUSED_RESULT;
- (void)identify:(NSString * _Nonnull)anonymousId;
- (void)resetAnonymousId;
- (void)resetAnonymousIdentity:(NSString * _Nullable)identity;
- (void)bind:(NSString * _Nonnull)key value:(NSString * _Nonnull)value;
- (void)unbind:(NSString * _Nonnull)key value:(NSString * _Nonnull)value;
- (void)set:(NSDictionary * _Nonnull)profile;
- (void)set:(NSString * _Nonnull)profile to:(id _Nonnull)value;
- (void)setOnce:(NSDictionary * _Nonnull)profile;
- (void)setOnce:(NSString * _Nonnull)profile to:(id _Nonnull)value;
- (void)unset:(NSString * _Nonnull)profile;
- (void)increment:(NSDictionary * _Nonnull)profile;
- (void)increment:(NSString * _Nonnull)profile by:(NSNumber * _Nonnull)amount;
- (void)append:(NSString * _Nonnull)profile by:(id _Nonnull)content;
- (void)deleteUser;
- (void)itemSetWithType:(NSString * _Nonnull)itemType itemId:(NSString * _Nonnull)itemId properties:(NSDictionary * _Nullable)properties;
- (void)itemDeleteWithType:(NSString * _Nonnull)itemType itemId:(NSString * _Nonnull)itemId;
@end

@interface SensorsAnalyticsSDK (SWIFT_EXTENSION(SensorsAnalyticsCompatibility))
- (void)registerSuperProperties:(NSDictionary * _Nonnull)properties;
- (void)registerDynamicSuperProperties:(NSDictionary * _Nullable (^ _Nonnull)(void))properties;
- (void)unregisterSuperProperty:(NSString * _Nonnull)property;
- (void)clearSuperProperties;
- (NSDictionary * _Nonnull)currentSuperProperties SWIFT_WARN_UNUSED_RESULT;
- (NSDictionary * _Nonnull)getPresetProperties SWIFT_WARN_UNUSED_RESULT;
- (NSString * _Nullable)trackTimerStart:(NSString * _Nonnull)event;
- (void)trackTimerEnd:(NSString * _Nonnull)event;
- (void)trackTimerEnd:(NSString * _Nonnull)event withProperties:(NSDictionary * _Nullable)properties;
- (void)trackTimerPause:(NSString * _Nonnull)event;
- (void)trackTimerResume:(NSString * _Nonnull)event;
- (void)removeTimer:(NSString * _Nonnull)event;
- (void)clearTrackTimer;
- (void)trackViewScreen:(NSString * _Nonnull)url withProperties:(NSDictionary * _Nullable)properties;
- (NSString * _Nullable)getLastScreenUrl SWIFT_WARN_UNUSED_RESULT;
- (NSString * _Nullable)getCurrentScreenUrl SWIFT_WARN_UNUSED_RESULT;
- (void)setServerUrl:(NSString * _Nonnull)serverUrl;
- (void)setServerUrl:(NSString * _Nonnull)serverUrl isRequestRemoteConfig:(BOOL)isRequestRemoteConfig;
- (NSString * _Nonnull)serverUrl SWIFT_WARN_UNUSED_RESULT;
- (void)setCookie:(NSString * _Nonnull)cookie withEncode:(BOOL)encode;
- (void)setDebugMode:(enum SensorsAnalyticsDebugMode)debugMode;
- (void)flush;
- (void)deleteAll;
+ (void)disableSDK;
+ (void)enableSDK;
- (BOOL)isAutoTrackEnabled SWIFT_WARN_UNUSED_RESULT;
- (BOOL)isAutoTrackEventTypeIgnored:(NSUInteger)eventType SWIFT_WARN_UNUSED_RESULT;
- (void)autoTrackAppStart;
@end

typedef SWIFT_ENUM_NAMED(NSInteger, SensorsAnalyticsTrackType, "SensorsAnalyticsTrackTypeObject", closed) {
  SensorsAnalyticsTrackTypeCode SWIFT_COMPILE_NAME("code") = 0,
  SensorsAnalyticsTrackTypeAuto SWIFT_COMPILE_NAME("auto") = 1,
};

