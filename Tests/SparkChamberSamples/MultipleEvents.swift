// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SparkChamberCompatibility

/// The document's sample, without an actor.
public func documentAttachesMultipleEvents(_ view: NSObject) {
let appearEvent = SparkEvent(trigger: SparkTriggerType.didAppear) {
	_ in
	sendEvent("appeared")  // Your code to send data to a tracking/analytics solution for the view event goes here.
}
		
let touchEvent = SparkEvent(trigger: SparkTriggerType.didEndTouch) {
	_ in
	sendEvent("touched")  // Your code to send data to a tracking/analytics solution for the appear event goes here.
}

view.sparkEvents = [appearEvent, touchEvent]
}

/// The same on the main actor, for example in a method of a view controller.
@MainActor
public func documentAttachesMultipleEventsOnTheMainActor(_ view: NSObject) {
let appearEvent = SparkEvent(trigger: SparkTriggerType.didAppear) {
	_ in
	sendEvent("appeared")  // Your code to send data to a tracking/analytics solution for the view event goes here.
}
		
let touchEvent = SparkEvent(trigger: SparkTriggerType.didEndTouch) {
	_ in
	sendEvent("touched")  // Your code to send data to a tracking/analytics solution for the appear event goes here.
}

view.sparkEvents = [appearEvent, touchEvent]
}
