// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// swift-format-ignore-file

import SparkChamberCompatibility

/// The document's sample, where nothing is said of an actor.
public func documentAttachesASingleEvent(_ view: NSObject) {
let event = SparkEvent(trigger: SparkTriggerType.didAppear) {
	_ in
	sent("appeared")  // Your code to send data to a tracking/analytics solution goes here.
}

view.sparkEvents = [event]
}

/// The same in a method of a view controller, say.
@MainActor
public func documentAttachesASingleEventOnTheMainActor(_ view: NSObject) {
let event = SparkEvent(trigger: SparkTriggerType.didAppear) {
	_ in
	sent("appeared")  // Your code to send data to a tracking/analytics solution goes here.
}

view.sparkEvents = [event]
}
