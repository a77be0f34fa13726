// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Which events fire")
struct DetectorTests {
    private let detector = Detector(clock: ManualClock())
    private let notes = Notes()

    private func event(_ trigger: Trigger, _ note: String? = nil) -> TriggerEvent {
        let notes = notes
        return TriggerEvent(trigger, on: .caller) { notes.add(note ?? $0.trigger.name) }
    }

    /// Each of the detector's calls that takes any element, by its trigger.
    private func track(_ trigger: Trigger, _ element: PlayedElement?) -> Bool {
        switch trigger {
        case .didAppear: detector.trackDisplay(for: element.map { [$0] } ?? [])
        case .didDisappear: detector.trackEndDisplaying(for: element.map { [$0] } ?? [])
        case .didEndTouch: detector.trackEnded(withTouches: [PlayedTouch(element)])
        case .didBeginScroll:
            detector.trackBeganScrolling(for: element)
        case .didBecomeFirstResponder: detector.trackBecameFirstResponder(for: element)
        case .didResignFirstResponder: detector.trackResignedFirstResponder(for: element)
        case .targetAction: detector.trackTargetAction(for: element)
        case .never, .custom: detector.track(trigger, for: element)
        }
    }

    @Test("every trigger fires its events, and those alone", arguments: Trigger.documented + [.custom("shaken")])
    func everyTrigger(_ trigger: Trigger) {
        let others = Trigger.documented.filter { $0 != trigger } + [.custom("turned")]
        let element = PlayedElement(others.map { event($0) } + [event(trigger)])
        element.isTracking = true
        #expect(track(trigger, element) == (trigger != .never))
        #expect(notes.all == (trigger == .never ? [] : [trigger.name]))
    }

    @Test(
        "without an element, without events, with none and with others nothing fires",
        arguments: Trigger.documented + [.custom("shaken")]
    )
    func nothing(_ trigger: Trigger) {
        let other: Trigger = trigger == .didAppear ? .didDisappear : .didAppear
        for element in [nil, PlayedElement(), PlayedElement([]), PlayedElement([event(other)])] {
            element?.isTracking = true
            #expect(!track(trigger, element))
        }
        #expect(notes.all.isEmpty)
    }

    @Test("the documented order, and names as they are spelled")
    func order() {
        #expect(
            Trigger.documented.map(\.name) == [
                "none", "didAppear", "didDisappear", "didEndTouch", "didBeginScroll", "didBecomeFirstResponder",
                "didResignFirstResponder", "targetAction",
            ]
        )
        #expect("\(Trigger.custom("shaken"))" == "shaken")
    }

    @Test("several events of an element fire in their order, one without an action too")
    func several() {
        let element = PlayedElement([event(.didAppear, "first"), event(.didAppear, "second")])
        #expect(detector.trackDisplay(for: [PlayedElement(), element]))
        #expect(notes.all == ["first", "second"])
        #expect(detector.trackDisplay(for: [PlayedElement([TriggerEvent(.didAppear)])]))
    }

    @Test("a touch counts when it ended inside an element that takes touches")
    func touches() {
        let element = PlayedElement([event(.didEndTouch)])
        #expect(!detector.trackEnded(withTouches: []))
        #expect(!detector.trackEnded(withTouches: [PlayedTouch(nil)]))
        #expect(!detector.trackEnded(withTouches: [PlayedTouch(element, hasEnded: false)]))
        #expect(!detector.trackEnded(withTouches: [PlayedTouch(element, isInside: false)]))
        element.isInteractionEnabled = false
        #expect(!detector.trackEnded(withTouches: [PlayedTouch(element)]))
        #expect(notes.all.isEmpty)
        element.isInteractionEnabled = true
        #expect(detector.trackEnded(withTouches: [PlayedTouch(element, isInside: false), PlayedTouch(element)]))
        #expect(notes.all == ["didEndTouch"])
    }

    @Test("an element without events leaves touches to its cell; one with any, even none at all, does not")
    func cells() {
        let cell = PlayedElement([event(.didEndTouch, "cell"), event(.didAppear, "cell appeared")], isCell: true)
        let content = PlayedElement(in: cell)
        let label = PlayedElement(in: content)
        #expect(detector.trackEnded(withTouches: [PlayedTouch(label)]))
        #expect(notes.all == ["cell"])
        #expect(!detector.trackDisplay(for: [label]))
        content.triggerEvents = []
        // What lies between does not matter, only what was touched.
        #expect(detector.trackEnded(withTouches: [PlayedTouch(label)]))
        label.triggerEvents = []
        #expect(!detector.trackEnded(withTouches: [PlayedTouch(label)]))
        label.triggerEvents = [event(.didAppear)]
        #expect(!detector.trackEnded(withTouches: [PlayedTouch(label)]))
        // The innermost cell answers, whatever it has.
        let inner = PlayedElement(in: cell, isCell: true)
        #expect(!detector.trackEnded(withTouches: [PlayedTouch(PlayedElement(in: inner))]))
        #expect(notes.all == ["cell", "cell"])
    }

    @Test("elements that contain each other are left alone")
    func circle() {
        let one = PlayedElement()
        let other = PlayedElement(in: one)
        one.parent = other
        #expect(!detector.trackEnded(withTouches: [PlayedTouch(one)]))
    }

    @Test("an event fires once for a touch, however many tell of it; another touch of the same object is another")
    func oncePerTouch() {
        let element = PlayedElement([event(.didEndTouch, "a"), event(.didEndTouch, "b")])
        let touch = PlayedTouch(element)
        for _ in 0..<3 { #expect(detector.trackEnded(withTouches: [touch])) }
        #expect(notes.all == ["a", "b"])
        touch.timestamp = 2
        #expect(detector.trackEnded(withTouches: [touch]))
        #expect(notes.all == ["a", "b", "a", "b"])
        // Fresh objects may lie where others lay.
        for _ in 0..<200 { #expect(detector.trackEnded(withTouches: [PlayedTouch(element)])) }
        #expect(notes.all.count == 404)
    }

    @Test("scrolling counts while the user moves the content")
    func scrolling() {
        let element = PlayedElement([event(.didBeginScroll)])
        #expect(!detector.trackBeganScrolling(for: element))
        element.isTracking = true
        #expect(detector.trackBeganScrolling(for: element))
    }

    @Test("events without an element are sent whatever their trigger; no events send nothing")
    func sending() {
        #expect(!detector.send([]))
        #expect(detector.send([TriggerEvent(.never)]))
        #expect(detector.send([event(.didAppear), event(.never)]))
        #expect(notes.all == ["didAppear", "none"])
    }

    @Test("an element that nothing else keeps is there until its action ran, and then ends")
    func freedElement() async {
        let notes = notes
        weak var freed: PlayedElement?
        do {
            let element = PlayedElement([TriggerEvent(.didDisappear) { _ in notes.add("gone") }])
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
