// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Limits the rate at which installations may be erased.
///
/// Every erasure is stored permanently, even for an installation without events, and any client can invent
/// installations. A batch that exceeds the limit must be sent again: no erasure is dropped.
///
/// Thread-safe.
public final class ErasureMeter: Sendable {
    private struct State: Sendable {
        var keys: [String: RateBucket] = [:]
        var addresses: AddressTable
    }

    private let keyLimit: RateLimit
    private let clock: any EventClock
    private let state: Locked<State>

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - keyLimit: The limit for one key: by default 20 a second with a burst of 10,000.
    ///   - addressLimit: The limit for one address: by default 10 a second with a burst of 1,000.
    public init(
        keyLimit: RateLimit = RateLimit(20, per: .seconds(1), burst: 10_000),
        addressLimit: RateLimit = RateLimit(10, per: .seconds(1), burst: 1_000),
        clock: any EventClock
    ) {
        self.keyLimit = keyLimit
        self.clock = clock
        state = Locked(State(addresses: AddressTable(addressLimit)))
    }

    /// Counts the erasures of a batch.
    ///
    /// - Parameters:
    ///   - count: The number of erasures.
    ///   - key: The name of the request's key.
    ///   - address: The client's address; nil for this machine, to which no address limit applies.
    /// - Throws: ``AdmissionError`` `erasure_rate` if the batch must be sent again later; such a batch is not counted.
    public func admit(_ count: Int, key: String, from address: IPAddress?) throws(AdmissionError) {
        guard count > 0 else { return }
        let now = clock.now().monotonic
        let group = address.map { AddressGroup($0) }
        let wait = state.withLock { state -> Duration? in
            var bucket = state.keys[key] ?? RateBucket()
            if let wait = bucket.wait(under: keyLimit, at: now) { return wait }
            if let group {
                if let wait = state.addresses.take(of: group, at: now) { return wait }
                state.addresses.charge(count - 1, to: group, at: now)
            }
            bucket.charge(count, under: keyLimit, at: now)
            state.keys[key] = bucket
            return nil
        }
        guard let wait else { return }
        throw AdmissionError(
            .limited(wait),
            code: .erasureRate,
            message: "Too many installations were erased in a short time; send the batch again later."
        )
    }
}
