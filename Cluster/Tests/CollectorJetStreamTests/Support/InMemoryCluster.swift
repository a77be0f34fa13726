// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

@testable internal import CollectorJetStream

/// A cluster in memory with several streams that delivers records, accepts decisions, and purges.
final class InMemoryCluster: NATSRequesting {
    struct Stream: Sendable {
        /// Its records, starting with the first; nil for deleted ones.
        var records: [[UInt8]?] = []
        var first: UInt64 { UInt64(records.prefix { $0 == nil }.count) + 1 }

        func record(_ number: Int) -> [UInt8]? { records.indices.contains(number - 1) ? records[number - 1] : nil }

        mutating func append(_ count: Int, of name: String) {
            for _ in 0..<count { records.append(Array("\(name)/\(records.count + 1)".utf8)) }
        }
    }

    struct State: Sendable {
        var streams: [String: Stream] = [:]
        /// Streams that no server delivers at the moment.
        var unavailable: Set<String> = []
        /// The number of decisions to accept without delivering the answer.
        var lostAnswers = 0
        /// The number of requests per subject.
        var requestCounts: [String: Int] = [:]
    }

    let state: Locked<State>

    init(_ streams: [String: Int] = [:]) {
        state = Locked(State())
        state.withLock { state in
            for (name, count) in streams {
                state.streams[name] = Stream()
                state.streams[name]?.append(count, of: name)
            }
        }
    }

    /// Adds records to an intake stream.
    func add(_ count: Int, to number: Int) {
        state.withLock { state in
            state.streams["INTAKE_\(number)", default: Stream()].append(count, of: "INTAKE_\(number)")
        }
    }

    /// Appends entries to the order.
    func appendToOrder(_ entries: [OrderEntry]) {
        state.withLock { state in
            for entry in entries { state.streams[OrderStream.name, default: Stream()].records.append(entry.json) }
        }
    }

    var connection: NATSConnection? { SimulatedEngine.connection(1) }
    var connectionError: String? { nil }
    func dropConnection(_ number: UInt64) {}

    func request(
        _ subject: String,
        headers: NATSHeaders?,
        body: [UInt8],
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> NATSMessage {
        await Task.yield()
        let words = subject.split(separator: ".").map(String.init)
        let name = words.last ?? ""
        // The requests are encoded by production code.
        let number = (try? JSONValue.parse(body))?["seq"]?.integer
        let answer = state.withLock { state -> NATSMessage? in
            state.requestCounts[subject, default: 0] += 1
            if state.unavailable.contains(name) { return nil }
            if subject == OrderStream.subject { return Self.decide(body, headers, &state) }
            guard let stream = state.streams[name] else {
                return words.contains("DIRECT")
                    ? Self.status(503)
                    : Self.message(#"{"error":{"code":404,"err_code":10059,"description":"not found"}}"#)
            }
            if words.contains("INFO") { return Self.info(name, stream) }
            if words.contains("PURGE") {
                let purged = Int(number ?? 1) - 1
                let before = stream.records.count { $0 == nil }
                for index in 0..<min(purged, stream.records.count) { state.streams[name]?.records[index] = nil }
                let after = state.streams[name]?.records.count { $0 == nil } ?? 0
                return Self.message(#"{"success":true,"purged":\#(after - before)}"#)
            }
            guard let record = stream.record(Int(number ?? Int64(stream.records.count))) else {
                return words.contains("DIRECT")
                    ? Self.status(404)
                    : Self.message(#"{"error":{"code":404,"err_code":10037,"description":"no message found"}}"#)
            }
            var headers = NATSHeaders()
            headers.fields = [
                .init(name: StreamNames.kindHeader, value: "intake"),
                .init(name: "Nats-Time-Stamp", value: "2026-11-26T13:00:00Z"),
            ]
            return NATSMessage(subject: "a", subscription: 1, headers: headers, body: record)
        }
        guard let answer else { throw .unanswered(connection: 1) }
        return answer
    }

    private static func decide(_ body: [UInt8], _ headers: NATSHeaders?, _ state: inout State) -> NATSMessage? {
        guard let count = state.streams[OrderStream.name]?.records.count else { return status(503) }
        guard headers?["Nats-Expected-Last-Subject-Sequence"] == "\(count)" else {
            return message(#"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence"}}"#)
        }
        state.streams[OrderStream.name]?.records.append(body)
        if state.lostAnswers > 0 {
            state.lostAnswers -= 1
            return nil
        }
        return message(#"{"stream":"\#(OrderStream.name)","seq":\#(count + 1)}"#)
    }

    func collect(
        _ subject: String,
        body: [UInt8],
        upTo count: Int,
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage] {
        await Task.yield()
        let name = String(subject.split(separator: ".").last ?? "")
        let json = try? JSONValue.parse(body)
        let (first, limit) = (Int(json?["seq"]?.integer ?? 1), Int(json?["batch"]?.integer ?? 1))
        let messages = state.withLock { state -> [NATSMessage] in
            state.requestCounts[subject, default: 0] += 1
            guard let stream = state.streams[name], !state.unavailable.contains(name) else { return [Self.status(503)] }
            let remaining = stream.records.indices.map { $0 + 1 }.filter { $0 >= first && stream.record($0) != nil }
            guard !remaining.isEmpty else { return [Self.status(404)] }
            var before = 0
            let messages = remaining.prefix(limit).enumerated().map { index, number in
                var headers = NATSHeaders()
                headers.fields = [
                    .init(name: StreamNames.kindHeader, value: "intake"),
                    .init(name: "Nats-Sequence", value: "\(number)"),
                    .init(name: "Nats-Last-Sequence", value: "\(before)"),
                    .init(name: "Nats-Num-Pending", value: "\(remaining.count - index - 1)"),
                ]
                before = number
                return NATSMessage(subject: "a", subscription: 1, headers: headers, body: stream.record(number) ?? [])
            }
            return messages + [Self.status(204)]
        }
        return messages
    }

    private static func info(_ name: String, _ stream: Stream) -> NATSMessage {
        message(
            #"{"config":{"name":"\#(name)","num_replicas":3},"state":{"first_seq":\#(stream.first),"last_seq":\#(stream.records.count)},"#
                + #""cluster":{"leader":"a","replicas":[{"name":"b","active":1},{"name":"c","active":1}]}}"#
        )
    }

    private static func message(_ text: String) -> NATSMessage {
        NATSMessage(subject: "_INBOX.a.1", subscription: 1, body: Array(text.utf8))
    }

    private static func status(_ status: Int) -> NATSMessage {
        var headers = NATSHeaders()
        headers.status = status
        return NATSMessage(subject: "_INBOX.a.1", subscription: 1, headers: headers)
    }
}
