// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Event detector")
struct DetectorTests {
    private let detector = Detector(clock: ManualClock())
    private let notes = Notes()

    private func event(_ trigger: Trigger, _ note: String? = nil) -> TriggerEvent {
        let notes = notes
        return TriggerEvent(trigger, on: .caller) { notes.add(note ?? $0.trigger.name) }
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

    @Test("each trigger fires only its own events", arguments: Trigger.documented + [.custom("shaken")])
    func everyTrigger(_ trigger: Trigger) {
        let others = Trigger.documented.filter { $0 != trigger } + [.custom("turned")]
        let element = FakeElement(others.map { event($0) } + [event(trigger)])
        element.isTracking = true
        #expect(track(trigger, element) == (trigger != .never))
        #expect(notes.all == (trigger == .never ? [] : [trigger.name]))
    }

    @Test(
        "nothing fires without an element, without events or with other triggers' events",
        arguments: Trigger.documented + [.custom("shaken")]
    )
    func nothing(_ trigger: Trigger) {
        let other: Trigger = trigger == .didAppear ? .didDisappear : .didAppear
        for element in [nil, FakeElement(), FakeElement([]), FakeElement([event(other)])] {
            element?.isTracking = true
            #expect(!track(trigger, element))
        }
        #expect(notes.all.isEmpty)
    }

    @Test("triggers have the documented order and names")
    func order() {
        #expect(
            Trigger.documented.map(\.name) == [
                "none", "didAppear", "didDisappear", "didEndTouch", "didBeginScroll", "didBecomeFirstResponder",
                "didResignFirstResponder", "targetAction",
            ]
        )
        #expect("\(Trigger.custom("shaken"))" == "shaken")
    }

    @Test("several events of an element fire in order, including one without an action")
    func several() {
        let element = FakeElement([event(.didAppear, "first"), event(.didAppear, "second")])
        #expect(detector.trackDisplay(for: [FakeElement(), element]))
        #expect(notes.all == ["first", "second"])
        #expect(detector.trackDisplay(for: [FakeElement([TriggerEvent(.didAppear)])]))
    }

    @Test("a touch counts if it ended inside an element that accepts touches")
    func touches() {
        let element = FakeElement([event(.didEndTouch)])
        #expect(!detector.trackEnded(withTouches: []))
        #expect(!detector.trackEnded(withTouches: [FakeTouch(nil)]))
        #expect(!detector.trackEnded(withTouches: [FakeTouch(element, hasEnded: false)]))
        #expect(!detector.trackEnded(withTouches: [FakeTouch(element, isInside: false)]))
        element.isInteractionEnabled = false
        #expect(!detector.trackEnded(withTouches: [FakeTouch(element)]))
        #expect(notes.all.isEmpty)
        element.isInteractionEnabled = true
        #expect(detector.trackEnded(withTouches: [FakeTouch(element, isInside: false), FakeTouch(element)]))
        #expect(notes.all == ["didEndTouch"])
    }

    @Test("an element without events passes touches to its cell, but one with an empty list does not")
    func cells() {
        let cell = FakeElement([event(.didEndTouch, "cell"), event(.didAppear, "cell appeared")], isCell: true)
        let content = FakeElement(in: cell)
        let label = FakeElement(in: content)
        #expect(detector.trackEnded(withTouches: [FakeTouch(label)]))
        #expect(notes.all == ["cell"])
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
        #expect(notes.all == ["cell", "cell"])
    }

    @Test("elements that contain each other are ignored")
    func circle() {
        let one = FakeElement()
        let other = FakeElement(in: one)
        one.parent = other
        #expect(!detector.trackEnded(withTouches: [FakeTouch(one)]))
    }

    @Test("an event fires once for a touch, however often it is reported, and again for the next touch")
    func oncePerTouch() {
        let element = FakeElement([event(.didEndTouch, "a"), event(.didEndTouch, "b")])
        let touch = FakeTouch(element)
        for _ in 0..<3 { #expect(detector.trackEnded(withTouches: [touch])) }
        #expect(notes.all == ["a", "b"])
        touch.timestamp = 2
        #expect(detector.trackEnded(withTouches: [touch]))
        #expect(notes.all == ["a", "b", "a", "b"])
        // New objects may reuse addresses.
        for _ in 0..<200 { #expect(detector.trackEnded(withTouches: [FakeTouch(element)])) }
        #expect(notes.all.count == 404)
    }

    @Test("scrolling counts while the user moves the content")
    func scrolling() {
        let element = FakeElement([event(.didBeginScroll)])
        #expect(!detector.trackBeganScrolling(for: element))
        element.isTracking = true
        #expect(detector.trackBeganScrolling(for: element))
    }

    @Test("events without an element are sent regardless of their trigger, and an empty list sends nothing")
    func sending() {
        #expect(!detector.send([]))
        #expect(detector.send([TriggerEvent(.never)]))
        #expect(detector.send([event(.didAppear), event(.never)]))
        #expect(notes.all == ["didAppear", "none"])
    }

    @Test("an element that nothing else retains is released after its action has run")
    func freedElement() async {
        let notes = notes
        weak var freed: FakeElement?
        do {
            let element = FakeElement([TriggerEvent(.didDisappear) { _ in notes.add("gone") }])
            freed = element
            #expect(detector.trackEndDisplaying(for: [element]))
        }
        #expect(freed != nil)
        await detector.untilDone()
        await detector.untilDone()
        #expect(notes.all == ["gone"])
        #expect(freed == nil)
    }
}
