// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal

extension LegacyMigrator {
    /// The number of rows to record before the progress is stored.
    static let rowsPerTransaction: Int64 = 100

    /// Records the older SDK's pending events in order.
    ///
    /// The events are addressed to the module's own destination. Runs on the storage queue, before delivery begins:
    /// events that an earlier process recorded without storing its progress are still in the journal, and are not
    /// recorded again.
    ///
    /// Events keep their ids, so that a receiver recognizes duplicates.
    func importEvents(_ contextStore: ContextStore) {
        guard let legacySDK, let (record, isRepeated) = pendingImport else { return }
        var progress = Progress(record)
        do throws(StorageError) {
            switch try legacySDK.pendingEvents() {
            case .counted(let count):
                if count > 0, progress.record.report == nil {
                    progress.record.report = MigrationResult(origin: legacySDK.name)
                }
                progress.record.report?.waiting.found = count
                if count > 0 { progress.problems.append(Diagnostic(notImported: count, of: legacySDK.name)) }
            case .unknown(let problem):
                progress.problems.append(problem)
            case .clickstream(let database):
                let known = isRepeated ? try recordedIDs() : []
                if progress.record.report == nil { progress.record.report = MigrationResult(origin: legacySDK.name) }
                guard try importRows(of: database, known, contextStore, &progress) else { return }
            }
        } catch {
            reporter.report(Diagnostic(delayed: legacySDK.name, error))
            return
        }
        progress.finish()
        if persist(progress.record) { reporter.report(progress.problems) }
    }

    /// The progress of the import.
    private struct Progress {
        var record: MigrationState
        var problems: [Diagnostic] = []
        /// The numbers of rows that are not events, by reason.
        private var unreadable: [String: Int] = [:]
        /// The numbers of events that must not be recorded, by reason.
        private var rejected: [DropReason: Int] = [:]

        init(_ record: MigrationState) {
            self.record = record
        }

        mutating func skip(_ row: Int64, _ fault: ClickstreamRow.Fault) {
            record.row = row
            switch fault {
            case .malformed: unreadable["not an event in JSON", default: 0] += 1
            case .field(let name): unreadable[name, default: 0] += 1
            }
        }

        mutating func noteImported(_ row: Int64) {
            record.row = row
            record.report?.waiting.imported += 1
        }

        mutating func reject(_ row: Int64, _ reason: DropReason) {
            record.row = row
            rejected[reason, default: 0] += 1
        }

        mutating func finish() {
            for (what, count) in unreadable.ordered(by: { $0.key < $1.key }) {
                problems.append(
                    Diagnostic(
                        notMigrated: "pending events",
                        "\(count): \(what)",
                        "\(count) pending events were not migrated because they cannot be read (\(what)). They are "
                            + "left in place."
                    )
                )
            }
            for (reason, count) in rejected.ordered(by: { $0.key.rawValue < $1.key.rawValue }) {
                problems.append(
                    Diagnostic(
                        notMigrated: "pending events",
                        "\(count): \(reason)",
                        "\(count) pending events were not migrated because recording is not permitted now "
                            + "(\(reason)). They are left in place and not sent."
                    )
                )
            }
            record.report?.waiting.isComplete = true
            record.report?.problems += problems.map(\.migrationSentence)
            // Report nothing if nothing was found.
            record.stage = .done
        }
    }

    /// - Returns: Whether all rows were processed; remaining rows are left for the next start.
    private func importRows(
        of database: LegacyDatabase,
        _ known: Set<EventID>,
        _ contextStore: ContextStore,
        _ progress: inout Progress
    ) throws(StorageError) -> Bool {
        do throws(LegacyDatabase.Fault) {
            progress.record.report?.waiting.found = Int(clamping: try database.number("SELECT count(*) FROM Event"))
            while true {
                let rows = try database.rows(
                    "SELECT id, eventJson FROM Event WHERE id > ?1 ORDER BY id LIMIT ?2",
                    progress.record.row,
                    Self.rowsPerTransaction
                )
                guard !rows.isEmpty else { return true }
                guard record(rows, known, contextStore, &progress) else { return false }
                guard persist(progress.record) else { return false }
            }
        } catch {
            progress.problems.append(Diagnostic(database: "Event", error))
            return true
        }
    }

    /// - Returns: Whether every event was recorded or can never be recorded.
    private func record(
        _ rows: [(Int64, [UInt8]?)],
        _ known: Set<EventID>,
        _ contextStore: ContextStore,
        _ progress: inout Progress
    ) -> Bool {
        guard let destination = legacySDK?.destination else { return true }
        let before = progress
        let (after, isDone) = contextStore.perform { transaction in
            var progress = before
            let current = transaction.context
            defer { transaction.context = current }
            for (number, text) in rows {
                let row: ClickstreamRow
                do throws(ClickstreamRow.Fault) {
                    row = try ClickstreamRow(text ?? [])
                } catch {
                    progress.skip(number, error)
                    continue
                }
                if known.contains(row.id) {
                    progress.noteImported(number)
                    continue
                }
                transaction.context = row.context(in: current)
                let receipt = transaction.record(
                    row.name,
                    row.attributes,
                    items: row.items,
                    at: DualTimestamp(wall: row.time, monotonic: MonotonicTime(milliseconds: 0)),
                    id: row.id,
                    to: [destination]
                )
                // The event was not stored, for example because the disk is full; the next start continues here.
                if receipt.durability == .memory { return (progress, false) }
                guard let reason = receipt.dropped else {
                    progress.noteImported(number)
                    continue
                }
                guard [.consentDenied, .disabled, .notCollected].contains(reason) else { return (progress, false) }
                progress.reject(number, reason)
            }
            return (progress, true)
        }
        progress = after
        return isDone
    }

    /// Returns the ids of all events in the journal.
    private func recordedIDs() throws(StorageError) -> Set<EventID> {
        var ids: Set<EventID> = []
        do throws(JournalError) {
            let inspector = JournalInspector(folder: dependencies.folder, storage: dependencies.storage)
            for writer in try inspector.inspect().writers {
                try inspector.records(of: writer.id) { record, payload, _ in
                    // An event that cannot be parsed was not recorded from a row.
                    if record.kind == .event, let event = try? Event(json: payload) { ids.insert(event.id) }
                    return true
                }
            }
        } catch {
            throw error.cause ?? StorageError(.other, operation: "read the journal in", path: dependencies.folder)
        }
        return ids
    }
}

extension Diagnostic {
    /// Creates the diagnostic for events in a format that is not supported.
    fileprivate init(notImported count: Int, of origin: String) {
        self.init(
            notMigrated: "pending events",
            "\(count)",
            "\(count) events that \(origin) had not sent were not migrated. They are left in place.",
            recoverySuggestion: "To send them, run the app with that SDK until they are sent, then replace the SDK."
        )
    }
}
