// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayEvents

@testable internal import SparkChamberCompatibility

/// There is one trace for all, and these tests put themselves in its place: whatever tells it from another thread than the main one
/// stands here.
@MainActor
@Suite("Traces", .serialized)
struct SparkTraceTests {
    private final class Reader: SparkTraceDelegate {
        let lines = Locked<[String]>([])

        func print(_ trace: String) {
            lines.withLock { $0.append(trace) }
        }
    }

    @Test("there is one, which tells items with a blank between them")
    func printing() {
        #expect(SparkTrace.sharedInstance === SparkTrace.sharedInstance)
        SparkTrace.print("one item")
        #expect(SparkTrace.sharedInstance.lastOutput == "one item")
        SparkTrace.print("several", 2, "items")
        #expect(SparkTrace.sharedInstance.lastOutput == "several 2 items")
    }

    @Test("its delegate is told instead, until another is put in its place")
    func delegate() {
        let reader = Reader()
        SparkTrace.sharedInstance.delegate = reader
        SparkTrace.print("one item")
        SparkTrace.print("several", "items")
        SparkTrace.sharedInstance.delegate = nil
        SparkTrace.print("nobody's")
        #expect(reader.lines.withLock { $0 } == ["one item", "several items"])
    }

    @Test("an event with a trace is told when it fires, one without is not, and so is a call off the main thread")
    func events() async {
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
        await untilDone()
        let line = reader.lines.withLock { $0.first { $0.contains("the offer") } } ?? ""
        #expect(line.hasPrefix("Traced event: "))
        let identifier = traced.identifier?.uuidString ?? "none"
        #expect(line.hasSuffix("  didAppear  PlayedView  the offer was seen  [\(identifier)]"))
        let answer = await Task.detached { SparkDetector.trackDisplay(forViews: []) }.value
        #expect(!answer)
        #expect(reader.lines.withLock { $0.contains { $0.contains("called off the main thread") } })
    }

    @Test("off the main thread every call answers false and fires nothing")
    func offTheMainThread() async {
        let notes = Notes()
        let element = OnMainThread(
            view([SparkTriggerType.didAppear, .targetAction].map { SparkEvent(trigger: $0) { _ in notes.add("ran") } })
        )
        let answers = await Task.detached {
            [
                SparkDetector.trackDisplay(forViews: [element.value]),
                SparkDetector.trackEnded(withTouches: NSSet(array: [element.value])),
                SparkDetector.trackTargetAction(forView: element.value),
            ]
        }.value
        #expect(answers == [false, false, false])
        await untilDone()
        #expect(notes.all.isEmpty)
    }
}
