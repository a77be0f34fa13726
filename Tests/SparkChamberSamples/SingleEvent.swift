// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SparkChamberCompatibility

/// The document's sample, without an actor.
public func documentAttachesASingleEvent(_ view: NSObject) {
let event = SparkEvent(trigger: SparkTriggerType.didAppear) {
	_ in
	sendEvent("appeared")  // Your code to send data to a tracking/analytics solution goes here.
}

view.sparkEvents = [event]
}

/// The same on the main actor, for example in a method of a view controller.
@MainActor
public func documentAttachesASingleEventOnTheMainActor(_ view: NSObject) {
let event = SparkEvent(trigger: SparkTriggerType.didAppear) {
	_ in
	sendEvent("appeared")  // Your code to send data to a tracking/analytics solution goes here.
}

view.sparkEvents = [event]
}
