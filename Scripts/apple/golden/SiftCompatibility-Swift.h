// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@class NSString;
SWIFT_CLASS("_TtC17SiftCompatibility4Sift")
@interface Sift : NSObject
+ (Sift * _Nonnull)sharedInstance SWIFT_WARN_UNUSED_RESULT;
@property (nonatomic, readonly, copy) NSString * _Nonnull sdkVersion;
@property (nonatomic, copy) NSString * _Nullable accountId;
@property (nonatomic, copy) NSString * _Nullable beaconKey;
@property (nonatomic, copy) NSString * _Nullable serverUrlFormat;
@property (nonatomic, copy) NSString * _Nullable userId;
- (void)unsetUserId;
- (BOOL)upload;
- (BOOL)upload:(BOOL)force;
- (void)pause;
- (void)resume;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

@class SiftEvent;
@interface Sift (SWIFT_EXTENSION(SiftCompatibility))
- (nonnull instancetype)initWithRootDirPath:(NSString * _Nullable)rootDirPath;
- (BOOL)appendEvent:(SiftEvent * _Nullable)event toQueue:(NSString * _Nullable)identifier;
- (BOOL)appendEvent:(SiftEvent * _Nullable)event;
@end

@class CMDeviceMotion;
@class CMAccelerometerData;
@class CMGyroData;
@class CMMagnetometerData;
@interface Sift (SWIFT_EXTENSION(SiftCompatibility))
- (void)updateDeviceMotion:(CMDeviceMotion * _Nullable)data;
- (void)updateAccelerometerData:(CMAccelerometerData * _Nullable)data;
- (void)updateGyroData:(CMGyroData * _Nullable)data;
- (void)updateMagnetometerData:(CMMagnetometerData * _Nullable)data;
@end

@class SiftQueue;
@class SiftUploader;
@interface Sift (SWIFT_EXTENSION(SiftCompatibility))
@property (nonatomic, copy) NSString * _Nullable defaultQueueIdentifier;
- (BOOL)hasEventQueue:(NSString * _Nullable)identifier SWIFT_WARN_UNUSED_RESULT;
- (BOOL)addEventQueue:(NSString * _Nullable)identifier config:(SiftQueueConfig)config;
- (BOOL)removeEventQueue:(NSString * _Nullable)identifier;
- (BOOL)appendDevicePropertiesEvent:(SiftEvent * _Nullable)event;
- (SiftQueue * _Nullable)eventQueue:(NSString * _Nullable)identifier SWIFT_WARN_UNUSED_RESULT;
@property (nonatomic, readonly, strong) SiftUploader * _Nonnull uploader;
@end

@class SiftIosDevicePropertiesCollector;
@class SiftIosAppStateCollector;
@interface Sift (SWIFT_EXTENSION(SiftCompatibility))
- (void)collect;
@property (nonatomic) BOOL disallowCollectingLocationData;
@property (nonatomic) BOOL allowUsingMotionSensors;
@property (nonatomic, readonly, strong) SiftIosDevicePropertiesCollector * _Nonnull devicePropertiesCollector;
@property (nonatomic, readonly, strong) SiftIosAppStateCollector * _Nonnull appStateCollector;
@end

@class NSCoder;
SWIFT_CLASS("_TtC17SiftCompatibility9SiftEvent")
@interface SiftEvent : NSObject
- (nonnull instancetype)init OBJC_DESIGNATED_INITIALIZER;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly) BOOL supportsSecureCoding;)
+ (BOOL)supportsSecureCoding SWIFT_WARN_UNUSED_RESULT;
- (nullable instancetype)initWithCoder:(NSCoder * _Nonnull)coder OBJC_DESIGNATED_INITIALIZER;
- (void)encodeWith:(NSCoder * _Nonnull)coder;
@property (nonatomic) uint64_t time;
@property (nonatomic, copy) NSString * _Nullable type;
@property (nonatomic, copy) NSString * _Nullable path;
@property (nonatomic, copy) NSString * _Nullable userId;
@property (nonatomic, copy) NSString * _Nullable installationId;
@property (nonatomic) BOOL isHandedOver;
- (BOOL)sanityCheck SWIFT_WARN_UNUSED_RESULT;
@end

