// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayLifecycle

@testable import TrackwayPlatform

@Suite("Motion and compass on Linux")
struct LinuxMotionTests {
    let timer = ManualPollingTimer()
    let clock = FixedClock()

    func motion(_ tree: SystemTree) -> LinuxMotion {
        LinuxMotion(SensorPolling(sensors: IIOSensors(tree: tree), timer: timer, clock: clock))
    }

    func compass(_ tree: SystemTree) -> LinuxCompass {
        LinuxCompass(SensorPolling(sensors: IIOSensors(tree: tree), timer: timer, clock: clock))
    }

    static func kinds(_ readings: [MotionReading]) -> [SensorReading.Kind] {
        readings.compactMap { reading in
            guard case .sensor(let kind, _) = reading else { return nil }
            return kind
        }
    }

    @Test
    func `each timer tick reads every sensor and the wall clock until the source is stopped`() throws {
        let recorded = try RecordedTree(RecordedDevice.phone)
        defer { withExtendedLifetime(recorded) {} }
        let source = motion(recorded.tree)
        let received = Collected<MotionReading>()
        #expect(source.hasRawSensors && !source.hasDeviceMotion)
        source.start(.raw, every: .milliseconds(500)) { received.append($0) }
        #expect(timer.interval == .milliseconds(500))
        #expect(received.all.isEmpty)
        timer.tick()
        timer.tick()
        #expect(
            Self.kinds(received.all) == [.acceleration, .rotationRate, .magneticField] + SensorReading.Kind.allCases
        )
        guard case .sensor(.acceleration, let first) = try #require(received.all.first) else {
            Issue.record("the accelerometer comes first")
            return
        }
        #expect(first.time == clock.wall)
        #expect(abs(first.values.z + 0.9991) < 0.001)
        source.stop()
        #expect(timer.interval == nil)
        timer.tick()
        #expect(received.all.count == 6)
    }

    @Test
    func `an unavailable or invalid sensor is skipped until it recovers, and the others continue`() throws {
        let recorded = try RecordedTree(RecordedDevice.phone)
        defer { withExtendedLifetime(recorded) {} }
        let source = motion(recorded.tree)
        let received = Collected<MotionReading>()
        source.start(.raw, every: .milliseconds(500)) { received.append($0) }
        let gyroscope = recorded.root.appendingPathComponent("/sys/bus/iio/devices/iio:device2/in_anglvel_x_raw")
        try FileManager.default.removeItem(at: gyroscope)
        let magnetometer = recorded.root.appendingPathComponent("/sys/bus/iio/devices/iio:device1/in_magn_y_raw")
        try Data("\u{0}\u{FF}garbage".utf8).write(to: magnetometer)
        timer.tick()
        #expect(Self.kinds(received.all) == [.acceleration])
        try Data("5".utf8).write(to: gyroscope)
        timer.tick()
        #expect(Self.kinds(received.all) == [.acceleration, .acceleration, .rotationRate])
        try FileManager.default.removeItem(at: recorded.root.appendingPathComponent("sys"))
        timer.tick()
        #expect(received.all.count == 3)
    }

    @Test
    func `the source does not start without a sensor or for device motion`() throws {
        let container = try RecordedTree(RecordedDevice.container)
        defer { withExtendedLifetime(container) {} }
        let bare = motion(container.tree)
        #expect(!bare.hasRawSensors)
        bare.start(.raw, every: .milliseconds(500)) { _ in Issue.record("the container has no sensor") }
        #expect(timer.interval == nil)
        #expect(!compass(container.tree).isAvailable)
        compass(container.tree).start { _ in Issue.record("the container has no compass") }
        #expect(timer.interval == nil)
        let phone = try RecordedTree(RecordedDevice.phone)
        defer { withExtendedLifetime(phone) {} }
        motion(phone.tree).start(.device, every: .milliseconds(500)) { _ in Issue.record("Linux has no device motion") }
        #expect(timer.interval == nil)
    }

    @Test
    func `the compass reports field and direction, but events carry only the field`() throws {
        let recorded = try RecordedTree(RecordedDevice.phone)
        defer { withExtendedLifetime(recorded) {} }
        let source = compass(recorded.tree)
        let received = Collected<Heading>()
        #expect(source.isAvailable)
        source.start { received.append($0) }
        #expect(timer.interval == LinuxCompass.interval)
        timer.tick()
        let heading = try #require(received.all.first)
        #expect(min(heading.magnetic, 360 - heading.magnetic) < 0.1)
        #expect(heading.accuracy < 0)
        let expected: Set = ["time", "raw_magnetic_field_x", "raw_magnetic_field_y", "raw_magnetic_field_z"]
        #expect(Set(heading.attributes.keys) == expected)
        source.stop()
        #expect(timer.interval == nil)
    }

    @Test
    func `a compass with a failed accelerometer reports the field without a direction`() throws {
        let recorded = try RecordedTree(RecordedDevice.phone)
        defer { withExtendedLifetime(recorded) {} }
        let source = compass(recorded.tree)
        let received = Collected<Heading>()
        source.start { received.append($0) }
        let file = recorded.root.appendingPathComponent("/sys/bus/iio/devices/iio:device2/in_accel_x_raw")
        try FileManager.default.removeItem(at: file)
        timer.tick()
        #expect(received.all.first?.magnetic.isNaN == true)
        #expect(received.all.first.map { abs($0.field.y - 20) < 1e-9 } == true)
        var state = AppStateSnapshot()
        state.heading = received.all.first
        #expect(state.unusable.isEmpty, "a heading without a direction is usable")
    }

    @Test
    func `the timer repeats, and a second start replaces the first`() async {
        let timer = DispatchPollingTimer()
        let first = Collected<Int>()
        let (beats, continuation) = AsyncStream.makeStream(of: Int.self)
        timer.start(every: .milliseconds(20)) { first.append(1) }
        timer.start(every: .milliseconds(20)) { continuation.yield(2) }
        var count = 0
        for await _ in beats {
            count += 1
            if count == 3 { break }
        }
        timer.stop()
        #expect(first.all.isEmpty)
    }

    @Test
    func `a stopped timer releases its closure`() {
        let timer = DispatchPollingTimer()
        weak var retained: Collected<Int>?
        do {
            let received = Collected<Int>()
            retained = received
            timer.start(every: .seconds(3600)) { received.append(1) }
        }
        #expect(retained != nil)
        timer.stop()
        #expect(retained == nil)
    }
}
