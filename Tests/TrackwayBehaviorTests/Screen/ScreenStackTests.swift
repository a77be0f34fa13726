// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents
import TrackwayTesting

@Suite("Stacked screens")
struct ScreenStackTests {
    private func view(_ name: String) -> ScreenView {
        ScreenView(screen: RecordedContext.Screen(name: name, id: nil, uniqueID: nil), isManual: false)
    }

    private func shown(_ actions: [ScreenStack.Action]) -> [String] {
        actions.compactMap { if case .show(let view) = $0 { view.screen.name } else { nil } }
    }

    @Test("dismissing a sheet shows the screen beneath it, unless another screen appears")
    func sheet() {
        var stack = ScreenStack()
        #expect(shown(stack.appeared(1, view("Home"))) == ["Home"])
        #expect(shown(stack.appeared(2, view("Filter"))) == ["Filter"])
        #expect(stack.disappeared(2) == [.wait(number: 1)])
        #expect(shown(stack.timeCame(for: 1)) == ["Home"])
        #expect(stack.timeCame(for: 1).isEmpty)
    }

    @Test("a push that removes the old screen first does not show the screen beneath both")
    func push() {
        var stack = ScreenStack()
        _ = stack.appeared(1, view("Home"))
        _ = stack.appeared(2, view("List"))
        #expect(stack.disappeared(2) == [.wait(number: 1)])
        #expect(shown(stack.appeared(3, view("Detail"))) == ["Detail"])
        #expect(stack.timeCame(for: 1).isEmpty)
        #expect(stack.depth == 2)
    }

    @Test("a push that adds the new screen first, and the removal of a screen beneath, show nothing else")
    func modal() {
        var stack = ScreenStack()
        _ = stack.appeared(1, view("Home"))
        _ = stack.appeared(2, view("Full"))
        #expect(stack.disappeared(1).isEmpty)
        #expect(stack.disappeared(2).isEmpty)
        #expect(stack.depth == 0)
    }

    @Test("a screen that appears again moves to the top, and an unknown screen changes nothing")
    func again() {
        var stack = ScreenStack()
        _ = stack.appeared(1, view("Home"))
        _ = stack.appeared(2, view("Detail"))
        #expect(shown(stack.appeared(1, view("Home"))) == ["Home"])
        #expect(stack.depth == 2)
        #expect(stack.disappeared(7).isEmpty)
        #expect(stack.timeCame(for: 99).isEmpty)
    }

    @Test("forgotten screens are removed from the stack")
    func forgotten() {
        var stack = ScreenStack()
        _ = stack.appeared(1, view("Home"))
        _ = stack.appeared(2, view("Named"))
        stack.forget([1])
        #expect(stack.depth == 1)
        _ = stack.appeared(3, view("Sheet"))
        #expect(stack.disappeared(3) == [.wait(number: 1)])
        #expect(shown(stack.timeCame(for: 1)) == ["Named"])
        _ = stack.disappeared(2)
        // The screen that would appear after the wait is gone too.
        _ = stack.appeared(4, view("A"))
        _ = stack.appeared(5, view("B"))
        #expect(stack.disappeared(5) == [.wait(number: 2)])
        stack.forget([4])
        #expect(stack.timeCame(for: 2).isEmpty)
    }

    @Test("only the first found screen after a named one is gone is marked, whether it was beneath or newly appears")
    func namedGone() {
        var stack = ScreenStack()
        var cart = view("Cart")
        cart.isManual = true
        func ends(_ actions: [ScreenStack.Action]) -> [Bool] {
            actions.compactMap { if case .show(let view) = $0 { view.endsNamed } else { nil } }
        }
        #expect(ends(stack.appeared(1, view("Home"))) == [false])
        #expect(ends(stack.appeared(2, cart)) == [false])
        _ = stack.disappeared(2)
        #expect(ends(stack.timeCame(for: 1)) == [true])
        _ = stack.appeared(2, cart)
        _ = stack.disappeared(2)
        #expect(ends(stack.appeared(3, view("Detail"))) == [true])
        #expect(ends(stack.appeared(4, view("More"))) == [false])
        // Removing a named screen beneath others marks no screen, and a screen that is named itself is not marked.
        _ = stack.appeared(5, cart)
        _ = stack.appeared(6, view("Sheet"))
        _ = stack.disappeared(5)
        #expect(ends(stack.appeared(7, view("Next"))) == [false])
        _ = stack.appeared(8, cart)
        _ = stack.disappeared(8)
        #expect(ends(stack.appeared(9, cart)) == [false])
    }

