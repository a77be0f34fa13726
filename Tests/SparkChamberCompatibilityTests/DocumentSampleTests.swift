// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SparkChamberSamples
internal import SparkChamberSwift5Samples
internal import Testing
internal import TrackwayTesting

@testable internal import SparkChamberCompatibility

/// The document's samples do what they say, compiled in both language modes, in functions of any thread and of the main actor.
/// What they print goes into one list, so they run one after the other.
@MainActor
@Suite("The document's samples", .serialized)
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
        await untilDone()
        return SparkChamberSamples.output + SparkChamberSwift5Samples.output
    }

    @Test("a single event", arguments: Way.allCases)
    func singleEvent(_ way: Way) async {
        let view = PlayedView()
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

    @Test("multiple events", arguments: Way.allCases)
    func multipleEvents(_ way: Way) async {
        let view = PlayedView()
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

    @Test(
        "an event that fires a single time does, also for two triggers before its action ran",
        arguments: Way.allCases
    )
    func singleFireEvent(_ way: Way) async {
        let view = PlayedView()
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

    @Test("the viewing time, to the millisecond, however fast views come and go", arguments: Way.allCases)
    func viewingTime(_ way: Way) async {
        let clock = ManualClock()
        SparkDetector.useClock(clock)
        defer { SparkDetector.useClock(SystemClock()) }
        let view = PlayedView()
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
