// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Groups rejected events, and sums the losses that devices reported.
///
/// The tally is a value; a store passes its rows to the tally one by one.
public struct FailedGroupTally: Sendable {
    /// The number of rows between checks of the clock.
    private static let rowsBetweenChecks: Int64 = 512

    private struct Key: Hashable {
        let code: String
        let field: String
        let name: String?
        let version: String?
    }

    private let time: QueryTimeRange
    private let budget: QueryBudget
    private let clock: any EventClock
    private let began: MonotonicTime
    private var indexes: [Key: Int] = [:]
    private var lossRows: Int64 = 0
    private var losses: [String: Int64] = [:]
    private var reports: [String: FailedGroups.Report] = [:]
    private var groups: [FailedGroups.Group] = []
    private var count: Int64 = 0

    /// Creates an empty tally; its time budget starts now.
    public init(in time: QueryTimeRange, budget: QueryBudget, clock: any EventClock) {
        self.time = time
        self.budget = budget
        self.clock = clock
        began = clock.now().monotonic
    }

    private func check(_ rows: Int64) throws(StoreError) {
        guard rows <= budget.events else {
            throw .overBudget("from", "it reads more than \(budget.events) rejected events: choose a shorter range")
        }
        guard rows % Self.rowsBetweenChecks == 0 else { return }
        guard began.duration(to: clock.now().monotonic) <= budget.time else {
            throw .overBudget("from", "it takes longer than \(budget.time): choose a shorter time range")
        }
    }

    /// Counts a rejected event.
    ///
    /// Events must be passed in order of arrival; events that arrived at the same time must be in order of code, field,
    /// name and version. Memory use is O(``FailedGroups/maxGroups`` × intervals).
    ///
    /// - Throws: ``StoreError`` when the budget is exhausted.
    public mutating func addRejection(
        code: String,
        field: String,
        name: String?,
        version: String?,
        received: Timestamp,
        at position: EventPosition
    ) throws(StoreError) {
        count += 1
        try check(count)
        let key = Key(
            code: code,
            field: field.truncated(toUTF8Count: FailedEvent.nameBytes),
            name: name,
            version: version
        )
        let index: Int
        if let known = indexes[key] {
            index = known
        } else {
            guard groups.count < FailedGroups.maxGroups else { return }
            index = groups.count
            indexes[key] = index
            groups.append(
                FailedGroups.Group(
                    code: key.code,
                    field: key.field,
                    name: key.name,
                    version: key.version,
                    at: received,
                    sample: position,
                    intervals: time.count
                )
            )
        }
        groups[index].count += 1
        groups[index].last = received
        groups[index].sample = max(groups[index].sample, position)
        groups[index].values[time.slot(of: received)] += 1
    }

    /// Adds events that devices dropped for a reason.
    ///
    /// Reasons beyond the maximum number are ignored: our own clients use only a handful of reasons.
    ///
    /// - Parameter events: the number of events. Sums saturate, because a client can claim any number.
    /// - Throws: ``StoreError`` when the budget is exhausted.
    public mutating func addLoss(_ events: Int64, reason: String) throws(StoreError) {
        lossRows += 1
        try check(lossRows)
        guard losses[reason] != nil || losses.count < FailedGroups.maxReasons else { return }
        let (sum, isOver) = losses[reason, default: 0].addingReportingOverflow(max(0, events))
        losses[reason] = isOver ? .max : sum
    }

    /// Counts an event in which a client reports an error.
    ///
    /// Events must be passed latest first, at most ``FailedGroups/maxErrors`` of them.
    public mutating func addReport(_ id: EventID, at moment: Timestamp, body: UnsafeRawBufferPointer) {
        let (code, message) = Self.error(in: body)
        if reports[code] == nil {
            guard reports.count < FailedGroups.maxReasons else { return }
            reports[code] = FailedGroups.Report(
                code: code,
                events: 0,
                first: moment,
                last: moment,
                message: message,
                sample: id
            )
        }
        reports[code]?.events += 1
        reports[code]?.first = moment
    }

    /// Returns the result.
    public func result() -> FailedGroups {
        var result = FailedGroups()
        result.count = count
        result.groups = groups.sorted { left, right in
            if left.count != right.count { return left.count > right.count }
            return left.sample > right.sample
        }
        result.losses = losses.map { FailedGroups.Loss(reason: $0.key, events: $0.value) }
            .sorted { $0.events != $1.events ? $0.events > $1.events : $0.reason < $1.reason }
        result.reports = reports.values.sorted { $0.events != $1.events ? $0.events > $1.events : $0.code < $1.code }
        return result
    }

    /// Returns the code and the message of an error event.
    ///
    /// A missing code or message is returned as an empty string.
    private static func error(in body: UnsafeRawBufferPointer) -> (code: String, message: String) {
        // Admission validated the text. If it still cannot be parsed, both results are empty.
        guard let range = try? JSONScanner.member("attributes", of: body),
            let attributes = try? JSONValue.parse(UnsafeRawBufferPointer(rebasing: body[range]))
        else { return ("", "") }
        func text(_ key: String) -> String {
            guard let value = attributes[key], value != .null else { return "" }
            let text = value.string ?? String(decoding: value.json(), as: UTF8.self)
            return text.truncated(toUTF8Count: 2 * FailedEvent.nameBytes)
        }
        return (text(CapturedKey.errorCode), text(CapturedKey.errorMessage))
    }
}
