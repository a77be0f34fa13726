// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayBehavior
internal import TrackwayEvents

extension SimulatedSensors {
    /// The sources, for a configuration that names its own.
    public var sources: SnapshotSources {
        SnapshotSources(
            deviceProperties: Source(sensors: self),
            appState: Source(sensors: self),
            location: Source(sensors: self),
            heading: Compass(sensors: self),
            motion: MotionSensors(sensors: self)
        )
    }

    /// Where these sources are asked: at once, unless they hang.
    func thread(for part: SnapshotPart) -> any SourceThread {
        // Both list the same parts under the same names.
        Thread(sensors: self, part: Part(rawValue: part.rawValue) ?? .appState)
    }

    /// The process that used the sensors is gone, and with it all that it still wanted.
    func processEnded() {
        state.withLock { state in
            state.work = []
            state.heard = Heard()
        }
    }

    private struct Thread: SourceThread {
        let sensors: SimulatedSensors
        let part: Part

        func run(_ work: @escaping @Sendable () -> Void) {
            let isHanging = sensors.state.withLock { state in
                guard state.hanging.contains(part) else { return false }
                state.work.append((part, work))
                return true
            }
            if !isHanging { work() }
        }
    }

    private struct Source: DevicePropertiesSource, AppStateSource, LocationSource {
        let sensors: SimulatedSensors

        func deviceProperties() -> DeviceProperties {
            sensors.note(.deviceProperties)
            return sensors.deviceProperties
        }

        func appState() -> AppStateSnapshot {
            sensors.note(.appState)
            return sensors.appState
        }

        var isAuthorized: Bool { sensors.isLocationAuthorized }

        func lastLocation() -> Location? {
            sensors.note(.location)
            return sensors.location
        }
    }

    private struct Compass: HeadingSource {
        let sensors: SimulatedSensors

        var isAvailable: Bool {
            sensors.note(.heading)
            return sensors.heading != nil
        }

        func start(_ report: @escaping @Sendable (Heading) -> Void) {
            sensors.state.withLock { state in
                state.starts[.heading, default: 0] += 1
                state.heard.heading = report
            }
        }

        func stop() {
            sensors.state.withLock { state in
                state.stops[.heading, default: 0] += 1
                state.heard.heading = nil
            }
        }
    }

    private struct MotionSensors: MotionSource {
        let sensors: SimulatedSensors

        var hasDeviceMotion: Bool {
            sensors.note(.motion)
            return sensors.motion == .device
        }

        var hasRawSensors: Bool { sensors.motion != nil }

        func start(
            _ means: MotionMeans,
            every interval: Duration,
            _ report: @escaping @Sendable (MotionReading) -> Void
        ) {
            sensors.state.withLock { state in
                state.starts[.motion, default: 0] += 1
                state.heard.means = means
                state.heard.motion = report
            }
        }

        func stop() {
            sensors.state.withLock { state in
                state.stops[.motion, default: 0] += 1
                state.heard.motion = nil
            }
        }
    }

    private func note(_ part: Part) {
        state.withLock { $0.asked[part, default: 0] += 1 }
    }
}
