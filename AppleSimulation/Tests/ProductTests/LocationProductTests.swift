// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CoreLocation
import Testing
import TrackwayBehavior
import TrackwayEvents
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

    private static let place = CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: 48.2, longitude: 16.37),
        altitude: 171,
        horizontalAccuracy: 12,
        verticalAccuracy: 3,
        course: 90,
        speed: 1.5,
        timestamp: Date(timeIntervalSince1970: 1_700_000_000.25)
    )

    @Test("a location is reported only with permission, without prompting and without starting updates")
    func place() throws {
        let places = SimulatedLocation.current
        places.reset()
        places.simulate(location: Self.place)
        let location = try #require(Self.sources().location)
        for status in [CLAuthorizationStatus.notDetermined, .restricted, .denied] {
            places.simulate(authorization: status)
            #expect(!location.isAuthorized)
            #expect(location.lastLocation() == nil)
        }
        for status in [CLAuthorizationStatus.authorizedWhenInUse, .authorizedAlways] {
            places.simulate(authorization: status)
            // The first results may be missing while the main thread is busy.
            while !location.isAuthorized {}
            var known: Location?
            while known == nil { known = location.lastLocation() }
            let told = try #require(known)
            #expect(told.latitude == 48.2)
            #expect(told.longitude == 16.37)
            #expect(told.horizontalAccuracy == 12)
            #expect(told.time == Timestamp(milliseconds: 1_700_000_000_250))
        }
        // The user revokes the permission.
        places.simulate(authorization: .denied)
        #expect(location.lastLocation() == nil)
        #expect(places.questions == 0)
        #expect(places.followers == 0)
    }

    @Test("the compass is read only between start and stop")
    func compass() async throws {
        let places = SimulatedLocation.current
        places.reset()
        let compass = try #require(Self.sources().heading)
        #expect(compass.isAvailable)
        let told = Locked<[Heading]>([])
        compass.start { heading in told.withLock { $0.append(heading) } }
        await Self.mainThreadsTurn()
        #expect(places.followers == 1)
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        places.simulate(heading: CLHeading(simulatedMagnetic: 10, geographic: 12, accuracy: 4, timestamp: date))
        compass.stop()
        await Self.mainThreadsTurn()
        #expect(places.followers == 0)
        places.simulate(heading: CLHeading(simulatedMagnetic: 20, timestamp: date))
        let headings = told.withLock { $0 }
        #expect(headings.map(\.magnetic) == [10])
        #expect(headings.first?.geographic == 12)
    }

    @Test("a compass that is stopped before the main thread runs never starts")
    func stoppedAtOnce() async throws {
        let places = SimulatedLocation.current
        places.reset()
        let compass = try #require(Self.sources().heading)
        compass.start { _ in Issue.record("a reading arrived after stop") }
        compass.stop()
        await Self.mainThreadsTurn()
        #expect(places.followers == 0)
        places.simulate(heading: CLHeading(simulatedMagnetic: 20, timestamp: Date(timeIntervalSince1970: 0)))
    }

    @Test("a device without a compass has no heading, and the app's own source is kept")
    func none() throws {
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
    private static func mainThreadsTurn() async {
        await withCheckedContinuation { turn in DispatchQueue.main.async { turn.resume() } }
    }
}
