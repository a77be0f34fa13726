// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayEvents
internal import TrackwayPlatform
internal import TrackwayTesting
internal import UIKit

/// What lies around the app in a life that is not like the others: a disk that opens with the first unlocking, and a clock that goes
/// ahead when it is told to.
@MainActor
final class Neighbourhood {
    private let clock = AdvancedClock()
    private var disk: FaultyStorage?
    private let lines = Locked(0)

    /// How many events were recorded in this life, those included that wait for the disk.
    var told: Int { lines.withLock { $0 } }

    /// The system's own dependencies, with these two in place of the real ones.
    ///
    /// - Parameter isLocked: whether nobody has unlocked the phone since it started.
    func dependencies(_ configuration: Configuration, isLocked: Bool) throws -> Dependencies {
        var dependencies = try Dependencies.live(configuration)
        dependencies.clock = clock
        dependencies.sleeper = TaskSleeper(clock: clock)
        dependencies.pacer = TaskSleeper(clock: clock)
        dependencies.write = { [lines] _ in lines.withLock { $0 += 1 } }
        guard isLocked else { return dependencies }
        // As iOS answers for every file of the class that Trackway chooses.
        let disk = FaultyStorage(dependencies.storage)
        for operation in StorageOperation.allCases {
            disk.fail(operation, with: StorageFault(.denied, number: EPERM))
        }
        dependencies.storage = disk
        self.disk = disk
        return dependencies
    }

    /// The phone was unlocked.
    func unlock() {
        disk?.heal()
    }

    /// Time goes by at once.
    func advance(by duration: Duration) {
        clock.advance(by: duration)
    }
}

/// The system's clocks, as much later as they were told to be.
private final class AdvancedClock: EventClock {
    private let system = SystemClock()
    private let ahead = Locked(Duration.zero)

    func advance(by duration: Duration) {
        ahead.withLock { $0 += duration }
    }

    func now() -> Moment {
        let (now, ahead) = (system.now(), ahead.withLock { $0 })
        let milliseconds = ahead.components.seconds * 1000
        return Moment(
            wall: Timestamp(milliseconds: now.wall.milliseconds + milliseconds),
            monotonic: now.monotonic.advanced(by: ahead)
        )
    }
}

/// Screens of UIKit's that say nothing of themselves: what is found of them is found by itself.
final class HelpViewController: UIViewController {}
final class LetterViewController: UIViewController {}
