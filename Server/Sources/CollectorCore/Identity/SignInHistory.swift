// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The users who were signed in on one installation, by device time.
///
/// Events recorded while no user was signed in belong to the user of the next signed-in event (``owner(at:)``).
/// Events after the last signed-in event belong to a new anonymous visitor.
///
/// The history depends only on the set of events, not on the order in which they are added. Events in the same
/// millisecond are ordered by ``Period/mark``.
public struct SignInHistory: Sendable, Hashable {
    /// Events of one user without events of other users between them.
    public struct Period: Sendable, Hashable {
        /// The user's number in the store.
        public var user: Int64
        /// A number derived from the user's ID, the same in every store.
        public var mark: Int64
        /// The time of the period's last event, in milliseconds since 1970.
        public var last: Int64

        /// Creates a period of a user.
        public init(user: Int64, mark: Int64, last: Int64) {
            self.user = user
            self.mark = mark
            self.last = last
        }

        fileprivate func precedes(_ other: Period) -> Bool {
            (last, mark, user) < (other.last, other.mark, other.user)
        }
    }

    /// The person that the events of a time range belong to.
    public enum Owner: Sendable, Hashable {
        /// The anonymous visitor: no user signed in afterward.
        case visitor
        /// One user.
        case user(Int64)
        /// Several people.
        ///
        /// - Parameter includesVisitor: Whether the visitor after the last sign-in can be among them.
        case several(includesVisitor: Bool)
    }

    /// The maximum number of periods.
    ///
    /// An installation with more is a public device: its anonymous events belong to no user.
    public static let maximumPeriods = 1_000

    /// The periods, the earliest first.
    ///
    /// Empty if no anonymous event belongs to a user.
    public private(set) var periods: [Period] = []
    /// Whether anonymous events are kept separate from users.
    ///
    /// True if the app keeps them separate, or if there are more than ``maximumPeriods`` periods.
    public private(set) var isSeparate = false

    /// Creates a history without sign-ins.
    public init() {}

    /// Whether no anonymous event belongs to a user.
    public var isEmpty: Bool { periods.isEmpty }

    // MARK: Adding signed-in events

    /// Adds a signed-in event if this requires no lookup of other events.
    ///
    /// - Returns: False if the event divides another user's period. Such an event must be added with
    ///   ``insert(_:lastEvent:)``.
    /// - Complexity: O(log periods).
    public mutating func extend(_ event: Period) -> Bool {
        guard !isSeparate else { return true }
        if let last = periods.last, last.user == event.user, last.last <= event.last {
            periods[periods.count - 1].last = event.last
            return true
        }
        let index = index(of: event)
        if index < periods.count { return periods[index].user == event.user }
        periods.append(event)
        checkCount()
        return true
    }

    /// Adds a signed-in event.
    ///
    /// - Parameters:
    ///   - event: The event as a period.
    ///   - lastEvent: Returns the time of a user's last event on the installation within a time range; nil if there is
    ///     none.
    /// - Complexity: O(periods), and one call of `lastEvent` if the event divides another user's period.
    public mutating func insert(
        _ event: Period,
        lastEvent: (_ user: Int64, _ times: ClosedRange<Int64>) throws -> Int64?
    ) rethrows {
        guard !extend(event) else { return }
        let index = index(of: event)
        let divided = periods[index]
        let previous = index > 0 ? periods[index - 1] : nil
        // Within one millisecond, the marks decide which of two events is earlier.
        let isAtPrevious = previous.map { ($0.mark, $0.user) < (divided.mark, divided.user) } ?? true
        let isAtEvent = (divided.mark, divided.user) < (event.mark, event.user)
        let from = previous.map { isAtPrevious ? $0.last : $0.last &+ 1 } ?? .min
        let through = isAtEvent ? event.last : event.last &- 1
        let isPossible = from <= through && (isAtEvent || event.last > .min)
        let earlier = isPossible ? try lastEvent(divided.user, from...through) : nil
        if let earlier {
            periods.insert(
                contentsOf: [Period(user: divided.user, mark: divided.mark, last: earlier), event],
                at: index
            )
        } else if let previous, previous.user == event.user {
            periods[index - 1].last = event.last
        } else {
            periods.insert(event, at: index)
        }
        checkCount()
    }

