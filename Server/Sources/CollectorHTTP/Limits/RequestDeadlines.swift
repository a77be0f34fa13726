// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore

/// Decides how long a connection may take for its current activity.
///
/// The handler reports events together with their times.
struct RequestDeadlines {
    /// The action to take when the timer fires.
    enum Expiry: Equatable {
        /// No action yet; check again at this time.
        case checkAgain(NIODeadline)
        /// No action, because no deadline is currently set.
        case noDeadline
        /// Respond with an error because the body is too slow.
        ///
        /// No response has been sent yet.
        case failBody
        /// Close the connection, which is no longer usable.
        case close
    }

    private let headers: TimeAmount
    private let body: TimeAmount
    private let idle: TimeAmount
    private var isReadingBody = false
    private var pendingResponses = 0
    private var isClosing = false
    /// The current deadline; nil while the collector prepares a response.
    ///
    /// The collector's own processing time does not count against the client.
    private(set) var deadline: NIODeadline?

    init(headers: TimeAmount, body: TimeAmount, idle: TimeAmount) {
        self.headers = headers
        self.body = body
        self.idle = idle
    }

    /// The activity of the connection.
    var phase: ConnectionTable.Phase {
        if isReadingBody { return .receiving }
        return pendingResponses > 0 ? .responding : .idle
    }

    /// Records that the connection was established.
    mutating func connected(at now: NIODeadline) {
        deadline = now + headers
    }

    /// Records that a request's headers are complete.
    mutating func headReceived(at now: NIODeadline) {
        isReadingBody = true
        pendingResponses += 1
        if !isClosing { deadline = now + body }
    }

    /// Records that a request's body is complete.
    mutating func bodyReceived(at now: NIODeadline) {
        isReadingBody = false
        settle(at: now)
    }

    /// Records that a response was written completely.
    ///
    /// - Parameter isLast: Whether the response announced the end of the connection.
    mutating func responseSent(at now: NIODeadline, isLast: Bool) {
        pendingResponses = max(0, pendingResponses - 1)
        if isLast || isClosing {
            isClosing = true
            deadline = now + Self.lingerTime
        } else {
            settle(at: now)
        }
    }

    /// Returns the action to take when the timer fires.
    mutating func timerFired(at now: NIODeadline) -> Expiry {
        guard let deadline else { return .noDeadline }
        guard deadline <= now else { return .checkAgain(deadline) }
        self.deadline = nil
        guard isReadingBody, pendingResponses > 0, !isClosing else { return .close }
        // The response ends the connection; the time that the collector takes to write it does not count against the
        // client.
        isClosing = true
        return .failBody
    }

    /// The time that a connection remains open for reading after its last response.
    ///
    /// For example, the rest of a rejected body is read, so that the client sees the response instead of a connection
    /// reset.
    private static let lingerTime = TimeAmount.seconds(2)

    private mutating func settle(at now: NIODeadline) {
        guard !isClosing else { return }
        if isReadingBody {
            // The response was sent before the body was complete; the body keeps its deadline.
        } else if pendingResponses > 0 {
            deadline = nil
        } else {
            deadline = now + idle
        }
    }
}
