// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents
import TrackwayTesting

@Suite("Screens that lie over one another")
struct ScreenStackTests {
    private func view(_ name: String) -> ScreenView {
        ScreenView(screen: RecordedContext.Screen(name: name, id: nil, uniqueID: nil), isManual: false)
    }

    private func shown(_ actions: [ScreenStack.Action]) -> [String] {
        actions.compactMap { if case .show(let view) = $0 { view.screen.name } else { nil } }
    }

    @Test("A sheet that is pulled down leaves the screen beneath it, once nothing else appears")
    func sheet() {
        var stack = ScreenStack()
        #expect(shown(stack.appeared(1, view("Home"))) == ["Home"])
        #expect(shown(stack.appeared(2, view("Filter"))) == ["Filter"])
        #expect(stack.disappeared(2) == [.wait(number: 1)])
        #expect(shown(stack.timeCame(for: 1)) == ["Home"])
        #expect(stack.timeCame(for: 1).isEmpty)
    }

    @Test("A push that lets the old screen go first does not show what lies beneath both")
    func push() {
        var stack = ScreenStack()
        _ = stack.appeared(1, view("Home"))
        _ = stack.appeared(2, view("List"))
        #expect(stack.disappeared(2) == [.wait(number: 1)])
        #expect(shown(stack.appeared(3, view("Detail"))) == ["Detail"])
        #expect(stack.timeCame(for: 1).isEmpty)
        #expect(stack.depth == 2)
    }

    @Test("A push that lets the new screen come first, and a screen beneath that goes, show nothing more")
    func modal() {
        var stack = ScreenStack()
        _ = stack.appeared(1, view("Home"))
        _ = stack.appeared(2, view("Full"))
        #expect(stack.disappeared(1).isEmpty)
        #expect(stack.disappeared(2).isEmpty)
        #expect(stack.depth == 0)
    }

    @Test("One that appears again comes to the top, and one that nobody told of changes nothing")
    func again() {
        var stack = ScreenStack()
        _ = stack.appeared(1, view("Home"))
        _ = stack.appeared(2, view("Detail"))
        #expect(shown(stack.appeared(1, view("Home"))) == ["Home"])
        #expect(stack.depth == 2)
        #expect(stack.disappeared(7).isEmpty)
        #expect(stack.timeCame(for: 99).isEmpty)
    }

    @Test("Screens of which nobody tells any more lie beneath none")
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
        // What it was waited for is gone too.
        _ = stack.appeared(4, view("A"))
        _ = stack.appeared(5, view("B"))
        #expect(stack.disappeared(5) == [.wait(number: 2)])
        stack.forget([4])
        #expect(stack.timeCame(for: 2).isEmpty)
    }

    @Test("The first found screen after a named one went says so, whether it lay beneath or appears, and no other does")
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
        // One beneath others, and one that is named itself, end nothing.
        _ = stack.appeared(5, cart)
        _ = stack.appeared(6, view("Sheet"))
        _ = stack.disappeared(5)
        #expect(ends(stack.appeared(7, view("Next"))) == [false])
        _ = stack.appeared(8, cart)
        _ = stack.disappeared(8)
        #expect(ends(stack.appeared(9, cart)) == [false])
    }

    @Test("However many appear without going, memory is bounded", arguments: 0..<5)
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
}