    /// Returns the index of the first period that ends with or after an event.
    private func index(of event: Period) -> Int {
        var (low, high) = (0, periods.count)
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].precedes(event) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func checkCount() {
        if periods.count > Self.maximumPeriods { keepSeparate() }
    }

    /// Keeps all anonymous events of the installation separate from users.
    ///
    /// Called for an app that keeps anonymous events separate or has ever done so.
    public mutating func keepSeparate() {
        periods = []
        isSeparate = true
    }

    // MARK: Changing users

    /// Returns the history as it would be without the events of one user.
    ///
    /// - Complexity: O(periods).
    public func removing(user: Int64) -> SignInHistory {
        renumbered { $0 == user ? nil : $0 }
    }

    /// Returns the history with other numbers of users.
    ///
    /// - Parameter number: Returns the new number of a user; nil to remove the user's events.
    /// - Complexity: O(periods).
    public func renumbered(_ number: (Int64) throws -> Int64?) rethrows -> SignInHistory {
        var result = self
        result.periods = []
        for var period in periods {
            guard let user = try number(period.user) else { continue }
            period.user = user
            // Without the events between them, two periods of a user are one.
            if result.periods.last?.user == user { result.periods.removeLast() }
            result.periods.append(period)
        }
        return result
    }

    // MARK: Owners of anonymous events

    /// Returns the user that an anonymous event at a time belongs to.
    ///
    /// Nil for the visitor after the last sign-in.
    ///
    /// - Complexity: O(log periods).
    public func owner(at time: Int64) -> Int64? {
        let index = index(endingAtOrAfter: time)
        return index < periods.count ? periods[index].user : nil
    }

    /// Returns the possible owners of anonymous events in a time range.
    ///
    /// - Complexity: O(log periods).
    public func owner(of times: ClosedRange<Int64>) -> Owner {
        let first = index(endingAtOrAfter: times.lowerBound)
        guard first < periods.count else { return .visitor }
        return times.upperBound <= periods[first].last
            ? .user(periods[first].user)
            : .several(includesVisitor: times.upperBound > periods[periods.count - 1].last)
    }

    /// Returns the time ranges whose anonymous events belong to a user.
    ///
    /// The earliest time range is first.
    ///
    /// - Complexity: O(periods).
    public func times(of user: Int64) -> [ClosedRange<Int64>] {
        var found: [ClosedRange<Int64>] = []
        var start = Int64.min
        for period in periods {
            if period.user == user, start <= period.last { found.append(start...period.last) }
            guard period.last < .max else { break }
            start = max(start, period.last + 1)
        }
        return found
    }

    /// The time range of the visitor after the last sign-in.
    ///
    /// Nil if the time range is empty.
    public var visitorTimes: ClosedRange<Int64>? {
        guard let last = periods.last?.last else { return .min ... .max }
        return last < .max ? last + 1 ... .max : nil
    }

    private func index(endingAtOrAfter time: Int64) -> Int {
        var (low, high) = (0, periods.count)
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].last < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: - Stored form

extension SignInHistory {
    /// The history as bytes.
    ///
    /// For each period, the bytes contain its user, mark, and last time, each as 8 little-endian bytes.
    ///
    /// Empty bytes mean that no anonymous event belongs to a user.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(periods.count * 24)
        for period in periods {
            for value in [period.user, period.mark, period.last] {
                withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
            }
        }
        return bytes
    }

    /// Decodes a history from its bytes.
    ///
    /// An incomplete period at the end is ignored.
    public init(bytes: UnsafeRawBufferPointer) {
        isSeparate = bytes.isEmpty
        func value(_ offset: Int) -> Int64 {
            Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
        }
        for offset in stride(from: 0, through: bytes.count - 24, by: 24) {
            periods.append(Period(user: value(offset), mark: value(offset + 8), last: value(offset + 16)))
        }
    }
}
