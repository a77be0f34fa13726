// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorColumns
internal import CollectorStore
internal import CollectorStream
internal import Logging
internal import TrackwayEvents

/// What answers readers: an index in a file, tables in ClickHouse for the questions that go over many events, or tables for everything.
struct CollectorStores: Sendable {
    /// Answers everything but what ``tables`` do.
    var answering: any EventStore
    /// The index; nil for none.
    var index: SQLiteEventStore?
    /// The tables; nil for none.
    var tables: ClickHouseEventStore?
    /// The engine, once it is there: the tables have to be made of its stream.
    let engine: Locked<Engine?>
}

extension CollectorHost {
    /// So often tables are looked at that answer some questions, and tables that answer everything.
    private static let looks = (some: Duration.seconds(10), all: Duration.seconds(1))

    /// Opens what answers readers.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be had, or when tables that answer everything are not what they have to be.
    func openStores() async throws(CommandFailure) -> CollectorStores {
        let engine = Locked<Engine?>(nil)
        let tables = analysis.map { client in
            ClickHouseEventStore(
                client,
                origin: { engine.withLock { $0 }?.facts?.stream.origin },
                end: { engine.withLock { $0 }?.intake.highest },
                plan: hasIndex ? nil : plan
            )
        }
        if let tables, !hasIndex {
            let stores = CollectorStores(answering: tables, tables: tables, engine: engine)
            try await check(stores)
            return stores
        }
        let index = try openIndex()
        return CollectorStores(answering: index, index: index, tables: tables, engine: engine)
    }

    /// Looks at tables that answer everything: who was erased has to be known before anything is taken. A server that cannot be reached
    /// is waited for, and what is taken meanwhile of somebody who was erased is left out where the tables are filled.
    ///
    /// - Throws: ``CommandFailure`` with what stays wrong until somebody does something about it.
    func check(_ stores: CollectorStores) async throws(CommandFailure) {
        guard stores.index == nil, let tables = stores.tables, let fault = await tables.look() else { return }
        guard fault.isLasting else { return logger.warning("Nothing can be read yet: \(fault.reason)") }
        throw CommandFailure(
            .cannotCreate,
            "the tables cannot be used, so the collector does not start: \(fault.reason)"
        )
    }

    /// Sees again and again whether questions can be answered, and how far the tables are filled.
    func watch(_ stores: CollectorStores) async {
        let isAll = stores.index == nil
        await stores.tables?.watch(every: isAll ? Self.looks.all : Self.looks.some, sleep: Self.sleep) {
            [logger] trouble in
            let what = isAll ? "Readers" : "Questions"
            if let trouble {
                logger.warning("\(what) cannot be answered: \(trouble)")
            } else {
                logger.notice("\(what) can be answered again.")
            }
        }
    }

    private func openIndex() throws(CommandFailure) -> SQLiteEventStore {
        do {
            // Of a stream the first records may be gone, and that is not known yet.
            let store = try SQLiteEventStore(path: folder.index, keepsFormer: engine != nil)
            if let aside = store.putAside {
                logger.warning("\(store.trouble ?? "") What was there lies in \(aside) now.")
            }
            return store
        } catch {
            throw CommandFailure(
                .cannotCreate,
                error.message,
                remedy:
                    "see who may write \(folder.path); the index may be removed, it is made anew from the intake log"
            )
        }
    }
}
