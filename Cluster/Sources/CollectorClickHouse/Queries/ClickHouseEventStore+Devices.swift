// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

extension ClickHouseEventStore {
    /// The number of a device's latest snapshots that are compared.
    ///
    /// Each snapshot is compared with the one before it.
    static let comparedSnapshots = 5_000

    package func devices(matching query: DeviceQuery) async throws(StoreError) -> [StoredDevice] {
        try await devices(matching: query, comparing: Self.comparedSnapshots)
    }

    package func device(_ installation: InstallationID, limit: Int) async throws(StoreError) -> DeviceHistory? {
        try await device(installation, limit: limit, comparing: Self.comparedSnapshots)
    }

    /// Returns devices, with their latest snapshots compared.
    ///
    /// - Parameter snapshots: The number of each device's snapshots to compare.
    func devices(matching query: DeviceQuery, comparing snapshots: Int) async throws(StoreError) -> [StoredDevice] {
        guard query.limit > 0 else { return [] }
        let block = try await completed()
        var meter = QueryMeter(budget, clock: clock)
        var installations: [InstallationID] = []
        try await rows(DeviceSQL.selection(query, block), &meter) { row throws(RowFault) in
            try row.installationID()
        } _: { installation throws(StoreError) in
            installations.append(installation)
        }
        let described = try await describe(installations, DeviceSQL(installations, block), 0, snapshots, &meter)
        return installations.compactMap { described[$0]?.device }
    }

    /// Returns what a device reported, with its latest snapshots compared.
    ///
    /// - Parameter snapshots: The number of snapshots to compare.
    func device(
        _ installation: InstallationID,
        limit: Int,
        comparing snapshots: Int
    ) async throws(StoreError) -> DeviceHistory? {
        let sql = DeviceSQL([installation], try await completed())
        var meter = QueryMeter(budget, clock: clock)
        let described = try await describe([installation], sql, max(0, limit), snapshots, &meter)
        guard let found = described[installation], let device = found.device else { return nil }
        var states: [StoredAppState] = []
        if limit > 0 { try await self.states(sql.states(limit), &meter) { _, state in states.append(state) } }
        return DeviceHistory(
            device: device,
            properties: found.properties.latest,
            steps: found.properties.steps,
            states: states
        )
    }

    /// The data about a device.
    private struct DeviceDescription {
        var device: StoredDevice?
        var properties: PropertyTally
    }

    private func describe(
        _ installations: [InstallationID],
        _ sql: DeviceSQL,
        _ steps: Int,
        _ snapshots: Int,
        _ meter: inout QueryMeter
    ) async throws(StoreError) -> [InstallationID: DeviceDescription] {
        guard !installations.isEmpty else { return [:] }
        var found: [InstallationID: DeviceDescription] = [:]
        let merged = merged
        try await rows(sql.sums, &meter) { row throws(RowFault) in
            (
                installation: try row.installationID(), first: try row.int64(), last: try row.int64(),
                events: try row.uint64(), states: try row.uint64(), user: try row.string()
            )
        } _: { row throws(StoreError) in
            var device = StoredDevice(
                installation: row.installation,
                first: Timestamp(milliseconds: row.first),
                last: Timestamp(milliseconds: row.last),
                events: row.events,
                states: Int64(clamping: row.states),
                propertyChanges: 0
            )
            device.user = row.user.isEmpty ? nil : merged.root(of: String(decoding: row.user, as: UTF8.self))
            found[row.installation] = DeviceDescription(device: device, properties: PropertyTally(steps: steps))
        }
        try await rows(sql.facts, &meter) { row throws(RowFault) in
            (
                installation: try row.installationID(), app: try row.fact(), version: try row.fact(),
                model: try row.fact(), system: try row.fact()
            )
        } _: { row throws(StoreError) in
            let facts = DeviceFacts(app: row.app, version: row.version, model: row.model, system: row.system)
            found[row.installation]?.device?.take(facts)
        }
        try await rows(sql.properties(snapshots), &meter) { row throws(RowFault) in
            (installation: try row.installationID(), time: try row.int64(), body: try row.string())
        } _: { row throws(StoreError) in
            found[row.installation]?.properties.add(row.body, at: Timestamp(milliseconds: row.time))
        }
        var states: [InstallationID: StoredAppState] = [:]
        try await self.states(sql.latestStates, &meter) { installation, state in states[installation] = state }
        for installation in installations {
            guard var described = found[installation] else { continue }
            described.properties.finish()
            described.device?.propertyChanges = described.properties.changes
            described.device?.take(described.properties.latest, states[installation])
            found[installation] = described
        }
        return found
    }

    /// Calls `body` once for each app state.
    private func states(
        _ statement: String,
        _ meter: inout QueryMeter,
        _ body: (InstallationID, StoredAppState) -> Void
    ) async throws(StoreError) {
        var last: Int64?
        try await rows(statement, &meter) { row throws(RowFault) in
            (
                installation: try row.installationID(), time: try row.int64(), position: try row.int64(),
                screen: try row.string(), body: try row.string()
            )
        } _: { row throws(StoreError) in
            // Rows that were written twice are adjacent.
            guard last != row.position else { return }
            last = row.position
            // Admission validated the text. Content that cannot be parsed has no attributes.
            let attributes = (try? JSONValue.parse(row.body))?.object ?? .init()
            let state = StoredAppState(
                at: Timestamp(milliseconds: row.time),
                attributes,
                screen: QueryValue(columnBytes: row.screen)?.text
            )
            body(row.installation, state)
        }
    }
}

