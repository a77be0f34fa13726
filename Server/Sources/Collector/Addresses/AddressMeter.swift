// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Who shares a bucket: an IPv4 address, or the 2^64 IPv6 addresses that one customer of a provider has.
public struct AddressGroup: Sendable, Hashable {
    private let network: UInt64
    private let isIPv6: Bool

    /// The group of an address.
    public init(_ address: IPAddress) {
        switch address {
        case .v4(let number): (network, isIPv6) = (UInt64(number), false)
        case .v6(let network, _): (self.network, isIPv6) = (network, true)
        }
    }
}

/// Buckets by address, a bounded number of them. A value: the time is handed in.
///
/// Two generations: an address that asks is kept in the younger one; when that is full, it becomes the older one, and the
/// previous older one is dropped. So each question costs the same, and an address that asks often is never dropped for one
/// that asked once. A dropped bucket counts as full: no address is refused because others ask.
public struct AddressTable: Sendable {
    private let limit: RateLimit
    private let capacity: Int
    private var young: [AddressGroup: RateBucket] = [:]
    private var old: [AddressGroup: RateBucket] = [:]

    /// An empty table.
    ///
    /// - Parameters:
    ///   - limit: What each address may ask for.
    ///   - capacity: The most addresses it remembers: at least two.
    public init(_ limit: RateLimit, capacity: Int = 65_536) {
        self.limit = limit
        self.capacity = max(capacity, 2)
    }

    /// How many addresses it remembers.
    public var count: Int { young.count + old.count }

    /// Takes a token of an address.
    ///
    /// - Returns: Nil when one was taken; otherwise how long it takes until one is there.
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
    /// Takes further tokens of an address that a token was just taken of; its bucket may then lack some.
    mutating func charge(_ count: Int, to group: AddressGroup, at now: MonotonicTime) {
        young[group]?.charge(count, under: limit, at: now)
    }
}

/// The rates of addresses. Safe from any thread.
public final class AddressMeter: Sendable {
    private let table: Locked<AddressTable>?
    private let clock: any EventClock

    /// A meter with this limit for each address; nil for no limit.
    public init(_ limit: RateLimit?, clock: any EventClock) {
        table = limit.map { Locked(AddressTable($0)) }
        self.clock = clock
    }

    /// Counts a request of an address.
    ///
    /// - Throws: ``AdmissionError`` `address_rate` when it asks too often.
    public func admit(_ address: IPAddress) throws(AdmissionError) {
        guard let table else { return }
        let now = clock.now().monotonic
        guard let wait = table.withLock({ $0.take(of: AddressGroup(address), at: now) }) else { return }
        throw AdmissionError(
            .limited(wait),
            code: "address_rate",
            message: "Too many requests came from this address; try again later."
        )
    }
}
