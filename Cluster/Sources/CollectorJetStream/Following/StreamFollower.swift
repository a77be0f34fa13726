// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents
package import TrackwayJournal

/// Reads a stream for an index, and polls for records of other collectors.
///
/// Any server with a copy serves reads, which keeps the load off the stream's leader. Safe from any thread.
package final class StreamFollower: RecordStream {
    /// Timeouts, intervals and sizes of requests.
    struct Limits: Sendable, Hashable {
        /// The timeout of a request.
        var answer: Duration = .seconds(3)
        /// The maximum number of requests for a record before the index waits.
        var attempts = 4
        /// The pause between two attempts: another server may have caught up.
        var pause: Duration = .milliseconds(100)
        /// The interval of polls for new records.
        var look: Duration = .milliseconds(100)
        /// The interval of polls while no server answers.
        var silence: Duration = .milliseconds(500)
        /// The maximum number of records of a request.
        var records = 256
        /// The number of bytes after which a server ends its answer.
        ///
        /// The record that exceeds it is included.
        var bytes = 2 << 20
    }

    private let engine: any NATSRequesting
    private let place: StreamNames
    private let limits: Limits
    private let erased: DeletionIndex?
    private let sleep: @Sendable (Duration) async -> Void
    private let highest: @Sendable () -> UInt64
    private let reached: @Sendable (UInt64) -> Void
    private let state = Locked(State())

    private struct State: Sendable {
        /// The records fetched last.
        var window: [StreamedRecord] = []
        /// The sequence of the last record passed to the index.
        var given: UInt64 = 0
    }

    /// Creates a follower of a stream.
    ///
    /// - Parameters:
    ///   - engine: The NATS cluster with the stream.
    ///   - erased: The records deleted from the stream for erasure; nil for none.
    ///   - sleep: Waits; returns early when canceled.
    ///   - highest: Returns the highest known sequence.
    ///   - reached: Called with a sequence that the stream is known to have reached. Must return immediately.
    init(
        _ engine: any NATSRequesting,
        place: StreamNames,
        limits: Limits = Limits(),
        erased: DeletionIndex? = nil,
        sleep: @escaping @Sendable (Duration) async -> Void,
        highest: @escaping @Sendable () -> UInt64,
        reached: @escaping @Sendable (UInt64) -> Void
    ) {
        self.engine = engine
        self.place = place
        self.limits = limits
        self.erased = erased
        self.sleep = sleep
        self.highest = highest
        self.reached = reached
    }

    /// Polls for new records until the task is canceled.
    ///
    /// Call only once at a time.
    package func run() async {
        while !Task.isCancelled {
            let known = highest()
            // An index that is behind reads records itself; here, one record is enough to learn the stream's end.
            let isBehind = state.withLock { $0.given < known }
            switch await ask(from: known + 1, records: isBehind ? 1 : limits.records) {
            case .records(let records, let last):
                if !isBehind { state.withLock { $0.window = records } }
                reached(last)
            case .gap(let next):
                // The stream has reached at least this record. The reader decides whether the gap may be skipped.
                reached(next)
                await sleep(limits.look)
            case .nothing: await sleep(limits.look)
            case .unavailable: await sleep(limits.silence)
            }
        }
    }

    /// Returns the end of the stream after a record.
    ///
    /// Nil if it has none, or if no server answers.
    func end(behind known: UInt64) async -> UInt64? {
        guard case .records(_, let last) = await ask(from: known + 1, records: 1) else { return nil }
        reached(last)
        return last
    }

    package func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord] {
        let first = max(start.streamSequence, 1)
        if let held = held(from: first) { return held }
        let end = limit.streamSequence
        var fault = StreamFault.missing(stream: place.stream, sequence: first)
        for attempt in 0..<limits.attempts {
            if attempt > 0 { await sleep(limits.pause) }
            if Task.isCancelled { break }
            let answer = await ask(from: first, records: limits.records)
            switch await hole(at: first, in: answer, before: end) {
            case .listed(let erased)?:
                let records = erased.map { place.substitute(for: $0) }
                state.withLock { $0.window = records }
                if case .gap(let next) = answer { reached(next) }
                return held(from: first) ?? records
            case .unavailable(let reason)?:
                fault = .unavailable(stream: place.stream, sequence: first, reason)
                continue
            case .unlisted?, nil: break
            }
            switch answer {
            case .records(let records, let last):
                state.withLock { $0.window = records }
                reached(last)
                return held(from: first) ?? records
            case .nothing:
                fault = .missing(stream: place.stream, sequence: first)
            case .gap(let next):
                // A server's copy may be incomplete while it catches up; the leader's is complete.
                guard await isGone(first) else {
                    fault = .unavailable(stream: place.stream, sequence: first, "a server's copy is still incomplete")
                    continue
                }
                throw StreamFault.gap(stream: place.stream, sequence: first, next: next)
            case .unavailable(let reason):
                fault = .unavailable(stream: place.stream, sequence: first, reason)
            }
        }
        throw fault
    }

    /// Looks up a record missing on a server in the list of erased records.
    ///
    /// Nil if the server has the record, if it is not known to lack it, or if no list exists.
    ///
    /// - Parameter end: The sequence after the last record that the stream is known to have.
    private func hole(at first: UInt64, in answer: StreamReadResult, before end: UInt64) async -> DeletionIndex.Answer?
    {
        guard let erased else { return nil }
        switch answer {
        case .gap(let next): return await erased.answer(from: first, upTo: next - 1)
        case .nothing where first < end: return await erased.answer(from: first, upTo: first)
        case .nothing, .records, .unavailable: return nil
        }
    }

    /// Returns the records in memory, starting at a sequence.
    ///
    /// Nil if that one is not in memory.
    private func held(from first: UInt64) -> [StreamedRecord]? {
        state.withLock { state in
            let records = Array(state.window.drop { $0.start.streamSequence < first })
            guard records.first?.start.streamSequence == first, let last = records.last else { return nil }
            state.given = last.start.streamSequence
            return records
        }
    }

    private func ask(from first: UInt64, records: Int) async -> StreamReadResult {
        let connection = engine.connection?.number
        do throws(NATSRequestFailure) {
            let messages = try await engine.collect(
                "$JS.API.DIRECT.GET.\(place.stream)",
                body: Array("{\"seq\":\(first),\"batch\":\(records),\"max_bytes\":\(limits.bytes)}".utf8),
                upTo: records + 1,
                within: limits.answer
            )
            return StreamReadResult(messages, from: first, of: place)
        } catch {
            switch error {
            case .notConnected:
                return .unavailable(
                    "not connected to the NATS cluster" + (engine.trouble.map { ": \($0)" } ?? "")
                )
            case .unanswered:
                // This connection is used only for reading, so switching servers affects nothing else.
                if let connection { engine.leave(connection) }
                return .unavailable("no server answers")
            case .tooLong, .connectionLost:
                return .unavailable("the connection to the NATS cluster ended")
            }
        }
    }

    /// Whether the stream's leader has no such record.
    private func isGone(_ sequence: UInt64) async -> Bool {
        do throws(NATSRequestFailure) {
            let answer = try await engine.request(
                "$JS.API.STREAM.MSG.GET.\(place.stream)",
                headers: nil,
                body: Array("{\"seq\":\(sequence)}".utf8),
                within: limits.answer
            )
            return Self.isNoRecord(answer)
        } catch {
            // The answer is unknown, so the record is requested again.
            return false
        }
    }

    private static let noRecordFound: Int64 = 10_037

    private static func isNoRecord(_ answer: NATSMessage) -> Bool {
        // An invalid answer proves nothing.
        guard let json = try? JSONValue.parse(answer.body) else { return false }
        return json["error"]?["err_code"]?.integer == noRecordFound
    }
}
