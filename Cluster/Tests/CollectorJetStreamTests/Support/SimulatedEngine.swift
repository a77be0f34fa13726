// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

@testable import CollectorJetStream

/// A cluster in memory, with one stream and three servers, for tests to break.
final class SimulatedEngine: NATSRequesting {
    /// What happens to a request.
    enum RequestOutcome: Sendable, Hashable {
        /// The request arrives and is answered.
        case answered
        /// The request arrives, and its answer is lost.
        case answerLost
        /// The request is lost without notice.
        case lost
        /// The stream has no leader.
        case noLeader
        /// The server answers with this error code.
        case error(Int)
        /// The connection ends after the request arrives.
        case disconnected
    }

    struct State: Sendable {
        var connection: NATSConnection?
        var records: [(id: String, headers: NATSHeaders?, body: [UInt8])] = []
        /// The outcomes of the next publications; later ones have the default outcome.
        var nextOutcomes: [RequestOutcome] = []
        /// The outcome of all publications after those.
        var defaultOutcome = RequestOutcome.answered
        var facts = SimulatedEngine.facts
        /// The servers' reports, one element per request; the last one is repeated.
        var reports: [[MemberReport]] = [
            [MemberReport(name: "n0"), MemberReport(name: "n1"), MemberReport(name: "n2")]
        ]
        /// Whether the stream's leader describes it.
        var isReporting = true
        /// Whether the stream is missing.
        var isMissing = false
        var published = 0
        var droppedConnections: [UInt64] = []
        /// Deleted records.
        var deleted: Set<Int> = []
        /// Records missing from the server that delivers them.
        var hidden: Set<Int> = []
        /// The number of records that have reached the server that delivers them; nil for all.
        var copiedRecords: Int?
        /// The number of a request's answers that arrive; nil for all.
        var deliveredAnswers: Int?
        /// The list of deleted records.
        var list = SimulatedDeletionIndex()
    }

    let state: Locked<State>

    init() {
        var state = State()
        state.connection = Self.connection(1)
        self.state = Locked(state)
    }

    static func connection(_ number: UInt64) -> NATSConnection {
        NATSConnection(number: number, address: NATSAddress(host: "n0"), server: NATSServerInfo(name: "n0"))
    }

    static var facts: StreamFacts {
        var facts = StreamFacts(name: "INTAKE_0")
        facts.leader = "n0"
        facts.replicas = [.init(name: "n1"), .init(name: "n2")]
        return facts
    }

