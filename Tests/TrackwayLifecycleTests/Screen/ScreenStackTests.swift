// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Stacked screens")
struct ScreenStackTests {
    private func view(_ name: String) -> ScreenView {
        ScreenView(screen: RecordedContext.Screen(name: name, id: nil, uniqueID: nil), isManual: false)
    }

    private func shown(_ actions: [ScreenStack.Action]) -> [String] {
        actions.compactMap { if case .show(let view) = $0 { view.screen.name } else { nil } }
    }

    @Test
    func `dismissing a sheet shows the screen beneath it, unless another screen appears`() {
        var stack = ScreenStack()
        #expect(shown(stack.screenAppeared(1, view("Home"))) == ["Home"])
        #expect(shown(stack.screenAppeared(2, view("Filter"))) == ["Filter"])
        #expect(stack.screenDisappeared(2) == [.wait(number: 1)])
        #expect(shown(stack.timerFired(for: 1)) == ["Home"])
        #expect(stack.timerFired(for: 1).isEmpty)
    }

    @Test
    func `a push that removes the old screen first does not show the screen beneath both`() {
        var stack = ScreenStack()
        _ = stack.screenAppeared(1, view("Home"))
        _ = stack.screenAppeared(2, view("List"))
        #expect(stack.screenDisappeared(2) == [.wait(number: 1)])
        #expect(shown(stack.screenAppeared(3, view("Detail"))) == ["Detail"])
        #expect(stack.timerFired(for: 1).isEmpty)
        #expect(stack.depth == 2)
    }

    @Test
    func `a push that adds the new screen first, and the removal of a screen beneath, show nothing else`() {
        var stack = ScreenStack()
        _ = stack.screenAppeared(1, view("Home"))
        _ = stack.screenAppeared(2, view("Full"))
        #expect(stack.screenDisappeared(1).isEmpty)
        #expect(stack.screenDisappeared(2).isEmpty)
        #expect(stack.depth == 0)
    }

    @Test
    func `a screen that appears again moves to the top, and an unknown screen changes nothing`() {
        var stack = ScreenStack()
        _ = stack.screenAppeared(1, view("Home"))
        _ = stack.screenAppeared(2, view("Detail"))
        #expect(shown(stack.screenAppeared(1, view("Home"))) == ["Home"])
        #expect(stack.depth == 2)
        #expect(stack.screenDisappeared(7).isEmpty)
        #expect(stack.timerFired(for: 99).isEmpty)
    }

    @Test
    func `forgotten screens are removed from the stack`() {
        var stack = ScreenStack()
        _ = stack.screenAppeared(1, view("Home"))
        _ = stack.screenAppeared(2, view("Named"))
        stack.forget([1])
        #expect(stack.depth == 1)
        _ = stack.screenAppeared(3, view("Sheet"))
        #expect(stack.screenDisappeared(3) == [.wait(number: 1)])
        #expect(shown(stack.timerFired(for: 1)) == ["Named"])
        _ = stack.screenDisappeared(2)
        // A screen that would be shown when the wait ends is removed, too.
        _ = stack.screenAppeared(4, view("A"))
        _ = stack.screenAppeared(5, view("B"))
        #expect(stack.screenDisappeared(5) == [.wait(number: 2)])
        stack.forget([4])
        #expect(stack.timerFired(for: 2).isEmpty)
    }

    @Test
    func `only the first found screen after a named one is gone is marked, whether it was beneath or newly appears`() {
        var stack = ScreenStack()
        var cart = view("Cart")
        cart.isManual = true
        func ends(_ actions: [ScreenStack.Action]) -> [Bool] {
            actions.compactMap { if case .show(let view) = $0 { view.endsNamedScreen } else { nil } }
        }
        #expect(ends(stack.screenAppeared(1, view("Home"))) == [false])
        #expect(ends(stack.screenAppeared(2, cart)) == [false])
        _ = stack.screenDisappeared(2)
        #expect(ends(stack.timerFired(for: 1)) == [true])
        _ = stack.screenAppeared(2, cart)
        _ = stack.screenDisappeared(2)
        #expect(ends(stack.screenAppeared(3, view("Detail"))) == [true])
        #expect(ends(stack.screenAppeared(4, view("More"))) == [false])
        // Removing a named screen beneath others marks no screen, and a screen that is named itself is not marked.
        _ = stack.screenAppeared(5, cart)
        _ = stack.screenAppeared(6, view("Sheet"))
        _ = stack.screenDisappeared(5)
        #expect(ends(stack.screenAppeared(7, view("Next"))) == [false])
        _ = stack.screenAppeared(8, cart)
        _ = stack.screenDisappeared(8)
        #expect(ends(stack.screenAppeared(9, cart)) == [false])
    }

