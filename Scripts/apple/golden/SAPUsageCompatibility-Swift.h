// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@class NSString;
@class NSURL;
@class NSUUID;
@class SAPUsageReporter;
SWIFT_CLASS_NAMED("UsageObject")
@interface SAPUsage : NSObject
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull defaultTargetID;)
+ (NSString * _Nonnull)defaultTargetID SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull unattributedStorageID;)
+ (NSString * _Nonnull)unattributedStorageID SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nonnull unattributedUserID;)
+ (NSString * _Nonnull)unattributedUserID SWIFT_WARN_UNUSED_RESULT;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
+ (BOOL)configureWithFolder:(NSURL * _Nullable)folder storageID:(NSUUID * _Nullable)storageID encryptionKey:(NSString * _Nullable)encryptionKey retainLastUnattributedSession:(BOOL)retainLastUnattributedSession addSessionData:(NSString * _Nullable)applicationIdentifier error:(NSError * _Nullable * _Nullable)error;
+ (void)enableDataCollectionAddingSessionData:(NSString * _Nullable)applicationIdentifier;
+ (void)disableDataCollectionAddingSessionData:(BOOL)emitData;
+ (void)consentForUser:(NSUUID * _Nonnull)userID given:(BOOL)consent addSessionData:(NSString * _Nullable)applicationIdentifier;
+ (BOOL)hasConsentForUser:(NSUUID * _Nonnull)userID SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly) BOOL dataCollectionEnabled;)
+ (BOOL)dataCollectionEnabled SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly) BOOL userConsent;)
+ (BOOL)userConsent SWIFT_WARN_UNUSED_RESULT;
SWIFT_CLASS_PROPERTY(@property (nonatomic, class, readonly, copy) NSString * _Nullable userID;)
+ (NSString * _Nullable)userID SWIFT_WARN_UNUSED_RESULT;
+ (BOOL)outputEnabled SWIFT_WARN_UNUSED_RESULT;
+ (SAPUsageReporter * _Nonnull)reporterForTargetID:(NSString * _Nonnull)targetID injectUnattributed:(BOOL)injectUnattributed SWIFT_WARN_UNUSED_RESULT;
+ (void)unregisterReporterFromTargetID:(NSString * _Nonnull)targetID;
+ (NSArray * _Nonnull)targetIdentifiers SWIFT_WARN_UNUSED_RESULT;
+ (void)uploadToBackend:(NSURL * _Nonnull)backendURL applicationID:(NSString * _Nonnull)applicationID headers:(NSDictionary * _Nonnull)headers targetID:(NSString * _Nonnull)targetID completionHandler:(void (^ _Nonnull)(NSError * _Nullable))completionHandler;
@end

@class NSDate;
SWIFT_CLASS_NAMED("UsageReporterObject")
@interface SAPUsageReporter : NSObject
@property (nonatomic) BOOL enabled;
- (void)reportSessionStartOfApplication:(NSString * _Nonnull)applicationIdentifier version:(NSString * _Nullable)applicationVersion;
- (void)reportSessionEnd;
- (void)reportEvent:(NSString * _Nonnull)name date:(NSDate * _Nullable)date info:(NSDictionary * _Nullable)info;
- (nonnull instancetype)init SWIFT_UNAVAILABLE;
+ (nonnull instancetype)new SWIFT_UNAVAILABLE_MSG("-init is unavailable");
@end

