// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable internal import CollectorClickHouse

@Suite("Steps of an erasure in a cluster")
struct ErasureStepPlannerTests {
    typealias Step = ErasureStepPlanner.Step

    /// Continues with a successful result, and returns the step that it belongs to.
    private static func advance(_ planner: inout ErasureStepPlanner, end: UInt64, rows: Int = 0) -> Step {
        let step = planner.nextStep
        switch step {
        case .checkReaders: planner.readersChecked([])
        case .markEnd: planner.endMarked(end)
        case .waitForTables: planner.tablesReached()
        case .makePlan: planner.planMade()
        case .savePlan: planner.planSaved()
        case .eraseInstallations: planner.installationsErased()
        case .rewriteRecords: planner.recordsRewritten()
        case .removeRows: planner.rowsRemoved()
        case .countRows: planner.rowsCounted(rows)
        case .waitForParts: planner.partsRemoved()
        case .sign: planner.signed()
        case .forget: planner.forgotten()
        case .end: break
        }
        return step
    }

    private static func steps(_ planner: ErasureStepPlanner, rows: [Int] = []) -> [Step] {
        var (planner, rows, end) = (planner, rows, UInt64(9))
        var steps: [Step] = []
        while planner.nextStep != .end, steps.count < 100 {
            if planner.nextStep == .markEnd { end += 1 }
            let count = planner.nextStep == .countRows && !rows.isEmpty ? rows.removeFirst() : 0
            steps.append(advance(&planner, end: end, rows: count))
        }
        return steps
    }

    @Test
    func `a request is planned before anything is removed, and signed last`() {
        let expected: [Step] = [
            .checkReaders, .markEnd, .waitForTables(10), .makePlan, .savePlan, .eraseInstallations, .markEnd,
            .waitForTables(11), .rewriteRecords(11), .removeRows, .countRows, .waitForParts, .sign, .forget,
        ]
        #expect(Self.steps(ErasureStepPlanner(isPlanned: false, isSigned: false)) == expected)
    }

    @Test
    func `after a kill, a stored plan is carried out again, and a signed erasure only loses its identifiers`() {
        let planned = Self.steps(ErasureStepPlanner(isPlanned: true, isSigned: false))
        #expect(planned.prefix(4) == [.checkReaders, .eraseInstallations, .markEnd, .waitForTables(10)])
        #expect(!planned.contains(.makePlan) && planned.suffix(2) == [.sign, .forget])
        #expect(Self.steps(ErasureStepPlanner(isPlanned: true, isSigned: true)) == [.forget])
    }

    @Test
    func `rows that arrive during a pass are removed by another pass with a later end`() {
        let steps = Self.steps(ErasureStepPlanner(isPlanned: true, isSigned: false), rows: [3, 1])
        #expect(steps.filter { $0 == .removeRows }.count == 3)
        #expect(steps.contains(.rewriteRecords(12)) && steps.filter { $0 == .sign }.count == 1)
    }

    @Test
    func `late events are removed without another receipt`() {
        let steps = Self.steps(ErasureStepPlanner(isPlanned: false, isSigned: false, isFollowUp: true))
        #expect(
            steps == [
                .checkReaders, .markEnd, .waitForTables(10), .makePlan, .rewriteRecords(10), .removeRows, .countRows,
                .waitForParts,
            ]
        )
    }

    @Test
    func `a collector with an index prevents an erasure before anything is changed`() {
        var planner = ErasureStepPlanner(isPlanned: false, isSigned: false)
        planner.readersChecked(["web1:/var/lib/trackway"])
        #expect(planner.nextStep == .end && planner.stopReason == .index("web1:/var/lib/trackway"))
    }

    @Test
    func `a result of another step changes nothing`() {
        var planner = ErasureStepPlanner(isPlanned: false, isSigned: false)
        let before = planner
        planner.rowsRemoved()
        planner.signed()
        planner.forgotten()
        planner.endMarked(7)
        planner.rowsCounted(0)
        planner.planMade()
        #expect(planner == before)
    }
}