/// Compares the snapshots of a device's properties, latest first.
private struct PropertyTally {
    /// The properties in the latest snapshot.
    private(set) var latest = JSONValue.Object()
    /// The latest times at which properties differed from the previous snapshot.
    private(set) var steps: [DeviceHistory.Step] = []
    /// The total number of property changes in all snapshots.
    private(set) var changes: Int64 = 0
    private let maxSteps: Int
    private var later: (body: [UInt8], properties: JSONValue.Object, time: Timestamp)?

    /// Creates a tally without snapshots.
    ///
    /// - Parameter steps: The maximum number of steps to keep.
    init(steps: Int) { maxSteps = steps }

    /// Adds the next snapshot, which is older than the previously added one.
    mutating func add(_ body: [UInt8], at time: Timestamp) {
        if later?.body == body {
            later?.time = time
            return
        }
        // Admission validated the text. Content that cannot be parsed has no properties.
        let properties = StoredDevice.properties(among: (try? JSONValue.parse(body))?.object ?? .init())
        if let later {
            let found = PropertyChange.between(properties, later.properties)
            changes += Int64(found.count)
            if !found.isEmpty, steps.count < maxSteps { steps.append(.init(time: later.time, changes: found)) }
        } else {
            latest = properties
        }
        later = (body, properties, time)
    }

    /// Ends the comparison.
    mutating func finish() { later = nil }
}

/// Statements about devices.
///
/// The SQL works with ClickHouse 18.16 and later.
private struct DeviceSQL {
    /// The condition that a row belongs to one of the devices and to a complete block.
    private let deviceCondition: String

    /// Creates statements about the given devices.
    init(_ installations: [InstallationID], _ block: UInt64) {
        let list = installations.map { SQLText.literal($0) }.joined(separator: ", ")
        deviceCondition =
            "installation IN (\(list)) AND block <= \(block) AND installation NOT IN (SELECT installation FROM erasures)"
    }

    /// Returns a statement for the devices that match a query, in the query's order.
    static func selection(_ query: DeviceQuery, _ block: UInt64) -> String {
        let having = query.after.map { cursor in
            let time = "toInt64(\(cursor.time.milliseconds))"
            return
                " HAVING seen < \(time) OR (seen = \(time) AND installation < \(SQLText.literal(cursor.installation)))"
        }
        // Rows that were written twice have the same end, so FINAL is not needed.
        return "SELECT installation FROM (SELECT installation, max(last) AS seen FROM devices WHERE block <= \(block) "
            + "AND installation NOT IN (SELECT installation FROM erasures) GROUP BY installation\(having ?? "") "
            + "ORDER BY seen DESC, installation DESC LIMIT \(query.limit))"
    }

    /// A statement for the devices' sums, and the signed-in user at the last event.
    var sums: String {
        "SELECT installation, min(first), max(last), sum(events), sum(states), tupleElement(max((last, block, user)), 3) "
            + "FROM devices FINAL WHERE \(deviceCondition) GROUP BY installation"
    }

    /// A statement for the facts in contexts, in order of their first occurrence.
    ///
    /// If a fact has several values, the last nonempty one is used.
    var facts: String {
        let columns = ["app", "version", "model", "system"]
        let latest = columns.indices.map { "tupleElement(maxIf((b, n, t\($0)), t\($0) != ''), 3)" }
        let aggregated = columns.enumerated().map { "any(\($1)) AS t\($0)" }
        return "SELECT installation, \(latest.joined(separator: ", ")) FROM (SELECT installation, context, "
            + "tupleElement(min((block, number)), 1) AS b, tupleElement(min((block, number)), 2) AS n, "
            + "\(aggregated.joined(separator: ", ")) FROM descriptions WHERE \(deviceCondition) GROUP BY installation, context) "
            + "GROUP BY installation"
    }

    /// Returns a statement for the devices' latest properties, latest first for each device.
    func properties(_ limit: Int) -> String {
        "SELECT installation, time, body FROM snapshots FINAL WHERE kind = 0 AND \(deviceCondition) "
            + "ORDER BY installation, time DESC, position DESC LIMIT \(limit) BY installation"
    }

    /// A statement for the latest state of each device.
    ///
    /// States may be long, so only the requested ones are read.
    var latestStates: String {
        states(
            "SELECT tupleElement(max((time, position)), 2) FROM snapshots WHERE kind = 1 AND \(deviceCondition) GROUP BY installation"
        )
    }

    /// Returns a statement for the latest states.
    func states(_ limit: Int) -> String {
        states(
            "SELECT position FROM (SELECT time, position FROM snapshots WHERE kind = 1 AND \(deviceCondition) GROUP BY time, position "
                + "ORDER BY time DESC, position DESC LIMIT \(limit))"
        )
    }

    private func states(_ positions: String) -> String {
        "SELECT installation, time, position, screen, body FROM snapshots PREWHERE position IN (\(positions)) "
            + "WHERE kind = 1 AND \(deviceCondition) ORDER BY time DESC, position DESC"
    }
}

extension QueryValue {
    /// The value's text; nil for values of other types.
    fileprivate var text: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}

extension RowCursor {
    /// Reads a column with an installation's id.
    mutating func installationID() throws(RowFault) -> InstallationID {
        let id = try idHalves()
        return InstallationID(high: id.high, low: id.low)
    }

    /// Reads a column with a string; nil if it is empty.
    fileprivate mutating func fact() throws(RowFault) -> String? {
        let bytes = try string()
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
