// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A simulated shop with its visitors.
///
/// The same seed, days, and end produce the same events with the same ids, so sending them twice adds nothing.
///
/// The number of visitors grows by half, weekends are busy, and a sale brings many visitors for three days. Payments
/// fail in one app version until it is replaced, and the old version records an event that the collector rejects.
struct SampleShop {
    /// A batch to send.
    struct Batch: Sendable {
        var body: [UInt8]
        var events: Int
    }

    /// The number of days.
    let days: Int
    /// The number of new visitors on an ordinary first day.
    let visitors: Int
    /// The random seed.
    let seed: UInt64
    /// The end of the last day.
    let end: Timestamp

    private static let dayLength: Int64 = 86_400_000

    /// Returns the beginning of the current hour, the latest possible end of the last day.
    static func latestEnd(at now: Timestamp = SystemClock().now().wall) -> Timestamp {
        Timestamp(milliseconds: now.milliseconds / 3_600_000 * 3_600_000)
    }

    /// The distribution of visits over the hours of a day.
    private static let hours: [(value: Int64, weight: Double)] = [
        1, 0.6, 0.4, 0.3, 0.3, 0.6, 1.5, 3, 4, 4.2, 4.4, 4.8, 6, 5.2, 4.5, 4.6, 5, 6, 7.2, 8.5, 9, 8, 5.5, 2.8,
    ].enumerated().map { (Int64($0.offset), $0.element) }

    /// Calls `body` with each day's batches, in chronological order.
    ///
    /// - Complexity: O(events + visitors × days); memory O(visitors + events of a day).
    func forEachDay(_ body: (_ day: Int, _ batches: [Batch]) async throws -> Void) async throws {
        var people: [(visitor: SampleVisitor, state: SampleVisitor.State)] = []
        for day in 0..<days {
            let start = end.milliseconds - Int64(days - day) * Self.dayLength
            for _ in 0..<arrivals(on: day) {
                people.append(
                    (
                        SampleVisitor(
                            number: UInt64(people.count),
                            firstDay: day,
                            start: Timestamp(milliseconds: start),
                            seed: seed
                        ), .init()
                    )
                )
            }
            var batches: [(start: Int64, batch: Batch)] = []
            for index in people.indices where people[index].visitor.visits(on: day) {
                batches.append(visit(people[index].visitor, &people[index].state, on: day, from: start))
            }
            batches.sort { $0.start < $1.start }
            try await body(day, batches.map(\.batch))
        }
    }

    private func arrivals(on day: Int) -> Int {
        var random = SampleRandom(seed: seed, 4, UInt64(day))
        let growth = 1 + 0.5 * Double(day) / Double(max(days, 1))
        let weekend = (day % 7 == 5 || day % 7 == 6) ? 1.35 : 1
        let sale = (days * 3 / 5..<days * 3 / 5 + 3).contains(day) ? 1.8 : 1
        return max(1, Int(Double(visitors) * growth * weekend * sale * (0.85 + 0.3 * random.share())))
    }

    /// Returns the current app version on a day.
    ///
    /// Payments fail in 2.3.0.
    private func version(on day: Int) -> (name: String, isFaulty: Bool) {
        switch day {
        case ..<(days / 4): ("2.1.0", false)
        case ..<(days * 7 / 10): ("2.2.0", false)
        case ..<(days * 7 / 10 + 3): ("2.3.0", true)
        default: ("2.3.1", false)
        }
    }

    private func visit(
        _ visitor: SampleVisitor,
        _ state: inout SampleVisitor.State,
        on day: Int,
        from start: Int64
    ) -> (start: Int64, batch: Batch) {
        var random = visitor.random(on: day)
        let hour = random.pick(Self.hours)
        // Leave the last two hours free, so that no visit extends beyond the end of the day.
        let sessionStart = start + min(hour * 3_600_000 + random.number(0...3_599_999), Self.dayLength - 7_200_000)
        let (current, isFaulty) = version(on: day)
        let former = state.version
        if former.isEmpty || visitor.updates { state.version = current }
        var session = SampleSession(
            of: visitor,
            state,
            at: sessionStart,
            faulty: isFaulty && state.version == current,
            random
        )
        session.run(isFirst: former.isEmpty, updatedFrom: former == state.version ? nil : former)
        state.sessions += 1
        // Omit events that do not fit in the day: a visit lasts at most an hour and a half.
        let events = session.events.prefix { $0.time < sessionStart + 5_400_000 }
        let batch = SampleBatch(visitor, state, session: sessionStart, Array(events), &random)
        state.sequence += UInt64(batch.events)
        state.isSignedIn = events.last?.isSignedIn ?? state.isSignedIn
        return (sessionStart, Batch(body: batch.body, events: batch.events))
    }
}

