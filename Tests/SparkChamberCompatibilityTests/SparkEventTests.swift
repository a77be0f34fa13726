// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing

@testable internal import SparkChamberCompatibility

@MainActor
@Suite("Spark events")
struct SparkEventTests {
    private let block: SparkEventActionBlock = { _ in }
    private let another: SparkEventActionBlock = { timestamp in _ = timestamp.timeIntervalSince1970 }

    @Test
    func `initializers create an identifier unless one, or nil, is given`() throws {
        let plain = SparkEvent(trigger: .didAppear, action: block)
        #expect(plain.trigger == .didAppear)
        #expect(plain.trace == nil)
        #expect(plain.identifier != nil)
        #expect(plain.action != nil)
        #expect(SparkEvent(trigger: .didAppear, action: nil).action == nil)
        let traced = SparkEvent(trigger: .didEndTouch, trace: "touched", action: nil)
        #expect(traced.trace == "touched")
        #expect(traced.identifier != nil)
        #expect(traced.identifier != plain.identifier)
        let identifier = try #require(UUID(uuidString: "A536A563-65BD-49BE-A6EC-6F3CE7AC8FBE"))
        #expect(SparkEvent(trigger: .none, trace: nil, identifier: identifier, action: nil).identifier == identifier)
        #expect(SparkEvent(trigger: .none, trace: nil, identifier: nil, action: nil).identifier == nil)
    }

    @Test
    func `every member can be changed`() throws {
        let event = SparkEvent(trigger: .didAppear, action: nil)
        event.trigger = .targetAction
        event.trace = "acted"
        event.identifier = nil
        event.action = block
        #expect((event.trigger, event.trace) == (.targetAction, "acted"))
        #expect(event.identifier == nil)
        #expect(event.action != nil)
        event.action = nil
        #expect(event.action == nil)
    }

    @Test
    func `a copy equals its original, and so does an event with equal parts where actions are objects`() throws {
        let identifier = UUID()
        let event = SparkEvent(trigger: .didAppear, trace: "seen", identifier: identifier, action: block)
        let copy = try #require(event.copy() as? SparkEvent)
        #expect(copy !== event)
        #expect(copy == event)
        #expect(copy.hash == event.hash)
        let same = SparkEvent(trigger: .didAppear, trace: "seen", identifier: identifier, action: block)
        #expect(same.hash == event.hash)
        #if canImport(ObjectiveC)
        #expect(same == event)
        #endif
        let idle = SparkEvent(trigger: .didAppear, trace: "seen", identifier: identifier, action: nil)
        #expect(idle == SparkEvent(trigger: .didAppear, trace: "seen", identifier: identifier, action: nil))
        copy.trace = "another"
        #expect(event.trace == "seen")
    }

    @Test
    func `events that differ in one part are not equal`() {
        let identifier = UUID()
        func event(
            _ trigger: SparkTriggerType,
            _ trace: String?,
            _ identifier: UUID?,
            _ action: SparkEventActionBlock?
        ) -> SparkEvent {
            SparkEvent(trigger: trigger, trace: trace, identifier: identifier, action: action)
        }
        let one = event(.didAppear, "seen", identifier, block)
        for other in [
            event(.didDisappear, "seen", identifier, block), event(.didAppear, "heard", identifier, block),
            event(.didAppear, nil, identifier, block), event(.didAppear, "seen", UUID(), block),
            event(.didAppear, "seen", nil, block),
            event(.didAppear, "seen", identifier, nil), event(.didAppear, "seen", identifier, another),
        ] {
            #expect(one != other)
            #expect(other != one)
        }
        #expect(!one.isEqual(NSObject()))
        #expect(!one.isEqual(nil))
    }

    @Test
    func `the description has a line for each part`() {
        let identifier = UUID()
        let event = SparkEvent(trigger: .didAppear, trace: "seen", identifier: identifier, action: block)
        #expect(
            event.description == "trigger: didAppear\ntrace: seen\nidentifier: \(identifier.uuidString)\naction: yes"
        )
        let bare = SparkEvent(trigger: .none, trace: nil, identifier: nil, action: nil)
        #expect(bare.description == "trigger: none\ntrace: nil\nidentifier: nil\naction: nil")
    }

    @Test
    func `sending runs the action regardless of the trigger, and succeeds without an action`() async {
        let actionLog = ActionLog()
        #expect(SparkEvent(trigger: .none) { _ in actionLog.add("ran") }.send())
        #expect(SparkEvent(trigger: .none, action: nil).send())
        await waitForActions()
        #expect(actionLog.all == ["ran"])
        #expect(!SparkDetector.send([]))
    }

    @Test(arguments: SparkTriggerType.allCases)
    func `triggers have the documented numbers and names`(_ trigger: SparkTriggerType) {
        let names = [
            "none", "didAppear", "didDisappear", "didEndTouch", "didBeginScroll", "didBecomeFirstResponder",
            "didResignFirstResponder", "targetAction",
        ]
        #expect(trigger.description == names[trigger.rawValue])
        #expect(SparkTriggerType(trigger.trackwayTrigger) == trigger)
        #expect(SparkTriggerType.allCases.filter { $0 == trigger }.count == 1)
    }

    @Test
    func `a custom trigger fires by its name, and no documented trigger fires it`() async {
        let actionLog = ActionLog()
        let event = SparkEvent(trigger: .didAppear) { _ in actionLog.add("shaken") }
        event.customTrigger = "shaken"
        #expect(event.trigger == .none)
        #expect(event.customTrigger == "shaken")
        let view = view([event])
        #expect(!SparkDetector.trackDisplay(forViews: [view]))
        #expect(!SparkDetector.track(customTrigger: "turned", forViews: [view]))
        #expect(SparkDetector.track(customTrigger: "shaken", forViews: [view]))
        await waitForActions()
        #expect(actionLog.all == ["shaken"])
        event.trigger = .didAppear
        event.customTrigger = nil
        #expect(event.trigger == .didAppear)
    }

    @Test
    func `an event with an ID fires once across all events with that ID and is retained only by its owner`() async {
        let actionLog = ActionLog()
        let id = UUID().uuidString
        weak var weakEvent: SparkEvent?
        do {
            let event = SparkEvent.once(id: id, trigger: .didAppear) { _ in actionLog.add("seen") }
            weakEvent = event
            let eventView = view([event])
            #expect(SparkDetector.trackDisplay(forViews: [eventView]))
            // Without the Objective-C runtime, values of a view may outlive it for a while.
            eventView.sparkEvents = nil
            let repeatedEvent = SparkEvent.once(id: id, trigger: .didAppear) { _ in actionLog.add("seen again") }
            #expect(!SparkDetector.trackDisplay(forViews: [view([repeatedEvent])]))
        }
        await waitForActions()
        #expect(actionLog.all == ["seen"])
        #expect(weakEvent == nil)
    }
}
