// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The Objective-C samples from the SparkChamber document, unchanged except for a bracket that five calls lack, and each
// declaration of its detector as a call. AS_WRITTEN leaves out the first bracket.
#import <UIKit/UIKit.h>
#if __has_include("SparkChamberCompatibility-Swift.h")
#import "SparkChamberCompatibility-Swift.h"
#else
@import SparkChamberCompatibility;
#endif

#ifdef AS_WRITTEN
#define END };
#else
#define END }];
#endif

void sparkDocumentAttachesASingleEvent(UIView *view) {
SparkEvent* event = [[SparkEvent alloc] initWithTrigger: SparkTriggerTypeDidAppear
												 action: ^(NSDate* _Nonnull timestamp)
{
	// Your code to send data to a tracking/analytics solution goes here.
END

view.sparkEvents = @[event];
}

void sparkDocumentAttachesMultipleEvents(UIView *view) {
SparkEvent* appearEvent = [[SparkEvent alloc] initWithTrigger: SparkTriggerTypeDidAppear
													   action: ^(NSDate* _Nonnull timestamp)
{
	// Your code to send data to a tracking/analytics solution for the view event goes here.
}];

SparkEvent* touchEvent = [[SparkEvent alloc] initWithTrigger: SparkTriggerTypeDidEndTouch
													  action: ^(NSDate* _Nonnull timestamp)
{
	// Your code to send data to a tracking/analytics solution for the appear event goes here.
}];

view.sparkEvents = @[appearEvent, touchEvent];
}

void sparkDocumentFiresASingleTime(UIView *view) {
__block SparkEvent* event = [[SparkEvent alloc] initWithTrigger: SparkTriggerTypeDidAppear
														 action: nil];

__weak SparkEvent* weakEvent = event;														 
event.action = ^(NSDate* _Nonnull timestamp)
{
	// Your code to send data to a tracking/analytics solution for the touch event goes here.
	
	weakEvent.trigger = SparkTriggerTypeNone;
};

view.sparkEvents = @[event];
}

void sparkDocumentMeasuresViewingTime(UIView *view) {
__block NSDate* startTime;

SparkEvent* appearEvent = [[SparkEvent alloc] initWithTrigger: SparkTriggerTypeDidAppear
													   action: ^(NSDate* _Nonnull timestamp)
{
	startTime = timestamp;
}];

SparkEvent* disappearEvent = [[SparkEvent alloc] initWithTrigger: SparkTriggerTypeDidDisappear
														  action: ^(NSDate* _Nonnull timestamp)
{
	NSLog(@"Time on screen: %f", [timestamp timeIntervalSinceDate:startTime]);
}];

view.sparkEvents = @[appearEvent, disappearEvent];
}

BOOL sparkDocumentedCalls(NSArray<__kindof UIView *>* views, NSSet* touches, UIScrollView* scroll, UIView* view) {
return [SparkDetector trackDisplayForViews: views] && [SparkDetector trackEndDisplayingForViews: views]
	&& [SparkDetector trackEndedWithTouches: touches] && [SparkDetector trackBeganScrollingForScrollView: scroll]
	&& [SparkDetector trackBecameFirstResponderForView: view] && [SparkDetector trackResignedFirstResponderForView: view]
	&& [SparkDetector trackTargetActionForView: view];
}

NSArray* sparkDocumentedTriggersAndClasses(void) {
_Static_assert(SparkTriggerTypeNone == 0 && SparkTriggerTypeDidAppear == 1 && SparkTriggerTypeDidDisappear == 2
	&& SparkTriggerTypeDidEndTouch == 3 && SparkTriggerTypeDidBeginScroll == 4 && SparkTriggerTypeDidBecomeFirstResponder == 5
	&& SparkTriggerTypeDidResignFirstResponder == 6 && SparkTriggerTypeTargetAction == 7, "the documented order");
SparkEvent* event = [[SparkEvent alloc] initWithTrigger: SparkTriggerTypeTargetAction trace: @"acted" identifier: [NSUUID UUID] action: nil];
event.identifier = nil;
event.trace = @"acted again";
SparkDetector.tracksApplicationTouches = YES;
return @[[SparkButton new], [SparkTableViewCell new], [SparkCollectionViewCell new], [SparkViewController new], event];
}
