// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorHTTP
internal import CollectorStore
internal import CollectorStream
internal import Foundation
internal import Logging
internal import TrackwayEvents
internal import TrackwayJournal

/// Where a collector's records are kept, and what follows them: the intake log of this machine, or an engine's stream.
struct CollectorRecords: Sendable {
    /// Takes them.
    var intake: any RecordIntake
    /// Makes the index of them; nil for none.
    var indexer: Indexer?
    /// The engine; nil for a log.
    var engine: Engine?
    /// What keeps the folder for this collector alone, where no log does.
    var lock: (any StorageLock)?
}

extension CollectorHost {
    /// Opens what the host keeps its records in. An engine's connections are not made yet.
    ///
    /// - Parameters:
    ///   - store: The index; nil for none, which takes an engine.
    ///   - indexed: Where what answers stands.
    func openRecords(
        _ store: SQLiteEventStore?,
        indexed: EventPosition
    ) throws(CommandFailure) -> CollectorRecords {
        guard let engine else { return try openLog(store) }
        let lock = try lockFolder()
        try checkFolder(indexed: store?.indexed)
        let indexing = Locked<Indexer?>(nil)
        let client = Engine(
            engine.addresses,
            credentials: engine.credentials,
            tls: engine.tls,
            options: intake,
            // What answers stands behind the last record that it has.
            known: indexed.streamSequence > 0 ? indexed.streamSequence - 1 : 0,
            clock: SystemClock(),
            chance: Self.chance,
            sleep: Self.sleep,
            notice: { [logger] in logger.warning("\($0)") },
            relief: { [logger] in logger.notice("\($0)") },
            committed: { position in indexing.withLock { $0 }?.durable(upTo: position) }
        )
        let indexer = store.map { store in
            Indexer(
                stream: client.records,
                store: store,
                limits: configuration.limits,
                plan: plan,
                notice: { [logger] in logger.warning("\($0)") }
            )
        }
        indexing.withLock { $0 = indexer }
        return CollectorRecords(intake: client.intake, indexer: indexer, engine: client, lock: lock)
    }

    private func openLog(_ store: SQLiteEventStore?) throws(CommandFailure) -> CollectorRecords {
        guard let store else {
            throw CommandFailure(
                .usage,
                "a collector without an index takes an engine",
                remedy: "name its servers with --engine nats://host:4222"
            )
        }
        if let mark = try EngineMark(in: folder) {
            throw CommandFailure(
                .cannotCreate,
                "the folder \(folder.path) belongs to a collector whose records are in the stream \(mark.stream) of an engine",
                remedy: "name the engine with --engine, or another folder with --data"
            )
        }
        let indexer = Indexer(
            folder: folder.intake,
            store: store,
            limits: configuration.limits,
            plan: plan,
            notice: { [logger] in logger.warning("\($0)") }
        )
        return CollectorRecords(intake: try openIntake { indexer.durable(upTo: $0) }, indexer: indexer)
    }

    /// Positions in a log and in a stream have the same bits and different meanings, so no index may ever meet both.
    ///
    /// - Parameter indexed: Where the index stands; nil for none.
    private func checkFolder(indexed: EventPosition?) throws(CommandFailure) {
        let hasMark = try EngineMark(in: folder) != nil
        let hasLog = FileManager.default.fileExists(atPath: folder.intake)
        guard hasLog || !hasMark && indexed ?? .start > .start else { return }
        throw CommandFailure(
            .cannotCreate,
            "the folder \(folder.path) has \(hasLog ? "an intake log of its own" : "an index of an intake log")",
            remedy:
                "name another folder with --data: what is in the log stays there. Keys, boards and alerts may be copied from it"
        )
    }

    private func lockFolder() throws(CommandFailure) -> any StorageLock {
        do {
            if let lock = try DiskStorage().lock(folder.engineLock) { return lock }
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "the folder \(folder.path) cannot be locked: \(error)",
                remedy: "see who may write \(folder.path), or name another folder with --data"
            )
        }
        throw CommandFailure(
            .cannotCreate,
            "another collector runs on \(folder.path)",
            remedy: "end it first, or name another folder with --data"
        )
    }

    /// Waits until the engine is proven, and sees that its stream is the one the index was made of.
    ///
    /// - Throws: ``CommandFailure`` with what stands in the way, and what to do.
    func prove(_ engine: Engine, _ indexer: Indexer?, _ index: SQLiteEventStore?) async throws(CommandFailure) {
        if let reasons = await engine.reasonsAgainst() {
            throw CommandFailure(
                .cannotCreate,
                "the engine cannot be used, so the collector does not start:\n" + reasons.joined(separator: "\n"),
                remedy: "`trackway engine check` with the same options shows each server"
            )
        }
        guard let facts = engine.facts?.stream else { return }
        let mark = EngineMark(stream: facts.name, created: facts.created)
        if let known = try EngineMark(in: folder) {
            guard known == mark else {
                throw CommandFailure(
                    .cannotCreate,
                    "the index in \(folder.path) was made of the stream \(known.stream) of \(known.created), and the engine's "
                        + "\(mark.stream) is of \(mark.created)",
                    remedy:
                        "see what became of the stream; to begin with the new one, name another folder with --data"
                )
            }
        } else {
            try mark.write(to: folder)
        }
        if let index { try await check(index, facts, engine) }
        if engine.intake.highest > 0 { indexer?.durable(upTo: engine.intake.end) }
    }
}

/// Says of a folder which stream its index is made of.
struct EngineMark: Sendable, Hashable {
    /// The stream's name.
    var stream: String
    /// When the engine made it, in its words: a stream of the same name that was made anew is another.
    var created: String

    init(stream: String, created: String) {
        self.stream = stream
        self.created = created
    }

    /// The mark of a folder; nil when it has none.
    ///
    /// - Throws: ``CommandFailure`` when it has one that cannot be read.
    init?(in folder: CollectorFolder) throws(CommandFailure) {
        guard FileManager.default.fileExists(atPath: folder.engineMark) else { return nil }
        do {
            let json = try JSONValue.parse([UInt8](Data(contentsOf: URL(fileURLWithPath: folder.engineMark))))
            if let stream = json["stream"]?.string, let created = json["created"]?.string {
                self.init(stream: stream, created: created)
                return
            }
        } catch {
            // Whatever is wrong with it, the remedy is the same.
        }
        throw CommandFailure(
            .malformedInput,
            "the file \(folder.engineMark) does not say of which stream the index is",
            remedy: "remove it together with \(folder.index), which is then made anew from the stream"
        )
    }

    /// Puts the mark into a folder, durably.
    func write(to folder: CollectorFolder) throws(CommandFailure) {
        let json = JSONValue.members(("stream", .string(stream)), ("created", .string(created)))
        do {
            try DiskStorage().replace(folder.engineMark, with: json.json() + [0x0a], durably: true)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "\(folder.engineMark) cannot be written: \(error)",
                remedy: "see who may write \(folder.path)"
            )
        }
    }
}