    @Test("memory is bounded for any number of screens that appear without disappearing", arguments: 0..<5)
    func bounded(seed: Int) {
        var chance = SeededGenerator(seed: UInt64(seed))
        var stack = ScreenStack()
        for _ in 0..<5_000 {
            let id = Int.random(in: 0..<200, using: &chance)
            if Bool.random(using: &chance) {
                #expect(shown(stack.appeared(id, view("\(id)"))) == ["\(id)"])
            } else {
                _ = stack.disappeared(id)
            }
            #expect(stack.depth <= ScreenStack.maxDepth)
        }
    }

    // MARK: Named screens, reported at the beginning of a transition

    /// A report about a screen.
    private enum Step {
        case comes(Int)
        case goes(Int)
        case found(Int)
    }

    private func names(_ steps: [Step]) -> [String] {
        var stack = ScreenStack()
        var names: [String] = []
        for step in steps {
            switch step {
            case .comes(let id):
                var named = view("\(id)")
                named.isManual = true
                names += shown(stack.appeared(id, named))
            case .found(let id): names += shown(stack.appeared(id, view("\(id)")))
            case .goes(let id):
                for action in stack.disappeared(id) {
                    switch action {
                    case .show(let view): names.append(view.screen.name)
                    case .wait: break
                    }
                }
            }
        }
        return names
    }

    @Test("a named screen is shown again once the one over it is gone, in any order of reports")
    func returning() {
        #expect(names([.comes(1), .goes(1), .comes(2), .goes(2), .comes(1)]) == ["1", "2", "1"])
        #expect(names([.comes(1), .comes(2), .goes(1), .comes(1), .goes(2)]) == ["1", "2", "1"])
        #expect(names([.comes(1), .goes(1), .comes(2), .comes(1), .goes(2)]) == ["1", "2", "1"])
        #expect(names([.comes(1), .comes(2), .goes(1), .goes(2), .comes(1)]) == ["1", "2", "1"])
    }

