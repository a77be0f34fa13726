// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

/// One step in the life of a simulated app.
enum AppStep: Sendable, Hashable {
    case pass(Duration)
    case change(LifecycleChange)
    case show(ScreenView)
    case heartbeat
    case setClock(by: Duration)
    case choose(LifecycleSettings)
    /// Kills the process without notice and starts another one.
    ///
    /// Time passes in between, and the device may restart.
    case kill(away: Duration, restart: Bool, next: AppState)
}

/// A random sequence of steps; the same seed gives the same sequence.
struct RandomAppSteps {
    private var generator: SeededGenerator
    private let changesCapture: Bool

    init(seed: UInt64, changesCapture: Bool = false) {
        generator = SeededGenerator(seed: seed)
        self.changesCapture = changesCapture
    }

    mutating func next() -> AppStep {
        switch generator.next(below: 100) {
        case 0..<30: .pass(duration())
        case 30..<38: .change(.didBecomeActive)
        case 38..<46: .change(.didEnterBackground)
        case 46..<60: .change(pick(LifecycleChange.allCases))
        case 60..<84: .show(view())
        case 84..<90: .heartbeat
        case 90..<93: .setClock(by: .milliseconds(generator.next(below: 20_000_000) - 10_000_000))
        case 93..<95: .choose(settings())
        default: .kill(away: duration(), restart: generator.next(below: 4) == 0, next: pick(AppState.allCases))
        }
    }

    /// Returns the number of actions to perform before a kill.
    mutating func orders() -> Int { generator.next(below: 6) }

    mutating func isOne(in count: Int) -> Bool { generator.next(below: count) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[generator.next(below: values.count)] }

    /// Returns a short or long duration, sometimes exactly at a limit.
    private mutating func duration() -> Duration {
        switch generator.next(below: 5) {
        case 0: .milliseconds(generator.next(below: 3))
        case 1: .milliseconds(generator.next(below: 2000))
        case 2: .milliseconds(generator.next(below: 4_000_000))
        case 3: pick([.milliseconds(999), .milliseconds(1000), .milliseconds(1_799_999), .milliseconds(1_800_000)])
        default: .seconds(generator.next(below: 120))
        }
    }

    private mutating func view() -> ScreenView {
        let isManual = generator.nextBool()
        return ScreenView(
            screen: .init(
                name: (isManual ? "named-" : "found-") + pick(["a", "b", "c"]),
                id: generator.nextBool() ? "Root" : nil,
                uniqueID: isManual && generator.nextBool() ? nil : pick(["1", "2"])
            ),
            attributes: generator.nextBool() ? ["at": .date(Timestamp(milliseconds: 5)), "part": 1.5] : [:],
            isManual: isManual
        )
    }

    private mutating func settings() -> LifecycleSettings {
        LifecycleSettings(
            sessionTimeout: pick([.seconds(1800), .seconds(60), .zero]),
            capture: changesCapture ? CaptureOptions(rawValue: generator.next(below: 32)) : .standard
        )
    }
}

extension TestApp {
    /// Performs one step.
    mutating func live(_ step: AppStep) {
        switch step {
        case .pass(let duration): pass(duration)
        case .change(let change): self.change(change)
        case .show(let view): show(view)
        case .heartbeat: heartbeat()
        case .setClock(let difference): device.wall = device.wall.advanced(by: difference)
        case .choose(let settings): choose(settings)
        case .kill(let away, let restart, let next):
            kill()
            pass(away)
            if restart { device.restart(takes: away) }
            start(in: next)
        }
    }
}
