// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayPlatform
internal import TrackwayTesting
internal import UIKit

/// A test environment for the app: a disk that is locked until the first unlock, and a clock that can be advanced.
@MainActor
final class AppEnvironment {
    private let clock = ShiftedClock()
    private var disk: FaultyStorage?
    private let recordedLines = Locked(0)

    /// The number of events recorded by this process, including those not on disk yet.
    var recordedCount: Int { recordedLines.withLock { $0 } }

    /// Returns the system's dependencies with this clock and disk.
    ///
    /// - Parameter isLocked: Whether the phone has not been unlocked since its restart.
    func dependencies(_ configuration: Configuration, isLocked: Bool) throws -> Dependencies {
        var dependencies = try Dependencies.live(configuration)
        dependencies.clock = clock
        dependencies.sleeper = TaskSleeper(clock: clock)
        dependencies.pacer = TaskSleeper(clock: clock)
        dependencies.write = { [recordedLines] _ in recordedLines.withLock { $0 += 1 } }
        guard isLocked else { return dependencies }
        // iOS reports this error for every file with the protection class that Trackway uses.
        let disk = FaultyStorage(dependencies.storage)
        for operation in StorageOperation.allCases {
            disk.fail(operation, with: StorageFault(.denied, number: EPERM))
        }
        dependencies.storage = disk
        self.disk = disk
        return dependencies
    }

    /// Makes the disk accessible, as after the first unlock.
    func unlock() {
        disk?.clearFaults()
    }

    /// Advances the clock without waiting.
    func advance(by duration: Duration) {
        clock.advance(by: duration)
    }
}

/// The system's clocks, shifted into the future.
private final class ShiftedClock: EventClock {
    private let system = SystemClock()
    private let offset = Locked(Duration.zero)

    func advance(by duration: Duration) {
        offset.withLock { $0 += duration }
    }

    func now() -> DualTimestamp {
        let (now, offset) = (system.now(), offset.withLock { $0 })
        let milliseconds = offset.components.seconds * 1000
        return DualTimestamp(
            wall: Timestamp(milliseconds: now.wall.milliseconds + milliseconds),
            monotonic: now.monotonic.advanced(by: offset)
        )
    }
}

/// UIKit screens without their own names; they are captured automatically.
final class HelpViewController: UIViewController {}
final class LetterViewController: UIViewController {}