@interface SiftEvent (SWIFT_EXTENSION(SiftCompatibility))
+ (BOOL)appendDevicePropertiesEvent:(SiftEvent * _Nullable)event;
@end

@class NSDictionary;
@class NSData;
@interface SiftEvent (SWIFT_EXTENSION(SiftCompatibility))
+ (SiftEvent * _Nonnull)eventWithType:(NSString * _Nullable)type path:(NSString * _Nullable)path fields:(NSDictionary * _Nullable)fields SWIFT_WARN_UNUSED_RESULT;
@property (nonatomic, strong) NSDictionary * _Nullable fields;
@property (nonatomic, strong) NSDictionary * _Nullable deviceProperties;
@property (nonatomic, strong) NSDictionary * _Nullable metrics;
- (BOOL)isEssentiallyEqualTo:(SiftEvent * _Nullable)event SWIFT_WARN_UNUSED_RESULT;
+ (NSData * _Nonnull)listRequest:(NSArray * _Nullable)events SWIFT_WARN_UNUSED_RESULT;
@end

SWIFT_CLASS("_TtC17SiftCompatibility24SiftIosAppStateCollector")
@interface SiftIosAppStateCollector : NSObject
- (void)requestCollectionWithTitle:(NSString * _Nullable)title;
- (void)checkAndCollectWhenNoneRecently:(uint64_t)now;
- (BOOL)canCollectLocationData SWIFT_WARN_UNUSED_RESULT;
- (BOOL)disallowCollectingLocationData SWIFT_WARN_UNUSED_RESULT;
- (BOOL)allowUsingMotionSensors SWIFT_WARN_UNUSED_RESULT;
- (void)archive;
- (void)unarchive;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

@interface SiftIosAppStateCollector (SWIFT_EXTENSION(SiftCompatibility))
- (void)collectWithTitle:(NSString * _Nullable)title andTimestamp:(uint64_t)now;
@end

@interface SiftIosAppStateCollector (SWIFT_EXTENSION(SiftCompatibility))
- (void)updateDeviceMotion:(CMDeviceMotion * _Nullable)data;
- (void)updateAccelerometerData:(CMAccelerometerData * _Nullable)data;
- (void)updateGyroData:(CMGyroData * _Nullable)data;
- (void)updateMagnetometerData:(CMMagnetometerData * _Nullable)data;
@end

SWIFT_CLASS("_TtC17SiftCompatibility32SiftIosDevicePropertiesCollector")
@interface SiftIosDevicePropertiesCollector : NSObject
- (void)collect;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

SWIFT_CLASS("_TtC17SiftCompatibility9SiftQueue")
@interface SiftQueue : NSObject
@property (nonatomic, readonly, copy) NSString * _Nonnull identifier;
@property (nonatomic, readonly) SiftQueueConfig config;
@property (nonatomic, readonly, copy) NSArray * _Nonnull queue;
@property (nonatomic, readonly, strong) SiftEvent * _Nullable lastEvent;
@property (nonatomic, readonly) uint64_t lastUploadTimestamp;
@property (nonatomic, readonly, copy) NSString * _Nonnull archivePath;
- (BOOL)append:(SiftEvent * _Nullable)event;
- (NSArray * _Nonnull)transfer;
- (BOOL)readyForUpload SWIFT_WARN_UNUSED_RESULT;
- (BOOL)requestUpload;
- (void)archive;
- (void)unarchive;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

SWIFT_CLASS("_TtC17SiftCompatibility22SiftQueueConfigBuilder")
@interface SiftQueueConfigBuilder : NSObject
@property (nonatomic, readonly) SiftQueueConfig config;
- (SiftQueueConfigBuilder * _Nonnull)withAcceptSameEventAfter:(double)acceptSameEventAfter;
- (SiftQueueConfigBuilder * _Nonnull)withUploadWhenMoreThan:(NSInteger)uploadWhenMoreThan;
- (SiftQueueConfigBuilder * _Nonnull)withUploadWhenOlderThan:(double)uploadWhenOlderThan;
- (nonnull instancetype)init OBJC_DESIGNATED_INITIALIZER;
@end

SWIFT_CLASS("_TtC17SiftCompatibility12SiftUploader")
@interface SiftUploader : NSObject
- (BOOL)upload:(NSArray * _Nullable)events;
- (BOOL)doUpload;
- (void)archive;
- (void)unarchive;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

