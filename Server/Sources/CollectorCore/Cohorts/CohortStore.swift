// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// The saved cohorts of one collector.
///
/// The cohorts are held in memory and in a small file next to the collector's data, which each change replaces
/// atomically. If the write fails, the change does not take effect. A damaged file is renamed.
///
/// Callable from any thread.
public final class CohortStore: CohortDirectory {
    private struct State: Sendable {
        var cohorts: [SavedCohort] = []
        /// Why the cohorts cannot be read or changed; nil if they can.
        var loadError: CohortError?
    }

    private let file: SavedFile
    private let zones: ZoneDirectory
    private let state: Locked<State>

    /// Opens the cohorts; a missing file counts as empty.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the file; nil keeps cohorts in memory only.
    ///   - storage: The storage of the file.
    ///   - time: The current time, used in the name of a damaged file.
    ///   - zones: Returns the offsets of time zones.
    ///   - onWarning: Called with warnings about the file.
    public init(
        path: String?,
        storage: any JournalStorage = DiskStorage(),
        at time: Timestamp,
        zones: @escaping ZoneDirectory,
        onWarning: (String) -> Void = { _ in }
    ) {
        file = SavedFile(path, storage, of: "cohorts", limit: CohortLimits.bytes)
        self.zones = zones
        var state = State()
        do throws(CohortError) {
            state.cohorts =
                try file.read(at: time, onWarning: onWarning) { bytes throws(SavedFile.Problem) in
                    try CohortFile.cohorts(bytes, zones: zones)
                } ?? []
        } catch {
            state.loadError = error
        }
        self.state = Locked(state)
    }

    /// Returns all cohorts by name.
    ///
    /// - Throws: ``CohortError`` `unavailable`, as the other methods here do.
    public func all() throws(CohortError) -> [SavedCohort] {
        try Self.loaded(state.withLock { $0 }).sorted { $0.name < $1.name }
    }

    /// Returns a cohort.
    ///
    /// - Throws: ``CohortError`` `notFound`.
    public func saved(_ name: String) throws(CohortError) -> SavedCohort {
        guard let cohort = try Self.loaded(state.withLock { $0 }).first(where: { $0.name == name }) else {
            throw Self.notFound(name)
        }
        return cohort
    }

    /// Saves a cohort; replaces one with the same name.
    ///
    /// - Returns: Whether the cohort is new.
    /// - Throws: ``CohortError`` `full`.
    public func save(_ cohort: SavedCohort, at time: Timestamp) throws(CohortError) -> Bool {
        var cohort = cohort
        cohort.changed = time
        return try change { cohorts throws(CohortError) in
            if let index = cohorts.firstIndex(where: { $0.name == cohort.name }) {
                cohorts[index] = cohort
                return false
            }
            guard cohorts.count < CohortLimits.cohorts else {
                throw SavedError(
                    .full,
                    "There are already \(CohortLimits.cohorts) cohorts, the maximum; remove one that is no longer needed."
                )
            }
            cohorts.append(cohort)
            return true
        }
    }

    /// Removes a cohort.
    ///
    /// Queries that name it then fail.
    ///
    /// - Throws: ``CohortError`` `notFound`.
    public func remove(_ name: String) throws(CohortError) {
        try change { cohorts throws(CohortError) in
            guard let index = cohorts.firstIndex(where: { $0.name == name }) else { throw Self.notFound(name) }
            cohorts.remove(at: index)
        }
    }

    public func cohort(named name: String, at now: Timestamp) throws(StoreError) -> Cohort? {
        do throws(CohortError) {
            guard let saved = try Self.loaded(state.withLock { $0 }).first(where: { $0.name == name }) else {
                return nil
            }
            return try saved.cohort(at: now, zones: zones)
        } catch {
            throw StoreError("The cohort “\(name)” cannot be used: \(error.message)")
        }
    }

    /// Changes the cohorts: writes them, then updates the copy in memory.
    ///
    /// The lock is held while the file is written, so that changes do not overwrite each other.
    private func change<Value: Sendable>(
        _ body: (inout [SavedCohort]) throws(CohortError) -> Value
    ) throws(CohortError) -> Value {
        let result: Result<Value, CohortError> = state.withLock { state in
            do throws(CohortError) {
                var changed = try Self.loaded(state)
                let count = changed.count
                let value = try body(&changed)
                try file.write(CohortFile.bytes(changed), isShrinking: changed.count < count)
                state.cohorts = changed
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func loaded(_ state: State) throws(CohortError) -> [SavedCohort] {
        if let loadError = state.loadError { throw loadError }
        return state.cohorts
    }

    private static func notFound(_ name: String) -> CohortError {
        SavedError(.notFound, "No cohort has the name “\(name.prefix(80))”; /v1/cohorts lists all cohorts.")
    }
}

/// The cohorts file: `{"version":1,"cohorts":[…]}`, one cohort per line.
enum CohortFile {
    /// The file version to write, and the only one accepted.
    static let version: Int64 = 1

    /// Returns the file's content.
    static func bytes(_ cohorts: [SavedCohort]) -> [UInt8] {
        SavedFile.bytes(version: version, "cohorts", cohorts) { $0.write(to: &$1) }
    }

    /// Parses the file's content.
    ///
    /// - Throws: ``SavedFile/Problem``.
    static func cohorts(_ bytes: [UInt8], zones: ZoneDirectory) throws(SavedFile.Problem) -> [SavedCohort] {
        let value = try SavedFile.document(bytes, version: version, limit: CohortLimits.bytes)
        guard let list = value["cohorts"]?.array, list.count <= CohortLimits.cohorts else {
            throw .damaged("it has no list of cohorts, or more than \(CohortLimits.cohorts)")
        }
        var cohorts: [SavedCohort] = []
        var names: Set<String> = []
        for (index, value) in list.enumerated() {
            guard let name = value["name"]?.string, names.insert(name).inserted else {
                throw .damaged("its cohort \(index + 1) has no name, or the name of another")
            }
            do throws(CohortError) {
                var cohort = try SavedCohort(value, name: name, zones: zones, isStored: true)
                cohort.changed = value["changed"]?.integer.map(Timestamp.init(milliseconds:))
                cohorts.append(cohort)
            } catch {
                throw .damaged("its cohort “\(name.prefix(80))” is invalid: \(error.message)")
            }
        }
        return cohorts
    }
}
