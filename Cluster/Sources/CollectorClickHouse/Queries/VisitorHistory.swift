// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The users of one installation's anonymous events.
struct VisitorHistory {
    /// The history, with the indexes of ``users`` as numbers.
    private(set) var history = SignInHistory()
    private var users: [ByteText] = []

    /// Creates a history from periods in order of time.
    init(_ periods: [(user: ByteText, end: Int64)]) {
        var numbers: [ByteText: Int64] = [:]
        for period in periods {
            let number = numbers[period.user] ?? Int64(users.count)
            if numbers.updateValue(number, forKey: period.user) == nil { users.append(period.user) }
            // The periods are in order, so none divides another.
            _ = history.extend(SignInHistory.Period(user: number, mark: 0, last: period.end))
        }
    }

    /// Returns the user that an anonymous event at a time belongs to; nil for the visitor.
    func owner(at time: Int64) -> ByteText? { history.owner(at: time).map { users[Int($0)] } }

    /// Returns the time ranges whose anonymous events belong to a user.
    func times(of user: String) -> [ClosedRange<Int64>] {
        users.firstIndex(of: ByteText(user)).map { history.times(of: Int64($0)) } ?? []
    }

    /// Returns the parts of a visitor's events that belong to a person.
    ///
    /// - Parameter visitor: The activity of all anonymous events on the installation.
    func parts(of person: PersonKey, _ visitor: KnownPerson.DeviceActivity) -> [VisitorPart] {
        guard let installation = visitor.installation else { return [] }
        let everything = VisitorPart(installation: installation, times: .min ... .max, ends: [], visitor: visitor)
        let ends = history.periods.map(\.last)
        func part(_ times: ClosedRange<Int64>) -> VisitorPart {
            VisitorPart(installation: installation, times: times, ends: ends, visitor: visitor)
        }
        switch (history.owner(of: visitor.first...max(visitor.first, visitor.last)), person) {
        case (.visitor, .visitor): return [everything]
        case (.visitor, .user), (.user, .visitor): return []
        case (.user(let number), .user(let id)): return users[Int(number)] == ByteText(id) ? [everything] : []
        case (.several(let includesVisitor), .visitor):
            return includesVisitor ? history.visitorTimes.map { [part($0)] } ?? [] : []
        case (.several, .user(let id)):
            guard let number = users.firstIndex(of: ByteText(id)) else { return [] }
            return history.times(of: Int64(number)).map(part)
        }
    }
}

/// A part of a visitor's events that belongs to one person.
struct VisitorPart {
    let installation: InstallationID
    /// The time range, in milliseconds since 1970.
    let times: ClosedRange<Int64>
    /// The ends of the installation's periods; empty if all of the visitor's events belong to the person.
    let ends: [Int64]
    /// The activity of the whole visitor.
    let visitor: KnownPerson.DeviceActivity

    /// Whether all of the visitor's events belong to the person.
    var isWhole: Bool { ends.isEmpty }

    /// Returns the number of periods that end before a time.
    ///
    /// - Complexity: O(log periods).
    func period(of time: Int64) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The number of periods that end before the column `time`, as an SQL expression.
    ///
    /// Old versions read a column only if it also occurs outside the lambda, hence the condition that is never true.
    var period: String {
        let list = ends.map { "toInt64(\($0))" }.joined(separator: ", ")
        guard !list.isEmpty else { return "toUInt64(0)" }
        return "toUInt64(if(time < toInt64(\(Int64.min)), 0, arrayCount(e -> e < time, array(\(list)))))"
    }
}
