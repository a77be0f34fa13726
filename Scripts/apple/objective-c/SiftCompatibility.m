// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The two Objective-C samples from the Sift document, unchanged, and each call that its tables name, with the selector
// of the original client.
#import <UIKit/UIKit.h>
#import <SiftQueueConfig.h>
#if __has_include("SiftCompatibility-Swift.h")
#import "SiftCompatibility-Swift.h"
#else
@import SiftCompatibility;
#endif

void siftDocumentConfigures(void) {
Sift *sift = [Sift sharedInstance];
// At minimum, you should configure these two
[sift setAccountId:@"YOUR_ACCOUNT_ID"];
[sift setBeaconKey:@"YOUR_JAVASCRIPT_SNIPPET_KEY"];
}

static const SiftQueueConfig SFIosDevicePropertiesCollectorQueueConfig = {
.uploadWhenMoreThan = 0,
.acceptSameEventAfter = 3600 // 1 hour
};

// 4.1
void siftDocumentedCallsOfSift(Sift *sift) {
Sift *rooted = [[Sift sharedInstance] initWithRootDirPath: @"/var/sift"];
[sift setServerUrlFormat: @"https://api3.siftscience.com/v3/accounts/%@/mobile_events"];
[sift setUserId: @"somebody"];
[rooted unsetUserId];
[sift setDisallowCollectingLocationData: YES];
[sift setAllowUsingMotionSensors: YES];
[sift upload];
[sift upload: YES];
[sift addEventQueue: @"own" config: SFIosDevicePropertiesCollectorQueueConfig];
[sift collect];
[sift pause];
[sift resume];
}

// 4.2
BOOL siftDocumentedCallsOfAnEvent(Sift *sift) {
SiftEvent *event = [SiftEvent eventWithType: @"click" path: @"home" fields: @{@"key": @"value"}];
SiftEvent *other = [SiftEvent new];
other.time = event.time;
other.type = event.type;
other.path = event.path;
other.userId = @"somebody";
other.installationId = event.installationId;
other.fields = event.fields;
other.metrics = event.metrics;
NSData *request = [SiftEvent listRequest: @[event, other]];
[SiftEvent appendDevicePropertiesEvent: event];
[sift appendEvent: event toQueue: @"own"];
[sift appendEvent: event];
return request && [event isEssentiallyEqualTo: other] && [event sanityCheck];
}

// 4.3 and 4.4
BOOL siftDocumentedCallsOfAQueue(Sift *sift, SiftEvent *event) {
SiftQueueConfigBuilder *builder = [[[[SiftQueueConfigBuilder new] withAcceptSameEventAfter: 3600] withUploadWhenMoreThan: 32]
    withUploadWhenOlderThan: 60];
[sift addEventQueue: @"built" config: builder.config];
SiftQueue *queue = [sift eventQueue: @"built"];
SiftQueueConfig config = queue.config;
[queue append: event];
[queue archive];
[queue unarchive];
[queue requestUpload];
NSArray *events = [queue transfer];
[sift.uploader upload: events];
[sift.uploader doUpload];
[sift.uploader archive];
[sift.uploader unarchive];
return [queue readyForUpload] && config.uploadWhenMoreThan == 32 && queue.identifier && queue.queue && queue.lastEvent
    && queue.lastUploadTimestamp && queue.archivePath;
}

// 4.5 and 4.6
BOOL siftDocumentedCallsOfCollectors(Sift *sift, CMDeviceMotion *motion, CMAccelerometerData *acceleration, CMGyroData *rotation,
    CMMagnetometerData *field) {
[sift.devicePropertiesCollector collect];
SiftIosAppStateCollector *state = sift.appStateCollector;
[state archive];
[state unarchive];
[state updateDeviceMotion: motion];
[state updateAccelerometerData: acceleration];
[state updateGyroData: rotation];
[state updateMagnetometerData: field];
[sift updateDeviceMotion: motion];
[sift updateAccelerometerData: acceleration];
[sift updateGyroData: rotation];
[sift updateMagnetometerData: field];
[state requestCollectionWithTitle: @"Home"];
[state checkAndCollectWhenNoneRecently: 0];
[state collectWithTitle: @"Home" andTimestamp: 0];
return [state canCollectLocationData] && [state disallowCollectingLocationData] && [state allowUsingMotionSensors];
}
