// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents
package import TrackwayJournal

/// Reads a stream for an index, and looks how far it has come: records that other collectors put into it are heard of so.
///
/// Any server that has a copy hands records out, so the stream's leader has no work with it. Safe from any thread.
package final class StreamFollower: RecordStream {
    /// How long what may take, and how much is asked for at once.
    struct Limits: Sendable, Hashable {
        /// Until a server has handed out what it was asked for.
        var answer: Duration = .seconds(3)
        /// So often a record is asked for before the index waits.
        var attempts = 4
        /// Between two attempts: another server may have caught up.
        var pause: Duration = .milliseconds(100)
        /// Between two looks whether there is something new.
        var look: Duration = .milliseconds(100)
        /// Between two looks while there is no answer.
        var silence: Duration = .milliseconds(500)
        /// The most records at once.
        var records = 256
        /// A server stops behind the record that passes so many bytes.
        var bytes = 2 << 20
    }

    private let engine: any StreamEngine
    private let place: StreamPlace
    private let limits: Limits
    private let erased: ErasedList?
    private let sleep: @Sendable (Duration) async -> Void
    private let highest: @Sendable () -> UInt64
    private let reached: @Sendable (UInt64) -> Void
    private let state = Locked(State())

    private struct State: Sendable {
        /// What was fetched last.
        var window: [StreamedRecord] = []
        /// The sequence of the last record that the index was given.
        var given: UInt64 = 0
    }

    /// A follower of a stream.
    ///
    /// - Parameters:
    ///   - engine: Where the stream is.
    ///   - erased: What was deleted from the stream since it was erased; nil for nothing.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - highest: The highest sequence that is known.
    ///   - reached: Called with a sequence that the stream is known to have come to. It must return at once.
    init(
        _ engine: any StreamEngine,
        place: StreamPlace,
        limits: Limits = Limits(),
        erased: ErasedList? = nil,
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

    /// Looks for new records until the task is cancelled. Only one call at a time.
    package func run() async {
        while !Task.isCancelled {
            let known = highest()
            // An index that is behind reads for itself; a single record tells how far the stream has come.
            let isBehind = state.withLock { $0.given < known }
            switch await ask(from: known + 1, records: isBehind ? 1 : limits.records) {
            case .records(let records, let last):
                if !isBehind { state.withLock { $0.window = records } }
                reached(last)
            case .gap(let next):
                // The stream has come so far at least. Whether what is missing may be passed over is seen by whoever reads it.
                reached(next)
                await sleep(limits.look)
            case .nothing: await sleep(limits.look)
            case .unavailable: await sleep(limits.silence)
            }
        }
    }

    /// How far the stream has come beyond a record, as far as a server tells; nil when it has not, or nobody tells.
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
                // A copy that is being made may be incomplete; the leader's is not.
                guard await isGone(first) else {
                    fault = .unavailable(stream: place.stream, sequence: first, "a server's copy is not complete yet")
                    continue
                }
                throw StreamFault.gap(stream: place.stream, sequence: first, next: next)
            case .unavailable(let reason):
                fault = .unavailable(stream: place.stream, sequence: first, reason)
            }
        }
        throw fault
    }

    /// What the list of erased records says about a record that a server does not have; nil where there is nothing to ask.
    ///
    /// - Parameter end: The stream is known to have come to the record before this one.
    private func hole(at first: UInt64, in answer: StreamAnswer, before end: UInt64) async -> ErasedList.Answer? {
        guard let erased else { return nil }
        switch answer {
        case .gap(let next): return await erased.answer(from: first, upTo: next - 1)
        case .nothing where first < end: return await erased.answer(from: first, upTo: first)
        case .nothing, .records, .unavailable: return nil
        }
    }

    /// What is in memory behind a place, if it goes on there.
    private func held(from first: UInt64) -> [StreamedRecord]? {
        state.withLock { state in
            let records = Array(state.window.drop { $0.start.streamSequence < first })
            guard records.first?.start.streamSequence == first, let last = records.last else { return nil }
            state.given = last.start.streamSequence
            return records
        }
    }

    private func ask(from first: UInt64, records: Int) async -> StreamAnswer {
        let connection = engine.connection?.number
        do throws(NATSRequestFailure) {
            let messages = try await engine.collect(
                "$JS.API.DIRECT.GET.\(place.stream)",
                body: Array("{\"seq\":\(first),\"batch\":\(records),\"max_bytes\":\(limits.bytes)}".utf8),
                upTo: records + 1,
                within: limits.answer
            )
            return StreamAnswer(messages, from: first, of: place)
        } catch {
            switch error {
            case .notConnected:
                return .unavailable("there is no connection to the engine" + (engine.trouble.map { ": \($0)" } ?? ""))
            case .unanswered:
                // This connection is for reading alone, so nothing else is lost with it.
                if let connection { engine.leave(connection) }
                return .unavailable("no server answers")
            case .tooLong, .connectionLost:
                return .unavailable("the connection to the engine ended")
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
            // Then it is not known, and the record is asked for again.
            return false
        }
    }

    private static let noRecordFound: Int64 = 10_037

    private static func isNoRecord(_ answer: NATSMessage) -> Bool {
        // An answer that cannot be read proves nothing.
        guard let json = try? JSONValue.parse(answer.body) else { return false }
        return json["error"]?["err_code"]?.integer == noRecordFound
    }
}
