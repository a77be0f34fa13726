// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The SAP document lists its declarations only in Swift. These are its samples and calls, as far as Objective-C can
// represent them, with the corresponding classes.
#import <UIKit/UIKit.h>
#if __has_include("SAPUsageCompatibility-Swift.h")
#import "SAPUsageCompatibility-Swift.h"
#else
@import SAPUsageCompatibility;
#endif

// "Configuration"
BOOL usageDocumentConfigures(NSUUID *person) {
NSError *error = nil;
return [SAPUsage configureWithFolder: nil storageID: person encryptionKey: nil retainLastUnattributedSession: NO
                      addSessionData: nil error: &error];
}

// "Event reporting using flexible reporter"
void usageDocumentReports(void) {
SAPUsageReporter *reporter = [SAPUsage reporterForTargetID: SAPUsage.defaultTargetID injectUnattributed: YES];
[reporter reportSessionStartOfApplication: @"com.example.shop" version: @"1.0"];
[reporter reportEvent: @"SomeCustomEvent" date: nil info: nil];
[reporter reportEvent: @"SomeCustomEvent" date: [NSDate date] info: @{@"MyCustomKey": @"MyCustomData"}];
[reporter reportSessionEnd];
reporter.enabled = NO;
}

// "Usage": each declaration that Objective-C can represent.
NSArray *usageDocumentedCalls(NSUUID *person, NSURL *backend) {
[SAPUsage enableDataCollectionAddingSessionData: @"com.example.shop"];
[SAPUsage disableDataCollectionAddingSessionData: NO];
[SAPUsage consentForUser: person given: YES addSessionData: nil];
[SAPUsage unregisterReporterFromTargetID: @"myTarget"];
[SAPUsage uploadToBackend: backend applicationID: @"com.example.shop" headers: @{@"Authorization": @"Bearer 1"}
                 targetID: SAPUsage.defaultTargetID completionHandler: ^(NSError *error) {
    NSLog(@"%@", error.localizedDescription);
}];
BOOL may = [SAPUsage hasConsentForUser: person] && SAPUsage.dataCollectionEnabled && SAPUsage.userConsent
    && [SAPUsage outputEnabled];
return @[
    @(may), SAPUsage.unattributedStorageID, SAPUsage.unattributedUserID, SAPUsage.userID, @([SAPUsage targetIdentifiers] != nil)
];
}
