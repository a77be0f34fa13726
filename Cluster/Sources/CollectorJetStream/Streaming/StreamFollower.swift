// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore
package import TrackwayJournal

/// Reads a stream for an index, and polls for other collectors' records.
///
/// Any server with a copy serves reads, which keeps the load off the stream's leader. Safe from any thread.
package final class StreamFollower: RecordStream {
    /// Timeouts, intervals, and sizes of requests.
    struct Limits: Sendable, Hashable {
        /// The timeout of a request.
        var answer: Duration = .seconds(3)
        /// The maximum number of requests for a record before the index waits.
        var attempts = 4
        /// The pause between two attempts, during which a lagging server may catch up.
        var pause: Duration = .milliseconds(100)
        /// The interval between polls for new records.
        var pollInterval: Duration = .milliseconds(100)
        /// The interval between polls while no server answers.
        var retryInterval: Duration = .milliseconds(500)
        /// The maximum number of records per request.
        var records = 256
        /// The number of bytes after which a server ends its answer.
        ///
        /// The record that exceeds this number is included.
        var bytes = 2 << 20
    }

    private let engine: any NATSRequesting
    private let names: StreamNames
    private let limits: Limits
    private let deletionIndex: DeletionIndex?
    private let rewrites: RewrittenRecords?
    private let sleep: @Sendable (Duration) async -> Void
    private let highest: @Sendable () -> UInt64
    private let onReach: @Sendable (UInt64) -> Void
    private let state = Locked(State())

    private struct State: Sendable {
        /// The most recently fetched records.
        var window: [StreamedRecord] = []
        /// The sequence of the last record passed to the index.
        var delivered: UInt64 = 0
    }

    /// Creates a follower of a stream.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - deletionIndex: The records deleted from the stream for erasure; nil for none.
    ///   - rewrites: The replacements of records from which erased people were removed; nil for none.
    ///   - sleep: Waits; returns early when canceled.
    ///   - highest: Returns the highest known sequence.
    ///   - onReach: Called with a sequence that the stream is known to have reached. Must return immediately.
    init(
        _ engine: any NATSRequesting,
        names: StreamNames,
        limits: Limits = Limits(),
        deletionIndex: DeletionIndex? = nil,
        rewrites: RewrittenRecords? = nil,
        sleep: @escaping @Sendable (Duration) async -> Void,
        highest: @escaping @Sendable () -> UInt64,
        onReach: @escaping @Sendable (UInt64) -> Void
    ) {
        self.engine = engine
        self.names = names
        self.limits = limits
        self.deletionIndex = deletionIndex
        self.rewrites = rewrites
        self.sleep = sleep
        self.highest = highest
        self.onReach = onReach
    }

    /// Polls for new records until the task is canceled.
    ///
    /// Only one call may run at a time.
    package func run() async {
        while !Task.isCancelled {
            let known = highest()
            // An index that is behind reads records itself; here, one record is enough to learn the stream's end.
            let isBehind = state.withLock { $0.delivered < known }
            switch await fetch(from: known + 1, records: isBehind ? 1 : limits.records) {
            case .records(let records, let last):
                if !isBehind { state.withLock { $0.window = records } }
                onReach(last)
            case .gap(let next):
                // The stream has reached at least this record. The reader decides whether the gap may be skipped.
                onReach(next)
                await sleep(limits.pollInterval)
            case .empty: await sleep(limits.pollInterval)
            case .unavailable: await sleep(limits.retryInterval)
            }
        }
    }

    /// Returns the sequence of the stream's last record, if it follows the given one.
    ///
    /// Returns nil if no record follows the given one, or if no server answers.
    func end(after known: UInt64) async -> UInt64? {
        guard case .records(_, let last) = await fetch(from: known + 1, records: 1) else { return nil }
        onReach(last)
        return last
    }

    package func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord] {
        let first = max(start.streamSequence, 1)
        if let cached = cached(from: first) { return cached }
        let end = limit.streamSequence
        var fault = StreamFault.missing(stream: names.stream, sequence: first)
        for attempt in 0..<limits.attempts {
            if attempt > 0 { await sleep(limits.pause) }
            if Task.isCancelled { break }
            let answer = await fetch(from: first, records: limits.records)
            switch await lookUpDeletion(at: first, in: answer, before: end) {
            case .listed(let erased)?:
                let records = erased.map { names.substitute(for: $0) }
                state.withLock { $0.window = records }
                if case .gap(let next) = answer { onReach(next) }
                return cached(from: first) ?? records
            case .unavailable(let reason)?:
                fault = .unavailable(stream: names.stream, sequence: first, reason)
                continue
            case .unlisted?:
                switch await lookUpRewrite(at: first, in: answer) {
                case .found(let records)?:
                    state.withLock { $0.window = records }
                    if case .gap(let next) = answer { onReach(next) }
                    return cached(from: first) ?? records
                case .unavailable(let reason)?:
                    fault = .unavailable(stream: names.stream, sequence: first, reason)
                    continue
                case .missing?, nil: break
                }
            case nil: break
            }
            switch answer {
            case .records(let records, let last):
                state.withLock { $0.window = records }
                onReach(last)
                return cached(from: first) ?? records
            case .empty:
                fault = .missing(stream: names.stream, sequence: first)
            case .gap(let next):
                // A server's copy may be incomplete while it catches up; the leader's copy is complete.
                guard await isDeletedAtLeader(first) else {
                    fault = .unavailable(stream: names.stream, sequence: first, "a server's copy is still incomplete")
                    continue
                }
                throw StreamFault.gap(stream: names.stream, sequence: first, next: next)
            case .unavailable(let reason):
                fault = .unavailable(stream: names.stream, sequence: first, reason)
            }
        }
        throw fault
    }

    /// Checks the list of deleted records for a record that a server does not have.
    ///
    /// Returns nil if the server has the record or may have it, or if no list exists.
    ///
    /// - Parameter end: The sequence after the last record that the stream is known to have.
    private func lookUpDeletion(at first: UInt64, in answer: StreamReadResult, before end: UInt64) async
        -> DeletionIndex.Lookup?
    {
        guard let deletionIndex else { return nil }
        switch answer {
        case .gap(let next): return await deletionIndex.lookUp(from: first, upTo: next - 1)
        case .empty where first < end: return await deletionIndex.lookUp(from: first, upTo: first)
        case .empty, .records, .unavailable: return nil
        }
    }

    /// Looks up the replacement of a record that a server does not have, and that is not listed as deleted.
    private func lookUpRewrite(at first: UInt64, in answer: StreamReadResult) async -> RewrittenRecords.Lookup? {
        guard let rewrites else { return nil }
        if case .gap(let next) = answer { return await rewrites.lookUp(from: first, upTo: next - 1) }
        return await rewrites.lookUp(from: first, upTo: first)
    }

    /// Returns the records in memory, starting at a sequence.
    ///
    /// Returns nil if the record with that sequence is not in memory.
    private func cached(from first: UInt64) -> [StreamedRecord]? {
        state.withLock { state in
            let records = Array(state.window.drop { $0.start.streamSequence < first })
            guard records.first?.start.streamSequence == first, let last = records.last else { return nil }
            state.delivered = last.start.streamSequence
            return records
        }
    }

    private func fetch(from first: UInt64, records: Int) async -> StreamReadResult {
        let connection = engine.connection?.number
        do throws(NATSRequestFailure) {
            let messages = try await engine.collect(
                "$JS.API.DIRECT.GET.\(names.stream)",
                body: Array("{\"seq\":\(first),\"batch\":\(records),\"max_bytes\":\(limits.bytes)}".utf8),
                upTo: records + 1,
                within: limits.answer
            )
            return StreamReadResult(messages, from: first, of: names)
        } catch {
            switch error {
            case .notConnected:
                return .unavailable(
                    "not connected to the NATS cluster" + (engine.connectionError.map { ": \($0)" } ?? "")
                )
            case .unanswered:
                // This connection is used only for reading, so switching servers affects nothing else.
                if let connection { engine.dropConnection(connection) }
                return .unavailable("no server is responding")
            case .tooLong, .connectionLost:
                return .unavailable("the connection to the NATS cluster ended")
            }
        }
    }

    /// Returns whether the stream's leader does not have the record.
    private func isDeletedAtLeader(_ sequence: UInt64) async -> Bool {
        do throws(NATSRequestFailure) {
            let answer = try await engine.request(
                "$JS.API.STREAM.MSG.GET.\(names.stream)",
                headers: nil,
                body: Array("{\"seq\":\(sequence)}".utf8),
                within: limits.answer
            )
            return Self.isRecordNotFound(answer)
        } catch {
            // The result is unknown, so the record is requested again.
            return false
        }
    }

    private static let noRecordFound: Int64 = 10_037

    private static func isRecordNotFound(_ answer: NATSMessage) -> Bool {
        // An invalid answer proves nothing.
        guard let json = try? JSONValue.parse(answer.body) else { return false }
        return json["error"]?["err_code"]?.integer == noRecordFound
    }
}
