// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore

/// Decides how long a connection may take for its current activity.
///
/// A value type: the handler reports events with their times.
struct RequestDeadlines {
    /// The action to take when the timer fires.
    enum Expiry: Equatable {
        /// Nothing yet: check again at this time.
        case lookAgain(NIODeadline)
        /// Nothing: no deadline is set at the moment.
        case rest
        /// The body is too slow: respond with an error.
        ///
        /// No response was sent yet.
        case failBody
        /// Close the connection, which is no longer of use.
        case close
    }

    private let headers: TimeAmount
    private let body: TimeAmount
    private let idle: TimeAmount
    private var isReadingBody = false
    private var answersDue = 0
    private var isClosing = false
    /// The current deadline; nil while the collector prepares a response.
    ///
    /// Its own time is not the client's fault.
    private(set) var deadline: NIODeadline?

    init(headers: TimeAmount, body: TimeAmount, idle: TimeAmount) {
        self.headers = headers
        self.body = body
        self.idle = idle
    }

    /// The activity of the connection.
    var phase: ConnectionTable.Phase {
        if isReadingBody { return .receiving }
        return answersDue > 0 ? .answering : .resting
    }

    /// Records that the connection was made.
    mutating func connected(at now: NIODeadline) {
        deadline = now + headers
    }

    /// Records that a request's headers are complete.
    mutating func headArrived(at now: NIODeadline) {
        isReadingBody = true
        answersDue += 1
        if !isClosing { deadline = now + body }
    }

    /// Records that a request's body is complete.
    mutating func bodyEnded(at now: NIODeadline) {
        isReadingBody = false
        settle(at: now)
    }

    /// Records that a response was written completely.
    ///
    /// - Parameter isLast: Whether it announced the end of the connection.
    mutating func answered(at now: NIODeadline, isLast: Bool) {
        answersDue = max(0, answersDue - 1)
        if isLast || isClosing {
            isClosing = true
            deadline = now + Self.lingering
        } else {
            settle(at: now)
        }
    }

    /// Returns the action to take when the timer fires.
    mutating func expired(at now: NIODeadline) -> Expiry {
        guard let deadline else { return .rest }
        guard deadline <= now else { return .lookAgain(deadline) }
        self.deadline = nil
        guard isReadingBody, answersDue > 0, !isClosing else { return .close }
        // The response ends the connection; the time that the collector takes to write it is not the client's fault.
        isClosing = true
        return .failBody
    }

    /// The time for which the rest of a rejected body is read.
    ///
    /// The client then sees the response instead of a reset.
    private static let lingering = TimeAmount.seconds(2)

    private mutating func settle(at now: NIODeadline) {
        guard !isClosing else { return }
        if isReadingBody {
            // Answered early: the body keeps its deadline.
        } else if answersDue > 0 {
            deadline = nil
        } else {
            deadline = now + idle
        }
    }
}