    @Test(arguments: 0..<5)
    func `memory is bounded for any number of screens that appear without disappearing`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var stack = ScreenStack()
        for _ in 0..<5_000 {
            let id = Int.random(in: 0..<200, using: &generator)
            if Bool.random(using: &generator) {
                #expect(shown(stack.screenAppeared(id, view("\(id)"))) == ["\(id)"])
            } else {
                _ = stack.screenDisappeared(id)
            }
            #expect(stack.depth <= ScreenStack.maxDepth)
        }
    }

    // MARK: Named screens, reported at the beginning of a transition

    /// A report about a screen.
    private enum Step {
        case appears(Int)
        case disappears(Int)
        case found(Int)
    }

    private func names(_ steps: [Step]) -> [String] {
        var stack = ScreenStack()
        var names: [String] = []
        for step in steps {
            switch step {
            case .appears(let id):
                var named = view("\(id)")
                named.isManual = true
                names += shown(stack.screenAppeared(id, named))
            case .found(let id): names += shown(stack.screenAppeared(id, view("\(id)")))
            case .disappears(let id):
                for action in stack.screenDisappeared(id) {
                    switch action {
                    case .show(let view): names.append(view.screen.name)
                    case .wait: break
                    }
                }
            }
        }
        return names
    }

    @Test
    func `a named screen is shown again once the one over it is gone, in any order of reports`() {
        #expect(names([.appears(1), .disappears(1), .appears(2), .disappears(2), .appears(1)]) == ["1", "2", "1"])
        #expect(names([.appears(1), .appears(2), .disappears(1), .appears(1), .disappears(2)]) == ["1", "2", "1"])
        #expect(names([.appears(1), .disappears(1), .appears(2), .appears(1), .disappears(2)]) == ["1", "2", "1"])
        #expect(names([.appears(1), .appears(2), .disappears(1), .disappears(2), .appears(1)]) == ["1", "2", "1"])
    }

    @Test
    func `canceled back swipes show nothing, however many there are`() {
        let swipe: [Step] = [.appears(1), .disappears(1)]
        #expect(names([.appears(1), .disappears(1), .appears(2)] + swipe + swipe) == ["1", "2"])
        #expect(
            names([.appears(1), .appears(2), .disappears(1)] + swipe + swipe + [.appears(1), .disappears(2)]) == [
                "1", "2", "1",
            ]
        )
        #expect(
            names([.appears(1), .found(2), .disappears(1)] + swipe + [.appears(1), .disappears(2)]) == ["1", "2", "1"]
        )
        // With three screens: a swipe back to the second, and then a pop to the first.
        #expect(
            names([
                .appears(1), .appears(2), .disappears(1), .appears(3), .disappears(2), .appears(2), .disappears(2),
                .appears(1), .disappears(3),
                .appears(2), .disappears(1),
            ]) == ["1", "2", "3", "1", "2"]
        )
    }

    @Test
    func `a screen found again beneath its own named content does not replace that content`() {
        #expect(names([.found(1), .appears(2), .found(1), .found(1)]) == ["1", "2"])
        #expect(names([.found(1), .appears(2), .found(3), .found(1)]) == ["1", "2", "3", "1"])
        #expect(names([.found(1), .appears(2), .disappears(2), .found(1)]) == ["1", "2", "1"])
    }

    @Test
    func `a name replaces the screen that is about to appear, the one in front, or none`() {
        var stack = ScreenStack()
        let name = ScreenView(screen: .init(name: "M"), isManual: true)
        func found(_ id: String) -> ScreenView {
            ScreenView(screen: .init(name: id, uniqueID: id), isManual: false)
        }
        #expect(stack.screenNamed(name).standsFor == .lastFound)
        _ = stack.screenAppeared(1, found("1"))
        #expect(stack.screenNamed(name).standsFor == .screen("1"))
        stack.willAppear(2, uniqueID: "2")
        #expect(stack.screenNamed(name).standsFor == .screen("2"))
        // The transition is canceled.
        _ = stack.screenDisappeared(2)
        #expect(stack.screenNamed(name).standsFor == .screen("1"))
        stack.willAppear(2, uniqueID: "2")
        stack.willAppear(3, uniqueID: "3")
        #expect(stack.screenNamed(name).standsFor == .screen("3"))
        _ = stack.screenAppeared(3, found("3"))
        #expect(!stack.isChanging, "a transition that began earlier will not complete")
        _ = stack.screenDisappeared(3)
        _ = stack.screenDisappeared(1)
        #expect(stack.screenNamed(name).standsFor == .nothing)
        let known = ScreenView(screen: .init(name: "M"), isManual: true, standsFor: .screen("9"))
        #expect(stack.screenNamed(known).standsFor == .screen("9"))
    }

    @Test
    func `a changed name applies immediately in front, and beneath another screen once that one is gone`() {
        var stack = ScreenStack()
        var named = view("A")
        named.isManual = true
        _ = stack.screenAppeared(1, named)
        named.screen.name = "B"
        #expect(shown(stack.screenChanged(1, to: named)) == ["B"])
        named.attributes = ["count": 2]
        #expect(stack.screenChanged(1, to: named).isEmpty, "attributes alone do not make another screen")
        _ = stack.screenAppeared(2, view("Sheet"))
        named.screen.name = "C"
        #expect(stack.screenChanged(1, to: named).isEmpty)
        #expect(stack.screenDisappeared(2) == [.wait(number: 1)])
        let actions = stack.timerFired(for: 1)
        #expect(shown(actions) == ["C"])
        #expect(actions.contains { if case .show(let view) = $0 { view.attributes == ["count": 2] } else { false } })
        #expect(stack.screenChanged(7, to: named).isEmpty)
    }

    @Test
    func `each scene has its own screens, and the most recently used scene determines the current screen`() {
        var scenes = SceneScreens()
        func names(_ actions: [SceneScreens.Action]) -> [String] {
            actions.compactMap { if case .show(let view) = $0 { view.screen.name } else { nil } }
        }
        // The first scene is active before its activation is reported.
        #expect(names(scenes.screenAppeared(1, view("Home"), in: 10)) == ["Home"])
        #expect(names(scenes.sceneActivated(10)) == [])
        #expect(names(scenes.screenAppeared(2, view("Feed"), in: 20)) == [])
        #expect(names(scenes.sceneActivated(20)) == ["Feed"])
        #expect(names(scenes.screenAppeared(3, view("Detail"), in: 10)) == [])
        #expect(names(scenes.sceneActivated(10)) == ["Detail"])
        #expect(names(scenes.sceneActivated(10)) == [])
        #expect(names(scenes.screenDisappeared(2)) == [])
        #expect(names(scenes.screenAppeared(4, view("Where?"))) == ["Where?"])
        #expect(names(scenes.sceneDeactivated(10)) == ["Feed"])
        #expect(names(scenes.sceneClosed(20)) == [])
        #expect(names(scenes.sceneActivated(10)) == ["Where?"])
        #expect(names(scenes.sceneClosed(99)) == [])
        scenes.forget([1, 3, 4])
        #expect(scenes.depth == 0)
    }

    @Test
    func `memory is bounded for any number of scenes and screens`() {
        var generator = SeededGenerator(seed: 11)
        var scenes = SceneScreens()
        for number in 0..<20_000 {
            let scene = Int.random(in: 0..<3, using: &generator)
            scenes.willAppear(number, uniqueID: "\(number)", in: scene)
            if Bool.random(using: &generator) { _ = scenes.screenAppeared(number, view("\(number)"), in: scene) }
            if Bool.random(using: &generator) { _ = scenes.screenDisappeared(number) }
        }
        #expect(scenes.depth <= 3 * ScreenStack.maxDepth)
    }
}
