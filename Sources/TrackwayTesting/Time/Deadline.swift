// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Waits for other tasks in tests, with a time limit.
public enum Deadline {
    /// The default limit: 5 minutes.
    ///
    /// The limit is this long because a loaded machine may run thousands of tests at once.
    public static let limit = Duration.seconds(300)

    /// Waits while a condition holds, and lets other tasks run.
    ///
    /// Use it for conditions that no notification reports, for example that a storage call is held or an event has
    /// arrived. The wait takes real time, regardless of the clock that the tested code uses. It polls the condition
    /// frequently, on the caller's actor.
    ///
    /// - Parameters:
    ///   - condition: The condition that must become false. It is evaluated at least once.
    ///   - limit: The maximum wait, in real time.
    ///   - step: The action to perform between two evaluations, such as advancing a simulated clock.
    ///   - file: The file that waits; the caller's by default.
    ///   - line: The line that waits; the caller's by default.
    /// - Throws: ``DeadlineExceeded`` after `limit`; `CancellationError` if the task is canceled; errors of `condition`
    ///   and `step`.
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

/// The error thrown when a wait does not end in time.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    /// The time limit of the wait.
    public let limit: Duration
    /// The file that waited, as `#fileID` names it.
    public let file: String
    /// The line that waited.
    public let line: UInt

    public var description: String { "\(file):\(line): the condition of this wait was not met within \(limit)" }
}
