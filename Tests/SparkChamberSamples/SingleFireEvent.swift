// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SparkChamberCompatibility

/// The document's sample, without an actor.
public func documentFiresASingleTime(_ view: NSObject) {
let event = SparkEvent(trigger: SparkTriggerType.didAppear, action: nil)
event.action = {
	_ in
	sendEvent("appeared once")  // Your code to send data to a tracking/analytics solution for the touch event goes here.
	
	event.trigger = SparkTriggerType.none
}

view.sparkEvents = [event]
}

/// The same on the main actor, for example in a method of a view controller.
@MainActor
public func documentFiresASingleTimeOnTheMainActor(_ view: NSObject) {
let event = SparkEvent(trigger: SparkTriggerType.didAppear, action: nil)
event.action = {
	_ in
	sendEvent("appeared once")  // Your code to send data to a tracking/analytics solution for the touch event goes here.
	
	event.trigger = SparkTriggerType.none
}

view.sparkEvents = [event]
}
