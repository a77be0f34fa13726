// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Waits of a test for what other tasks do, which end with an error instead of never.
public enum Deadline {
    /// How long a wait lasts at most: 5 min, because a loaded machine runs thousands of tests at once.
    public static let limit = Duration.seconds(300)

    /// Waits while a condition holds, and lets other tasks run.
    ///
    /// Call it for what has no other sign to wait for: a call of the storage that is held, an event that has arrived. It takes real time,
    /// whichever clock the tested code has. It asks for the condition often, on the caller's actor.
    ///
    /// - Parameters:
    ///   - condition: What must end. It is evaluated at least once.
    ///   - limit: The longest wait, in real time.
    ///   - step: What is done between two evaluations, such as moving a simulated clock on.
    ///   - file: The file that waits; the caller's.
    ///   - line: The line that waits; the caller's.
    /// - Throws: ``DeadlineExceeded`` after `limit`; `CancellationError` if the task is canceled; what `condition` and `step` throw.
    public nonisolated(nonsending) static func wait(
        while condition: @autoclosure () throws -> Bool,
        atMost limit: Duration = limit,
        doing step: nonisolated(nonsending) () async throws -> Void = {},
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        let start = ContinuousClock.now
        while try condition() {
            try Task.checkCancellation()
            guard start.duration(to: .now) < limit else {
                throw DeadlineExceeded(limit: limit, file: "\(file)", line: line)
            }
            try await step()
            await Task.yield()
        }
    }
}

/// A wait that did not end in time.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    /// How long the wait lasted.
    public let limit: Duration
    /// The file that waited, as `#fileID` names it.
    public let file: String
    /// The line that waited.
    public let line: UInt

    public var description: String { "\(file):\(line): what this line waits for had not happened after \(limit)" }
}
