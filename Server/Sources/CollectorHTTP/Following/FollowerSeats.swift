// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import TrackwayEvents

/// The places for live streams and waits: so many, and each is taken by one.
final class FollowerSeats: Sendable {
    private let taken = Locked(0)
    private let limit: Int

    /// - Parameter limit: How many there are.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a place, in one step with looking whether there is one.
    ///
    /// - Throws: ``RequestFailure`` `too_many_followers` when all are taken.
    func take() throws(RequestFailure) -> FollowerSeat {
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        guard isFree else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "too_many_followers",
                message: "\(limit) streams are open already; close one.",
                retryAfter: .seconds(10)
            )
        }
        return FollowerSeat(of: self)
    }

    fileprivate func leave() { taken.withLock { $0 -= 1 } }
}

/// A place among the followers, until the last reference to it goes: also that of a body that was never asked for.
final class FollowerSeat: Sendable {
    private let seats: FollowerSeats

    fileprivate init(of seats: FollowerSeats) {
        self.seats = seats
    }

    deinit { seats.leave() }
}
