// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SparkChamberSamples
internal import SparkChamberSwift5Samples
internal import Testing
internal import TrackwayTesting

@testable internal import SparkChamberCompatibility

/// Runs the document's samples in both language modes.
///
/// They run on any thread and on the main actor.
///
/// Their output goes into one list, so they run one after another.
@MainActor
@Suite("Code samples in SparkChamber's document", .serialized)
struct DocumentSampleTests {
    enum Way: CaseIterable {
        case plain
        case onTheMainActor
        case swift5
        case swift5OnTheMainActor
    }

    private func output(_ body: () async -> Void) async -> [String] {
        SparkChamberSamples.output = []
        SparkChamberSwift5Samples.output = []
        await body()
        await waitForActions()
        return SparkChamberSamples.output + SparkChamberSwift5Samples.output
    }

    @Test(arguments: Way.allCases)
    func `a single event fires at each trigger`(_ way: Way) async {
        let view = FakeView()
        switch way {
        case .plain: SparkChamberSamples.documentAttachesASingleEvent(view)
        case .onTheMainActor: SparkChamberSamples.documentAttachesASingleEventOnTheMainActor(view)
        case .swift5: SparkChamberSwift5Samples.documentAttachesASingleEvent(view)
        case .swift5OnTheMainActor: SparkChamberSwift5Samples.documentAttachesASingleEventOnTheMainActor(view)
        }
        let output = await output {
            #expect(SparkDetector.trackDisplay(forViews: [view]))
            #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [touch(view)])))
            #expect(SparkDetector.trackDisplay(forViews: [view]))
        }
        #expect(output == ["appeared", "appeared"])
    }

    @Test(arguments: Way.allCases)
    func `multiple events fire at their own triggers`(_ way: Way) async {
        let view = FakeView()
        switch way {
        case .plain: SparkChamberSamples.documentAttachesMultipleEvents(view)
        case .onTheMainActor: SparkChamberSamples.documentAttachesMultipleEventsOnTheMainActor(view)
        case .swift5: SparkChamberSwift5Samples.documentAttachesMultipleEvents(view)
        case .swift5OnTheMainActor: SparkChamberSwift5Samples.documentAttachesMultipleEventsOnTheMainActor(view)
        }
        let output = await output {
            #expect(SparkDetector.trackEnded(withTouches: NSSet(array: [touch(view)])))
            #expect(SparkDetector.trackDisplay(forViews: [view]))
        }
        #expect(output == ["touched", "appeared"])
    }

    @Test(arguments: Way.allCases)
    func `a single-fire event runs once, even for two triggers before its action has run`(_ way: Way) async {
        let view = FakeView()
        switch way {
        case .plain: SparkChamberSamples.documentFiresASingleTime(view)
        case .onTheMainActor: SparkChamberSamples.documentFiresASingleTimeOnTheMainActor(view)
        case .swift5: SparkChamberSwift5Samples.documentFiresASingleTime(view)
        case .swift5OnTheMainActor: SparkChamberSwift5Samples.documentFiresASingleTimeOnTheMainActor(view)
        }
        let output = await output {
            #expect(SparkDetector.trackDisplay(forViews: [view]))
            #expect(SparkDetector.trackDisplay(forViews: [view]))
        }
        #expect(output == ["appeared once"])
        #expect(!SparkDetector.trackDisplay(forViews: [view]))
        #expect(view.sparkEvents?.first?.trigger == SparkTriggerType.none)
    }

    @Test(arguments: Way.allCases)
    func `viewing time is exact to the millisecond, however fast views appear and disappear`(_ way: Way) async {
        let clock = ManualClock()
        SparkDetector.useClock(clock)
        defer { SparkDetector.useClock(SystemClock()) }
        let view = FakeView()
        switch way {
        case .plain: SparkChamberSamples.documentMeasuresViewingTime(view)
        case .onTheMainActor: SparkChamberSamples.documentMeasuresViewingTimeOnTheMainActor(view)
        case .swift5: SparkChamberSwift5Samples.documentMeasuresViewingTime(view)
        case .swift5OnTheMainActor: SparkChamberSwift5Samples.documentMeasuresViewingTimeOnTheMainActor(view)
        }
        let output = await output {
            for milliseconds in [1500, 250, 60_125] {
                SparkDetector.trackDisplay(forViews: [view])
                clock.advance(by: .milliseconds(milliseconds))
                SparkDetector.trackEndDisplaying(forViews: [view])
                clock.advance(by: .seconds(1))
            }
        }
        #expect(output == ["Time on screen: 1.5", "Time on screen: 0.25", "Time on screen: 60.125"])
    }
}
