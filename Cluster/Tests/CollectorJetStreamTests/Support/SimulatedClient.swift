// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

@testable internal import CollectorJetStream

/// A collector's connection to a simulated cluster.
@available(macOS 15, *)
final class SimulatedClient: NATSRequesting {
    private typealias Answer = Result<[NATSMessage], NATSRequestFailure>

    private struct State: Sendable {
        var number: UInt64 = 0
        var server: Int?
        var isClosed = false
        var lastRequest: UInt64 = 0
        var pending: [UInt64: CheckedContinuation<Answer, Never>] = [:]
        var onChange: @Sendable () -> Void = {}
    }

    private let cluster: SimulatedCluster
    private let state = Locked(State())

    init(_ cluster: SimulatedCluster) {
        self.cluster = cluster
    }

    /// Sets a closure that is called whenever the connection changes or ends.
    func onChange(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onChange = action } }

    var connectionError: String? { nil }

    var connection: NATSConnection? {
        state.withLock { state in
            state.server.map { server in
                let name = "n\(server)"
                return NATSConnection(
                    number: state.number,
                    address: NATSAddress(host: name),
                    server: NATSServerInfo(name: name)
                )
            }
        }
    }

    // MARK: Connecting

    func connect(except previous: Int? = nil) {
        guard !state.withLock({ $0.isClosed }) else { return }
        guard let server = cluster.randomServer(except: previous) else {
            cluster.time.after(.milliseconds(250)) { [weak self] in self?.connect() }
            return
        }
        let onChange = state.withLock { state in
            state.number += 1
            state.server = server
            return state.onChange
        }
        onChange()
    }

    /// Handles the loss of a server.
    func serverLost(_ server: Int) { disconnect { $0 == server } }

    func dropConnection(_ number: UInt64) {
        disconnect(number) { _ in true }
    }

    /// Ends the client because its process has died.
    func close() {
        state.withLock { $0.isClosed = true }
        disconnect { _ in true }
    }

    private func disconnect(_ number: UInt64? = nil, _ matches: (Int) -> Bool) {
        let (pending, onChange, server, connection) = state.withLock { state in
            guard let server = state.server, matches(server), number ?? state.number == state.number else {
                return ([CheckedContinuation<Answer, Never>](), {} as @Sendable () -> Void, Int?.none, UInt64(0))
            }
            defer {
                state.server = nil
                state.pending = [:]
            }
            // Answer in the order of the requests, so that equal runs stay equal.
            let pending = state.pending.sorted { $0.key < $1.key }.map(\.value)
            return (pending, state.onChange, Optional(server), state.number)
        }
        guard let server else { return }
        for waiter in pending { waiter.resume(returning: .failure(.connectionLost(connection: connection))) }
        onChange()
        cluster.time.after(.milliseconds(cluster.number(20...300))) { [weak self] in self?.connect(except: server) }
    }

    // MARK: Requests

    func request(
        _ subject: String,
        headers: NATSHeaders?,
        body: [UInt8],
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> NATSMessage {
        let isInfo = subject.hasPrefix("$JS.API.STREAM.INFO.")
        let answers = try await send(within: timeout) { [cluster] server, answer in
            if isInfo {
                if let facts = Self.facts(cluster.log, from: server, now: cluster.time.now) {
                    answer([Self.message(facts)])
                }
                return
            }
            let acknowledge: @Sendable (Int, Bool) -> Void = { position, isRepeated in
                let repeated = isRepeated ? #","duplicate":true"# : ""
                answer([Self.message(#"{"stream":"INTAKE_0","seq":\#(position + 1)\#(repeated)}"#)])
            }
            let id = headers?["Nats-Msg-Id"] ?? ""
            switch cluster.receive(id, body, at: server, stored: { acknowledge($0, false) }) {
            case .noAnswer, .pending: break
            case .noLeader: answer([Self.noResponders])
            case .inProgress:
                answer([
                    Self.message(
                        #"{"error":{"code":409,"err_code":10158,"description":"duplicate message id is in process"}}"#
                    )
                ])
            case .repeated(let position): acknowledge(position, true)
            }
        }
        return answers[0]
    }

    func collect(
        _ subject: String,
        body: [UInt8],
        upTo count: Int,
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage] {
        try await send(within: timeout) { [cluster] server, answer in
            let log = cluster.log
            guard log.isResponsive(server) else { return }
            answer(
                log.servers.indices.filter { log.canReach(server, $0) }.map { other in
                    Self.message(
                        #"{"server":{"name":"n\#(other)","ver":"2.15.1"},"data":{"config":{"sync_always":\#(log.servers[other].syncsAlways)}}}"#
                    )
                }
            )
        }
    }

    private func send(
        within timeout: Duration,
        _ handler: @escaping @Sendable (Int, @escaping @Sendable ([NATSMessage]) -> Void) -> Void
    ) async throws(NATSRequestFailure) -> [NATSMessage] {
        let answer: Answer = await withCheckedContinuation { continuation in
            let request = state.withLock { state -> (number: UInt64, server: Int, connection: UInt64)? in
                guard let server = state.server else { return nil }
                state.lastRequest += 1
                state.pending[state.lastRequest] = continuation
                return (state.lastRequest, server, state.number)
            }
            guard let request else { return continuation.resume(returning: .failure(.notConnected)) }
            cluster.time.after(timeout) { [weak self] in
                self?.answer(request.number, .failure(.unanswered(connection: request.connection)))
            }
            guard let delay = cluster.transitTime(isAnswer: false) else { return }
            cluster.time.after(delay) { [weak self, cluster] in
                handler(request.server) { [weak self] messages in
                    guard let answerDelay = cluster.transitTime(isAnswer: true) else { return }
                    cluster.time.after(answerDelay) { [weak self] in self?.answer(request.number, .success(messages)) }
                }
            }
        }
        return try answer.get()
    }

    private func answer(_ number: UInt64, _ answer: Answer) {
        state.withLock { $0.pending.removeValue(forKey: number) }?.resume(returning: answer)
    }

    // MARK: Answers

    private static func message(_ text: String) -> NATSMessage {
        NATSMessage(subject: "_INBOX.a.1", subscription: 1, body: Array(text.utf8))
    }

    private static var noResponders: NATSMessage {
        var headers = NATSHeaders()
        headers.status = 503
        return NATSMessage(subject: "_INBOX.a.1", subscription: 1, headers: headers)
    }

    /// Returns the stream's description from the leader that a server reaches; nil without a leader.
    private static func facts(_ log: ReplicatedLog, from server: Int, now: MonotonicTime) -> String? {
        guard let leader = log.leader(from: server) else { return formerFacts(log, from: server, now: now) }
        return description(by: leader, last: log.stored) { other in
            let sinceContact = log.canReach(leader, other) ? .zero : log.servers[other].lastContact.duration(to: now)
            return (!log.servers[other].isUp, sinceContact)
        }
    }

    /// Returns the stream's description from a leader that was cut off and does not know that it was replaced.
    private static func formerFacts(_ log: ReplicatedLog, from server: Int, now: MonotonicTime) -> String? {
        guard let former = log.formerLeader, now < former.until, log.canReach(server, former.server) else { return nil }
        return description(by: former.server, last: former.stored) { _ in (false, former.since.duration(to: now)) }
    }

    private static func description(
        by leader: Int,
        last: Int,
        _ other: (Int) -> (isOffline: Bool, sinceContact: Duration)
    ) -> String {
        let replicas = (0..<3).filter { $0 != leader }.map { number in
            let (isOffline, sinceContact) = other(number)
            return
                #"{"name":"n\#(number)","offline":\#(isOffline),"active":\#(sinceContact.wholeMilliseconds * 1_000_000)}"#
        }
        return
            #"{"config":{"name":"INTAKE_0","storage":"file","num_replicas":3,"discard":"new","duplicate_window":120000000000,"#
            + #""allow_direct":true,"subjects":["intake.*"]},"created":"once","state":{"last_seq":\#(last)},"#
            + #""cluster":{"leader":"n\#(leader)","replicas":[\#(replicas.joined(separator: ","))]}}"#
    }
}