    @Test("canceled back swipes show nothing, in any number")
    func givenUp() {
        let swipe: [Step] = [.comes(1), .goes(1)]
        #expect(names([.comes(1), .goes(1), .comes(2)] + swipe + swipe) == ["1", "2"])
        #expect(names([.comes(1), .comes(2), .goes(1)] + swipe + swipe + [.comes(1), .goes(2)]) == ["1", "2", "1"])
        #expect(names([.comes(1), .found(2), .goes(1)] + swipe + [.comes(1), .goes(2)]) == ["1", "2", "1"])
        // With three screens: a swipe back to the second, and then a pop to the first.
        #expect(
            names([
                .comes(1), .comes(2), .goes(1), .comes(3), .goes(2), .comes(2), .goes(2), .comes(1), .goes(3),
                .comes(2), .goes(1),
            ]) == ["1", "2", "3", "1", "2"]
        )
    }

    @Test("a screen found again beneath its own named content does not replace that content")
    func content() {
        #expect(names([.found(1), .comes(2), .found(1), .found(1)]) == ["1", "2"])
        #expect(names([.found(1), .comes(2), .found(3), .found(1)]) == ["1", "2", "3", "1"])
        #expect(names([.found(1), .comes(2), .goes(2), .found(1)]) == ["1", "2", "1"])
    }

    @Test("a name replaces the screen that is about to appear, the one in front, or none")
    func standing() {
        var stack = ScreenStack()
        let name = ScreenView(screen: .init(name: "M"), isManual: true)
        func found(_ id: String) -> ScreenView {
            ScreenView(screen: .init(name: id, uniqueID: id), isManual: false)
        }
        #expect(stack.named(name).standsFor == .lastFound)
        _ = stack.appeared(1, found("1"))
        #expect(stack.named(name).standsFor == .screen("1"))
        stack.willAppear(2, uniqueID: "2")
        #expect(stack.named(name).standsFor == .screen("2"))
        // Canceled.
        _ = stack.disappeared(2)
        #expect(stack.named(name).standsFor == .screen("1"))
        stack.willAppear(2, uniqueID: "2")
        stack.willAppear(3, uniqueID: "3")
        #expect(stack.named(name).standsFor == .screen("3"))
        _ = stack.appeared(3, found("3"))
        #expect(!stack.isChanging, "a transition that began earlier will not complete")
        _ = stack.disappeared(3)
        _ = stack.disappeared(1)
        #expect(stack.named(name).standsFor == .nothing)
        let known = ScreenView(screen: .init(name: "M"), isManual: true, standsFor: .screen("9"))
        #expect(stack.named(known).standsFor == .screen("9"))
    }

    @Test("a changed name applies immediately in front, and beneath another screen once that one is gone")
    func changed() {
        var stack = ScreenStack()
        var named = view("A")
        named.isManual = true
        _ = stack.appeared(1, named)
        named.screen.name = "B"
        #expect(shown(stack.changed(1, to: named)) == ["B"])
        named.attributes = ["count": 2]
        #expect(stack.changed(1, to: named).isEmpty, "attributes alone do not make another screen")
        _ = stack.appeared(2, view("Sheet"))
        named.screen.name = "C"
        #expect(stack.changed(1, to: named).isEmpty)
        #expect(stack.disappeared(2) == [.wait(number: 1)])
        let actions = stack.timeCame(for: 1)
        #expect(shown(actions) == ["C"])
        #expect(actions.contains { if case .show(let view) = $0 { view.attributes == ["count": 2] } else { false } })
        #expect(stack.changed(7, to: named).isEmpty)
    }

    @Test("each scene has its own screens, and the most recently used scene determines the current screen")
    func scenes() {
        var scenes = SceneScreens()
        func names(_ actions: [SceneScreens.Action]) -> [String] {
            actions.compactMap { if case .show(let view) = $0 { view.screen.name } else { nil } }
        }
        // The first scene is active before its activation is reported.
        #expect(names(scenes.appeared(1, view("Home"), in: 10)) == ["Home"])
        #expect(names(scenes.activated(10)) == [])
        #expect(names(scenes.appeared(2, view("Feed"), in: 20)) == [])
        #expect(names(scenes.activated(20)) == ["Feed"])
        #expect(names(scenes.appeared(3, view("Detail"), in: 10)) == [])
        #expect(names(scenes.activated(10)) == ["Detail"])
        #expect(names(scenes.activated(10)) == [])
        #expect(names(scenes.disappeared(2)) == [])
        #expect(names(scenes.appeared(4, view("Where?"))) == ["Where?"])
        #expect(names(scenes.deactivated(10)) == ["Feed"])
        #expect(names(scenes.closed(20)) == [])
        #expect(names(scenes.activated(10)) == ["Where?"])
        #expect(names(scenes.closed(99)) == [])
        scenes.forget([1, 3, 4])
        #expect(scenes.depth == 0)
    }

    @Test("memory is bounded for any number of scenes and screens")
    func boundedScenes() {
        var chance = SeededGenerator(seed: 11)
        var scenes = SceneScreens()
        for number in 0..<20_000 {
            let scene = Int.random(in: 0..<3, using: &chance)
            scenes.willAppear(number, uniqueID: "\(number)", in: scene)
            if Bool.random(using: &chance) { _ = scenes.appeared(number, view("\(number)"), in: scene) }
            if Bool.random(using: &chance) { _ = scenes.disappeared(number) }
        }
        #expect(scenes.depth <= 3 * ScreenStack.maxDepth)
    }
}
