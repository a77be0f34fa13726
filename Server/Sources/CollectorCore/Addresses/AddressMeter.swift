// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The addresses that share one rate-limit bucket.
///
/// A group is one IPv4 address, or the 2^64 IPv6 addresses of one network, which a provider assigns to one customer.
public struct AddressGroup: Sendable, Hashable {
    private let network: UInt64
    private let isIPv6: Bool

    /// Creates the group that an address belongs to.
    public init(_ address: IPAddress) {
        switch address {
        case .v4(let number): (network, isIPv6) = (UInt64(number), false)
        case .v6(let network, _): (self.network, isIPv6) = (network, true)
        }
    }
}

/// A bounded number of rate-limit buckets, by address.
///
/// A value type: callers pass the current time.
///
/// The table has two generations. A request puts its address into the younger generation. When the younger generation
/// is full, it becomes the older one, and the previous older one is dropped. Each lookup therefore takes constant time,
/// and an address that makes many requests is never dropped in favor of one that made a single request. A dropped
/// bucket counts as full: no address is refused because of requests from others.
public struct AddressTable: Sendable {
    private let limit: RateLimit
    private let capacity: Int
    private var young: [AddressGroup: RateBucket] = [:]
    private var old: [AddressGroup: RateBucket] = [:]

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - limit: The limit for each address.
    ///   - capacity: The maximum number of tracked addresses. Values below two count as two.
    public init(_ limit: RateLimit, capacity: Int = 65_536) {
        self.limit = limit
        self.capacity = max(capacity, 2)
    }

    /// The number of tracked addresses.
    public var count: Int { young.count + old.count }

    /// Takes a token for an address.
    ///
    /// - Returns: Nil if a token was taken; otherwise the time until one is available.
    public mutating func take(of group: AddressGroup, at now: MonotonicTime) -> Duration? {
        var bucket = young[group] ?? old.removeValue(forKey: group) ?? RateBucket()
        let wait = bucket.take(under: limit, at: now)
        if young[group] == nil, young.count >= capacity / 2 {
            old = young
            young = [:]
        }
        young[group] = bucket
        return wait
    }
}

extension AddressTable {
    /// Takes more tokens from the bucket of an address that just took one.
    ///
    /// The bucket of the address may become overdrawn.
    mutating func charge(_ count: Int, to group: AddressGroup, at now: MonotonicTime) {
        young[group]?.charge(count, under: limit, at: now)
    }
}

/// Limits the request rate of each address.
///
/// Thread-safe.
public final class AddressMeter: Sendable {
    private let table: Locked<AddressTable>?
    private let clock: any EventClock

    /// Creates a meter with a limit for each address.
    ///
    /// If the limit is nil, requests are unlimited.
    public init(_ limit: RateLimit?, clock: any EventClock) {
        table = limit.map { Locked(AddressTable($0)) }
        self.clock = clock
    }

    /// Counts a request from an address.
    ///
    /// - Throws: ``AdmissionError`` `address_rate` if the address exceeds the limit.
    public func admit(_ address: IPAddress) throws(AdmissionError) {
        guard let table else { return }
        let now = clock.now().monotonic
        guard let wait = table.withLock({ $0.take(of: AddressGroup(address), at: now) }) else { return }
        throw AdmissionError(
            .limited(wait),
            code: .addressRate,
            message: "Too many requests came from this address; try again later."
        )
    }
}