/// A visit in the wire format.
private struct SampleBatch {
    let body: [UInt8]
    let events: Int

    init(
        _ visitor: SampleVisitor,
        _ state: SampleVisitor.State,
        session: Int64,
        _ recorded: [SampleSession.Event],
        _ random: inout SampleRandom
    ) {
        let ids = EventIDGenerator(randomBits: random.next())
        // The first version records an event whose name is too long, which the collector rejects.
        let hasFault = state.version == "2.1.0" && random.happens(0.02)
        // A device whose disk was full dropped events and reports their number.
        let lost: UInt64 = random.happens(0.002) ? 3 : 0
        let first = state.sequence + 1 + lost
        let last = first + UInt64(recorded.count + (hasFault ? 1 : 0)) - 1
        var lines: [UInt8] = []
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.object("batch") { writer in
                writer.member("id", "\(visitor.writer)-\(first)-\(last)")
                writer.member("installation", visitor.installation)
                writer.member("writer", visitor.writer)
                writer.member("first", first)
                writer.member("last", last)
                writer.member("recorded", last)
                writer.member("sdk", "trackway-sample")
                if lost > 0 {
                    writer.list("dropped", [0]) { _, writer in
                        writer.beginArray()
                        for number in [first - lost, first - 1] {
                            writer.element()
                            writer.integer(number)
                        }
                        writer.element()
                        writer.string("storage_full")
                        writer.endArray()
                    }
                }
            }
            writer.endObject()
            lines += writer.array()
        }
        var wasSignedIn: Bool?
        for event in recorded {
            if wasSignedIn != event.isSignedIn {
                wasSignedIn = event.isSignedIn
                lines.append(10)
                lines += Self.context(visitor, state, session: session, isSignedIn: event.isSignedIn)
            }
            lines.append(10)
            lines += Self.line(event, ids.next(at: Timestamp(milliseconds: event.time)), since: session)
        }
        if hasFault, let end = recorded.last {
            var fault = end
            fault.name = String(repeating: "checkout_step_", count: 12)
            fault.attributes = [("step", .integer(3))]
            lines.append(10)
            lines += Self.line(fault, ids.next(at: Timestamp(milliseconds: fault.time)), since: session)
        }
        body = lines
        events = Int(last - state.sequence)
    }

    private static func context(
        _ visitor: SampleVisitor,
        _ state: SampleVisitor.State,
        session: Int64,
        isSignedIn: Bool
    ) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.object("context") { writer in
                writer.object("app") {
                    $0.member("id", "sample-shop")
                    $0.member("version", state.version)
                }
                writer.object("device") {
                    $0.member("platform", visitor.device.platform)
                    $0.member("model", visitor.device.model)
                    $0.member("os_version", visitor.device.system)
                    $0.member("country", visitor.country)
                }
                if isSignedIn { writer.object("user") { $0.member("id", visitor.user) } }
                writer.object("session") {
                    $0.member("id", "\(visitor.number)-\(state.sessions)")
                    $0.member("number", state.sessions)
                    $0.member("start", session)
                }
            }
            writer.endObject()
            return writer.array()
        }
    }

    private static func line(_ event: SampleSession.Event, _ id: EventID, since start: Int64) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            writer.member("id", id)
            writer.member("name", event.name)
            writer.member("time", event.time)
            writer.member("mono", event.time - start)
            if !event.attributes.isEmpty {
                writer.object("attributes") { writer in
                    for (name, value) in event.attributes {
                        writer.key(name)
                        value.write(into: &writer)
                    }
                }
            }
            writer.endObject()
            return writer.array()
        }
    }
}
