// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Event detector")
struct DetectorTests {
    private let detector = Detector(clock: ManualClock())
    private let actionLog = ActionLog()

    private func event(_ trigger: Trigger, _ note: String? = nil) -> TriggerEvent {
        let actionLog = actionLog
        return TriggerEvent(trigger, on: .caller) { actionLog.add(note ?? $0.trigger.name) }
    }

    /// Calls the detector's method for the trigger with an element.
    private func track(_ trigger: Trigger, _ element: FakeElement?) -> Bool {
        switch trigger {
        case .didAppear: detector.trackDisplay(for: element.map { [$0] } ?? [])
        case .didDisappear: detector.trackEndDisplaying(for: element.map { [$0] } ?? [])
        case .didEndTouch: detector.trackEnded(withTouches: [FakeTouch(element)])
        case .didBeginScroll:
            detector.trackBeganScrolling(for: element)
        case .didBecomeFirstResponder: detector.trackBecameFirstResponder(for: element)
        case .didResignFirstResponder: detector.trackResignedFirstResponder(for: element)
        case .targetAction: detector.trackTargetAction(for: element)
        case .never, .custom: detector.track(trigger, for: element)
        }
    }

    @Test(arguments: Trigger.builtIn + [.custom("shaken")])
    func `each trigger fires only its own events`(_ trigger: Trigger) {
        let otherTriggers = Trigger.builtIn.filter { $0 != trigger } + [.custom("turned")]
        let element = FakeElement(otherTriggers.map { event($0) } + [event(trigger)])
        element.isTracking = true
        #expect(track(trigger, element) == (trigger != .never))
        #expect(actionLog.all == (trigger == .never ? [] : [trigger.name]))
    }

    @Test(arguments: Trigger.builtIn + [.custom("shaken")])
    func `nothing fires without an element, without events or with other triggers' events`(_ trigger: Trigger) {
        let other: Trigger = trigger == .didAppear ? .didDisappear : .didAppear
        for element in [nil, FakeElement(), FakeElement([]), FakeElement([event(other)])] {
            element?.isTracking = true
            #expect(!track(trigger, element))
        }
        #expect(actionLog.all.isEmpty)
    }

    @Test
    func `triggers have the documented order and names`() {
        #expect(
            Trigger.builtIn.map(\.name) == [
                "none", "didAppear", "didDisappear", "didEndTouch", "didBeginScroll", "didBecomeFirstResponder",
                "didResignFirstResponder", "targetAction",
            ]
        )
        #expect("\(Trigger.custom("shaken"))" == "shaken")
    }

    @Test
    func `several events of an element fire in order, including one without an action`() {
        let element = FakeElement([event(.didAppear, "first"), event(.didAppear, "second")])
        #expect(detector.trackDisplay(for: [FakeElement(), element]))
        #expect(actionLog.all == ["first", "second"])
        #expect(detector.trackDisplay(for: [FakeElement([TriggerEvent(.didAppear)])]))
    }

    @Test
    func `a touch counts if it ended inside an element that accepts touches`() {
        let element = FakeElement([event(.didEndTouch)])
        #expect(!detector.trackEnded(withTouches: []))
        #expect(!detector.trackEnded(withTouches: [FakeTouch(nil)]))
        #expect(!detector.trackEnded(withTouches: [FakeTouch(element, hasEnded: false)]))
        #expect(!detector.trackEnded(withTouches: [FakeTouch(element, isInside: false)]))
        element.isInteractionEnabled = false
        #expect(!detector.trackEnded(withTouches: [FakeTouch(element)]))
        #expect(actionLog.all.isEmpty)
        element.isInteractionEnabled = true
        #expect(detector.trackEnded(withTouches: [FakeTouch(element, isInside: false), FakeTouch(element)]))
        #expect(actionLog.all == ["didEndTouch"])
    }

    @Test
    func `an element without events passes touches to its cell, but one with an empty list does not`() {
        let cell = FakeElement([event(.didEndTouch, "cell"), event(.didAppear, "cell appeared")], isCell: true)
        let content = FakeElement(in: cell)
        let label = FakeElement(in: content)
        #expect(detector.trackEnded(withTouches: [FakeTouch(label)]))
        #expect(actionLog.all == ["cell"])
        #expect(!detector.trackDisplay(for: [label]))
        content.triggerEvents = []
        // Only the touched element matters, not those between it and the cell.
        #expect(detector.trackEnded(withTouches: [FakeTouch(label)]))
        label.triggerEvents = []
        #expect(!detector.trackEnded(withTouches: [FakeTouch(label)]))
        label.triggerEvents = [event(.didAppear)]
        #expect(!detector.trackEnded(withTouches: [FakeTouch(label)]))
        // The innermost cell decides, no matter which events it has.
        let inner = FakeElement(in: cell, isCell: true)
        #expect(!detector.trackEnded(withTouches: [FakeTouch(FakeElement(in: inner))]))
        #expect(actionLog.all == ["cell", "cell"])
    }

    @Test
    func `elements that contain each other are ignored`() {
        let one = FakeElement()
        let other = FakeElement(in: one)
        one.parent = other
        #expect(!detector.trackEnded(withTouches: [FakeTouch(one)]))
    }

    @Test
    func `an event fires once for a touch, however often it is reported, and again for the next touch`() {
        let element = FakeElement([event(.didEndTouch, "a"), event(.didEndTouch, "b")])
        let touch = FakeTouch(element)
        for _ in 0..<3 { #expect(detector.trackEnded(withTouches: [touch])) }
        #expect(actionLog.all == ["a", "b"])
        touch.timestamp = 2
        #expect(detector.trackEnded(withTouches: [touch]))
        #expect(actionLog.all == ["a", "b", "a", "b"])
        // New objects may reuse addresses.
        for _ in 0..<200 { #expect(detector.trackEnded(withTouches: [FakeTouch(element)])) }
        #expect(actionLog.all.count == 404)
    }

    @Test
    func `scrolling counts while the user moves the content`() {
        let element = FakeElement([event(.didBeginScroll)])
        #expect(!detector.trackBeganScrolling(for: element))
        element.isTracking = true
        #expect(detector.trackBeganScrolling(for: element))
    }

    @Test
    func `events without an element are sent regardless of their trigger, and an empty list sends nothing`() {
        #expect(!detector.send([]))
        #expect(detector.send([TriggerEvent(.never)]))
        #expect(detector.send([event(.didAppear), event(.never)]))
        #expect(actionLog.all == ["didAppear", "none"])
    }

    @Test
    func `an element that nothing else retains is released after its action has run`() async {
        let actionLog = actionLog
        weak var freed: FakeElement?
        do {
            let element = FakeElement([TriggerEvent(.didDisappear) { _ in actionLog.add("gone") }])
            freed = element
            #expect(detector.trackEndDisplaying(for: [element]))
        }
        #expect(freed != nil)
        await detector.waitForActions()
        await detector.waitForActions()
        #expect(actionLog.all == ["gone"])
        #expect(freed == nil)
    }
}
