// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CoreLocation
import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayLocation
import TrackwayPlatform

/// Not on the main actor: the source queries the main thread, and waits for it on any other thread.
@Suite("Location product", .serialized)
struct LocationProductTests {
    private static func sources() -> SnapshotSources {
        LocationSnapshots.register()
        var sources = SnapshotSources()
        SnapshotProducts.add(to: &sources)
        return sources
    }

    private static let location = CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 48.2, longitude: 16.37),
        altitude: 171,
        horizontalAccuracy: 12,
        verticalAccuracy: 3,
        course: 90,
        speed: 1.5,
        timestamp: Date(timeIntervalSince1970: 1_700_000_000.25)
    )

    @Test
    func `a location is reported only with permission, without prompting and without starting updates`() throws {
        let simulatedLocation = SimulatedLocation.current
        simulatedLocation.reset()
        simulatedLocation.simulate(location: Self.location)
        let location = try #require(Self.sources().location)
        for status in [CLAuthorizationStatus.notDetermined, .restricted, .denied] {
            simulatedLocation.simulate(authorization: status)
            #expect(!location.isAuthorized)
            #expect(location.lastLocation() == nil)
        }
        for status in [CLAuthorizationStatus.authorizedWhenInUse, .authorizedAlways] {
            simulatedLocation.simulate(authorization: status)
            // The first results may be missing while the main thread is busy.
            while !location.isAuthorized {}
            var known: Location?
            while known == nil { known = location.lastLocation() }
            let reading = try #require(known)
            #expect(reading.latitude == 48.2)
            #expect(reading.longitude == 16.37)
            #expect(reading.horizontalAccuracy == 12)
            #expect(reading.time == Timestamp(milliseconds: 1_700_000_000_250))
        }
        // The user revokes the permission.
        simulatedLocation.simulate(authorization: .denied)
        #expect(location.lastLocation() == nil)
        #expect(simulatedLocation.authorizationRequests == 0)
        #expect(simulatedLocation.activeManagerCount == 0)
    }

    @Test
    func `the compass is read only between start and stop`() async throws {
        let simulatedLocation = SimulatedLocation.current
        simulatedLocation.reset()
        let compass = try #require(Self.sources().heading)
        #expect(compass.isAvailable)
        let received = Locked<[Heading]>([])
        compass.start { heading in received.withLock { $0.append(heading) } }
        await Self.mainQueueTurn()
        #expect(simulatedLocation.activeManagerCount == 1)
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        simulatedLocation.simulate(
            heading: CLHeading(simulatedMagnetic: 10, geographic: 12, accuracy: 4, timestamp: date)
        )
        compass.stop()
        await Self.mainQueueTurn()
        #expect(simulatedLocation.activeManagerCount == 0)
        simulatedLocation.simulate(heading: CLHeading(simulatedMagnetic: 20, timestamp: date))
        let headings = received.withLock { $0 }
        #expect(headings.map(\.magnetic) == [10])
        #expect(headings.first?.geographic == 12)
    }

    @Test
    func `a compass that is stopped before the main thread runs never starts`() async throws {
        let simulatedLocation = SimulatedLocation.current
        simulatedLocation.reset()
        let compass = try #require(Self.sources().heading)
        compass.start { _ in Issue.record("a reading arrived after stop") }
        compass.stop()
        await Self.mainQueueTurn()
        #expect(simulatedLocation.activeManagerCount == 0)
        simulatedLocation.simulate(heading: CLHeading(simulatedMagnetic: 20, timestamp: Date(timeIntervalSince1970: 0)))
    }

    @Test
    func `a device without a compass has no heading, and the app's own source is kept`() throws {
        SimulatedLocation.current.reset(hasCompass: false)
        #expect(try #require(Self.sources().heading).isAvailable == false)
        struct Own: LocationSource {
            var isAuthorized: Bool { true }
            func lastLocation() -> Location? { nil }
        }
        var sources = SnapshotSources(location: Own())
        SnapshotProducts.add(to: &sources)
        #expect(sources.location is Own)
    }

    /// Waits until all blocks that are now on the main queue have run.
    private static func mainQueueTurn() async {
        await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
    }
}
