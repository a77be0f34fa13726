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

    @Test("initializers create an identifier unless one, or nil, is given")
    func initialisers() throws {
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

    @Test("every member can be changed")
    func members() throws {
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

    @Test("a copy equals its original, and so do equal parts where actions are objects")
    func equality() throws {
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

    @Test("events that differ in one part are not equal")
    func inequality() {
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

    @Test("the description has a line for each part")
    func texts() {
        let identifier = UUID()
        let event = SparkEvent(trigger: .didAppear, trace: "seen", identifier: identifier, action: block)
        #expect(
            event.description == "trigger: didAppear\ntrace: seen\nidentifier: \(identifier.uuidString)\naction: yes"
        )
        let bare = SparkEvent(trigger: .none, trace: nil, identifier: nil, action: nil)
        #expect(bare.description == "trigger: none\ntrace: nil\nidentifier: nil\naction: nil")
    }

    @Test("sending runs the action regardless of the trigger, and succeeds without an action")
    func sending() async {
        let notes = Notes()
        #expect(SparkEvent(trigger: .none) { _ in notes.add("ran") }.send())
        #expect(SparkEvent(trigger: .none, action: nil).send())
        await untilDone()
        #expect(notes.all == ["ran"])
        #expect(!SparkDetector.send([]))
    }

    @Test("triggers have the documented numbers and names", arguments: SparkTriggerType.allCases)
    func triggers(_ trigger: SparkTriggerType) {
        let names = [
            "none", "didAppear", "didDisappear", "didEndTouch", "didBeginScroll", "didBecomeFirstResponder",
            "didResignFirstResponder", "targetAction",
        ]
        #expect(trigger.description == names[trigger.rawValue])
        #expect(SparkTriggerType(trigger.native) == trigger)
        #expect(SparkTriggerType.allCases.filter { $0 == trigger }.count == 1)
    }

    @Test("a custom trigger fires by its name, and no documented trigger fires it")
    func customTrigger() async {
        let notes = Notes()
        let event = SparkEvent(trigger: .didAppear) { _ in notes.add("shaken") }
        event.customTrigger = "shaken"
        #expect(event.trigger == .none)
        #expect(event.customTrigger == "shaken")
        let view = view([event])
        #expect(!SparkDetector.trackDisplay(forViews: [view]))
        #expect(!SparkDetector.track(customTrigger: "turned", forViews: [view]))
        #expect(SparkDetector.track(customTrigger: "shaken", forViews: [view]))
        await untilDone()
        #expect(notes.all == ["shaken"])
        event.trigger = .didAppear
        event.customTrigger = nil
        #expect(event.trigger == .didAppear)
    }

    @Test("an event with an ID fires once across all such events and is retained only by its owner")
    func once() async {
        let notes = Notes()
        let id = UUID().uuidString
        weak var made: SparkEvent?
        do {
            let event = SparkEvent.once(id: id, trigger: .didAppear) { _ in notes.add("seen") }
            made = event
            let shown = view([event])
            #expect(SparkDetector.trackDisplay(forViews: [shown]))
            // Without the Objective-C runtime, values of a view may outlive it for a while.
            shown.sparkEvents = nil
            let again = SparkEvent.once(id: id, trigger: .didAppear) { _ in notes.add("seen again") }
            #expect(!SparkDetector.trackDisplay(forViews: [view([again])]))
        }
        await untilDone()
        #expect(notes.all == ["seen"])
        #expect(made == nil)
    }
}
