// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import SparkChamberCompatibility

/// Tests of the shared trace, whose delegate they replace.
///
/// Calls off the main thread report to this trace, so every test that makes such calls is in this suite.
@MainActor
@Suite("Spark trace", .serialized)
struct SparkTraceTests {
    private final class Reader: SparkTraceDelegate {
        let lines = Locked<[String]>([])

        func print(_ trace: String) {
            lines.withLock { $0.append(trace) }
        }
    }

    @Test
    func `the shared trace prints items with spaces between them`() {
        #expect(SparkTrace.sharedInstance === SparkTrace.sharedInstance)
        SparkTrace.print("one item")
        #expect(SparkTrace.sharedInstance.lastOutput == "one item")
        SparkTrace.print("several", 2, "items")
        #expect(SparkTrace.sharedInstance.lastOutput == "several 2 items")
    }

    @Test
    func `output goes to the delegate until it is replaced`() {
        let reader = Reader()
        SparkTrace.sharedInstance.delegate = reader
        SparkTrace.print("one item")
        SparkTrace.print("several", "items")
        SparkTrace.sharedInstance.delegate = nil
        SparkTrace.print("nobody's")
        #expect(reader.lines.withLock { $0 } == ["one item", "several items"])
    }

    @Test
    func `a traced event and a call off the main thread are reported, and an untraced event is not`() async {
        let reader = Reader()
        SparkTrace.sharedInstance.delegate = reader
        defer { SparkTrace.sharedInstance.delegate = nil }
        let traced = SparkEvent(trigger: .didAppear, trace: "the offer was seen", action: nil)
        SparkDetector.trackDisplay(
            forViews: [
                view([
                    traced,
                    SparkEvent(trigger: .didAppear, action: nil),
                ])
            ]
        )
        await waitForActions()
        let line = reader.lines.withLock { $0.first { $0.contains("the offer") } } ?? ""
        #expect(line.hasPrefix("Traced event: "))
        let identifier = traced.identifier?.uuidString ?? "none"
        #expect(line.hasSuffix("  didAppear  FakeView  the offer was seen  [\(identifier)]"))
        let result = await Task.detached { SparkDetector.trackDisplay(forViews: []) }.value
        #expect(!result)
        #expect(reader.lines.withLock { $0.contains { $0.contains("called off the main thread") } })
    }

    @Test
    func `every call off the main thread returns false and fires nothing`() async {
        let actionLog = ActionLog()
        let element = OnMainThread(
            view(
                [SparkTriggerType.didAppear, .targetAction].map {
                    SparkEvent(trigger: $0) { _ in actionLog.add("ran") }
                }
            )
        )
        let results = await Task.detached {
            [
                SparkDetector.trackDisplay(forViews: [element.value]),
                SparkDetector.trackEnded(withTouches: NSSet(array: [element.value])),
                SparkDetector.trackTargetAction(forView: element.value),
            ]
        }.value
        #expect(results == [false, false, false])
        await waitForActions()
        #expect(actionLog.all.isEmpty)
    }
}