    func change(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

    var connection: NATSConnection? { state.withLock { $0.connection } }
    var connectionError: String? { nil }

    func dropConnection(_ number: UInt64) {
        state.withLock { state in
            guard state.connection?.number == number else { return }
            state.droppedConnections.append(number)
            state.connection = Self.connection(number + 1)
        }
    }

    func request(
        _ subject: String,
        headers: NATSHeaders?,
        body: [UInt8],
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> NATSMessage {
        await Task.yield()
        let result = state.withLock { state -> Result<NATSMessage, NATSRequestFailure> in
            guard let connection = state.connection else { return .failure(.notConnected) }
            if let answer = state.list.answer(subject, body) { return answer }
            if subject.hasPrefix("$JS.API.STREAM.INFO.") {
                guard state.isReporting else { return .failure(.unanswered(connection: connection.number)) }
                if state.isMissing {
                    return .success(Self.message(#"{"error":{"code":404,"err_code":10059,"description":"not found"}}"#))
                }
                return .success(Self.message(Self.json(state.facts, last: state.records.count)))
            }
            if subject.hasPrefix("$JS.API.STREAM.MSG.GET.") {
                let sequence = Int(String(decoding: body, as: UTF8.self).filter(\.isNumber)) ?? 0
                return .success(
                    Self.message(
                        sequence > state.records.count || state.deleted.contains(sequence)
                            ? #"{"error":{"code":404,"err_code":10037,"description":"no message found"}}"#
                            : #"{"message":{"seq":\#(sequence)}}"#
                    )
                )
            }
            if subject.hasPrefix("$JS.API.DIRECT.GET.") {
                let sequence = Int(String(decoding: body, as: UTF8.self).filter(\.isNumber)) ?? 0
                guard (1...max(1, state.records.count)).contains(sequence), sequence <= state.records.count,
                    !state.hidden.contains(sequence)
                else {
                    return .success(Self.status(404))
                }
                let record = state.records[sequence - 1]
                return .success(
                    NATSMessage(subject: "a", subscription: 1, headers: record.headers, body: record.body)
                )
            }
            state.published += 1
            let outcome = state.nextOutcomes.isEmpty ? state.defaultOutcome : state.nextOutcomes.removeFirst()
            switch outcome {
            case .lost: return .failure(.unanswered(connection: connection.number))
            case .noLeader: return .success(Self.status(503))
            case .error(let number):
                return .success(Self.message(#"{"error":{"code":400,"err_code":\#(number),"description":"no"}}"#))
            case .answered, .answerLost, .disconnected: break
            }
            let id = headers?["Nats-Msg-Id"] ?? ""
            if let expected = headers?["Nats-Expected-Last-Subject-Sequence"], expected != "\(state.records.count)" {
                return .success(
                    Self.message(#"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence"}}"#)
                )
            }
            let known = id.isEmpty ? nil : state.records.firstIndex { $0.id == id }
            if known == nil { state.records.append((id, headers, body)) }
            let sequence = known.map { $0 + 1 } ?? state.records.count
            switch outcome {
            case .answerLost: return .failure(.unanswered(connection: connection.number))
            case .disconnected:
                state.connection = Self.connection(connection.number + 1)
                return .failure(.connectionLost(connection: connection.number))
            default:
                let repeated = known == nil ? "" : #","duplicate":true"#
                let stream = headers?["Nats-Expected-Stream"] ?? "INTAKE_0"
                return .success(Self.message(#"{"stream":"\#(stream)","seq":\#(sequence)\#(repeated)}"#))
            }
        }
        return try result.get()
    }

    func collect(
        _ subject: String,
        body: [UInt8],
        upTo count: Int,
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage] {
        await Task.yield()
        if let listed = state.withLock({ $0.list.deliver(subject, body) }) { return try listed.get() }
        if subject.hasPrefix("$JS.API.DIRECT.GET.") { return try deliver(body) }
        let reports = state.withLock { state in
            state.reports.count > 1 ? state.reports.removeFirst() : state.reports.first ?? []
        }
        guard !reports.isEmpty else { throw .unanswered(connection: 1) }
        return reports.prefix(count).map { Self.message(Self.json($0)) }
    }

    /// Returns a report as a server encodes it.
    private static func json(_ report: MemberReport) -> String {
        let data =
            switch report.storage {
            case .syncsAlways: #""config":{"max_storage":9,"sync_interval":120000000000,"sync_always":true}"#
            case .syncsLater: #""config":{"max_storage":9,"sync_interval":120000000000}"#
            case .off: #""disabled":true,"config":{"max_memory":0,"max_storage":0}"#
            }
        let time = report.time.map { #""now":"\#($0.iso8601)","# } ?? ""
        return #"{"server":{"name":"\#(report.name)","ver":"\#(report.version)"},"data":{\#(time)\#(data)}}"#
    }

    private func deliver(_ body: [UInt8]) throws(NATSRequestFailure) -> [NATSMessage] {
        let numbers = String(decoding: body, as: UTF8.self).split { !$0.isNumber }.compactMap { Int($0) }
        let messages = state.withLock { state -> [NATSMessage]? in
            guard let connection = state.connection, numbers.count == 3, connection.number > 0 else { return nil }
            let remaining = (1...max(1, state.copiedRecords ?? state.records.count)).filter {
                $0 >= numbers[0] && $0 <= state.records.count && !state.deleted.contains($0)
                    && !state.hidden.contains($0)
            }
            guard !remaining.isEmpty else { return [Self.status(404)] }
            var messages: [NATSMessage] = []
            var before = 0
            for (index, sequence) in remaining.prefix(numbers[1]).enumerated() {
                let record = state.records[sequence - 1]
                var headers = record.headers ?? NATSHeaders()
                headers.fields += [
                    .init(name: "Nats-Sequence", value: "\(sequence)"),
                    .init(name: "Nats-Last-Sequence", value: "\(before)"),
                    .init(name: "Nats-Num-Pending", value: "\(remaining.count - index - 1)"),
                ]
                before = sequence
                messages.append(NATSMessage(subject: "a", subscription: 1, headers: headers, body: record.body))
            }
            return Array((messages + [Self.status(204)]).prefix(state.deliveredAnswers ?? .max))
        }
        guard let messages else { throw .notConnected }
        return messages
    }

    static func message(_ text: String) -> NATSMessage {
        NATSMessage(subject: "_INBOX.a.1", subscription: 1, body: Array(text.utf8))
    }

    static func status(_ status: Int) -> NATSMessage {
        var headers = NATSHeaders()
        headers.status = status
        return NATSMessage(subject: "_INBOX.a.1", subscription: 1, headers: headers)
    }

    private static func json(_ facts: StreamFacts, last: Int) -> String {
        let replicas = facts.replicas.map {
            #"{"name":"\#($0.name)","offline":\#($0.isOffline),"active":\#($0.sinceContact.wholeMilliseconds * 1_000_000)}"#
        }
        let last = facts.lastSequence > 0 ? Int(facts.lastSequence) : last
        return #"{"config":{"name":"\#(facts.name)","storage":"\#(facts.storage)","num_replicas":\#(facts.copies),"#
            + #""discard":"\#(facts.discard)","duplicate_window":\#(facts.idWindow),"allow_direct":\#(facts.allowsDirect),"#
            + #""subjects":["\#(facts.subjects.joined(separator: ","))"]},"created":"\#(facts.created)","state":{"last_seq":\#(last)},"#
            + #""cluster":{"leader":"\#(facts.leader ?? "")","replicas":[\#(replicas.joined(separator: ","))]}}"#
    }
}
