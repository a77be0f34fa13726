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
        case inSight
        case outOfSight
        case left
    }

    private func change(_ cell: inout CellVisibility, _ step: Step) -> CellVisibility.Change? {
        switch step {
        case .willDisplay: cell.willDisplay()
        case .didEnd: cell.didEndDisplaying()
        case .inSight: cell.laidOut(isInSight: true)
        case .outOfSight: cell.laidOut(isInSight: false)
        case .left: cell.left()
        }
    }

    private func changes(_ steps: [Step]) -> [CellVisibility.Change?] {
        var cell = CellVisibility()
        return steps.map { change(&cell, $0) }
    }

    @Test("if the delegate reports, the cell does not report again")
    func delegate() {
        #expect(
            changes([.willDisplay, .inSight, .didEnd, .inSight, .left, .willDisplay])
                == [.appeared, nil, .disappeared, nil, nil, .appeared]
        )
    }

    @Test("without reports from the delegate the cell reports itself")
    func alone() {
        #expect(
            changes([.inSight, .inSight, .left, .left, .inSight]) == [.appeared, nil, .disappeared, nil, .appeared]
        )
        #expect(changes([.outOfSight, .inSight, .outOfSight]) == [nil, .appeared, .disappeared])
        #expect(changes([.didEnd]) == [nil])
    }

    @Test("a list that returns shows its cells again")
    func back() {
        #expect(
            changes([.willDisplay, .left, .inSight, .didEnd]) == [.appeared, .disappeared, .appeared, .disappeared]
        )
    }

    @Test("in any order of reports, appearing and disappearing alternate")
    func walk() {
        var chance = SeededGenerator(seed: 7)
        var cell = CellVisibility()
        var last: CellVisibility.Change?
        for _ in 0..<50_000 {
            guard let change = change(&cell, Step.allCases[chance.next(below: Step.allCases.count)]) else { continue }
            #expect(change != last)
            #expect(last != nil || change == .appeared)
            last = change
        }
    }
}
