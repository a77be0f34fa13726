// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable internal import SparkChamberCompatibility

@Suite("Cell visibility")
struct CellVisibilityTests {
    private enum Step: CaseIterable {
        case willDisplay
        case didEnd
        case visible
        case invisible
        case removed
    }

    private func change(_ cell: inout CellVisibility, _ step: Step) -> CellVisibility.Change? {
        switch step {
        case .willDisplay: cell.willDisplay()
        case .didEnd: cell.didEndDisplaying()
        case .visible: cell.didLayOut(isVisible: true)
        case .invisible: cell.didLayOut(isVisible: false)
        case .removed: cell.didBecomeInvisible()
        }
    }

    private func changes(_ steps: [Step]) -> [CellVisibility.Change?] {
        var cell = CellVisibility()
        return steps.map { change(&cell, $0) }
    }

    @Test
    func `if the delegate reports a change, the cell does not report it again`() {
        #expect(
            changes([.willDisplay, .visible, .didEnd, .visible, .removed, .willDisplay])
                == [.appeared, nil, .disappeared, nil, nil, .appeared]
        )
    }

    @Test
    func `without reports from the delegate, the cell reports on its own`() {
        #expect(
            changes([.visible, .visible, .removed, .removed, .visible]) == [
                .appeared, nil, .disappeared, nil, .appeared,
            ]
        )
        #expect(changes([.invisible, .visible, .invisible]) == [nil, .appeared, .disappeared])
        #expect(changes([.didEnd]) == [nil])
    }

    @Test
    func `a list that returns shows its cells again`() {
        #expect(
            changes([.willDisplay, .removed, .visible, .didEnd]) == [.appeared, .disappeared, .appeared, .disappeared]
        )
    }

    @Test
    func `in any order of reports, appearing and disappearing alternate`() {
        var random = SeededGenerator(seed: 7)
        var cell = CellVisibility()
        var last: CellVisibility.Change?
        for _ in 0..<50_000 {
            guard let change = change(&cell, Step.allCases[random.next(below: Step.allCases.count)]) else { continue }
            #expect(change != last)
            #expect(last != nil || change == .appeared)
            last = change
        }
    }
}
