// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore

/// Decides how long a connection may take for what it is doing. A value: the handler tells it what happened and when.
struct RequestWatch {
    /// What to do when a deadline has passed.
    enum Expiry: Equatable {
        /// Nothing yet: look again at this moment.
        case lookAgain(NIODeadline)
        /// No deadline at the moment.
        case rest
        /// The body is too slow and nothing was answered: answer with an error.
        case failBody
        /// The connection is of no more use.
        case close
    }

    private let headers: TimeAmount
    private let body: TimeAmount
    private let idle: TimeAmount
    private var isReadingBody = false
    private var answersDue = 0
    private var isClosing = false
    /// Nil while the collector works on an answer: its own time is not the sender's fault.
    private(set) var deadline: NIODeadline?

    init(headers: TimeAmount, body: TimeAmount, idle: TimeAmount) {
        self.headers = headers
        self.body = body
        self.idle = idle
    }

    /// What the connection is doing.
    var phase: ConnectionTable.Phase {
        if isReadingBody { return .receiving }
        return answersDue > 0 ? .answering : .resting
    }

    /// The connection was made.
    mutating func connected(at now: NIODeadline) {
        deadline = now + headers
    }

    /// A request's headers are complete.
    mutating func headArrived(at now: NIODeadline) {
        isReadingBody = true
        answersDue += 1
        if !isClosing { deadline = now + body }
    }

    /// A request's body is complete.
    mutating func bodyEnded(at now: NIODeadline) {
        isReadingBody = false
        settle(at: now)
    }

    /// An answer was written completely.
    ///
    /// - Parameter isLast: Whether it announced that the connection ends.
    mutating func answered(at now: NIODeadline, isLast: Bool) {
        answersDue = max(0, answersDue - 1)
        if isLast || isClosing {
            isClosing = true
            deadline = now + Self.lingering
        } else {
            settle(at: now)
        }
    }

    /// The timer fired.
    mutating func expired(at now: NIODeadline) -> Expiry {
        guard let deadline else { return .rest }
        guard deadline <= now else { return .lookAgain(deadline) }
        self.deadline = nil
        guard isReadingBody, answersDue > 0, !isClosing else { return .close }
        // The answer ends the connection; how long the collector takes to write it is not the sender's fault.
        isClosing = true
        return .failBody
    }

    /// How long the rest of a refused body is still read, so that the sender sees the answer and not a reset.
    private static let lingering = TimeAmount.seconds(2)

    private mutating func settle(at now: NIODeadline) {
        guard !isClosing else { return }
        if isReadingBody {
            // Answered early: the body keeps the deadline it has.
        } else if answersDue > 0 {
            deadline = nil
        } else {
            deadline = now + idle
        }
    }
}
