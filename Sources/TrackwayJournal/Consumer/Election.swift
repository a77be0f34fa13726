// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

extension Journal {
    /// The consumer that this process holds; nil while it does not deliver.
    package var heldConsumer: JournalConsumer? { consumer.withLock { $0.consumer } }

    /// Elects this process for delivery; returns nil while another process delivers.
    ///
    /// The election ends with ``JournalConsumer/close()``, when the consumer is released, or when the process dies.
    package func tryElection() throws(JournalError) -> JournalConsumer? {
        try elections.withLock { (_) throws(JournalError) in try elect() }
    }

    /// Runs `body` as the delivering process.
    ///
    /// Returns nil while any process delivers, including this one. Waits while another election starts or ends in
    /// this process.
    package func withElection<Result>(
        _ body: (JournalConsumer) throws(JournalError) -> sending Result
    ) throws(JournalError) -> sending Result? {
        try elections.withLock { (_) throws(JournalError) in
            guard heldConsumer == nil, let consumer = try elect() else { return nil }
            defer { consumer.end() }
            return try body(consumer)
        }
    }

    /// Runs `body` with the held consumer, or else with ``withElection(_:)``.
    ///
    /// Returns nil while another process delivers.
    package func withConsumer<Result>(
        _ body: (JournalConsumer) throws(JournalError) -> sending Result
    ) throws(JournalError) -> sending Result? {
        try elections.withLock { (_) throws(JournalError) in
            if let held = heldConsumer { return try body(held) }
            guard let consumer = try elect() else { return nil }
            defer { consumer.end() }
            return try body(consumer)
        }
    }

    private func elect() throws(JournalError) -> JournalConsumer? {
        let lock = try JournalError.wrap { () throws(StorageError) in try storage.lock(folder.deliverLock) }
        guard let lock else { return nil }
        // From now on, delivered data is permanently associated with this identity.
        try JournalError.wrap { () throws(StorageError) in try synchronizeIdentity() }
        let elected = try JournalConsumer(journal: self, lock: lock)
        consumer.withLock { $0.consumer = elected }
        return elected
    }
}
