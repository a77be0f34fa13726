// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayWire

/// A network that does what the test says, and remembers every request.
///
/// ```swift
/// let transport = ScriptedTransport()
/// transport.script(.status(503), .loseAnswer)   // the first two requests; then everything is accepted
/// ```
/// Any thread.
public final class ScriptedTransport: Transport {
    private struct State: Sendable {
        var script: [ScriptedAnswer] = []
        var usual: ScriptedAnswer
        var exceptions: [(part: String, answer: ScriptedAnswer)] = []
        var requests: [WireRequest] = []
        var delivered: [DeliveredEvent] = []
        var isHeld = false
        var held: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastNumber: UInt64 = 0
        var watchers: [(count: Int, report: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Locked<State>

    /// Makes a network whose back-end does the same with every request, unless told otherwise.
    public init(_ usual: ScriptedAnswer = .accept) {
        state = Locked(State(usual: usual))
    }

    // MARK: Saying what happens

    /// Adds answers for the next requests, whoever they go to, one each.
    public func script(_ answers: ScriptedAnswer...) {
        state.withLock { $0.script += answers }
    }

    /// Changes what happens when the script is over.
    public func always(_ answer: ScriptedAnswer) {
        state.withLock { $0.usual = answer }
    }

    /// Changes what happens, when the script is over, with requests whose address contains this text.
    public func always(_ answer: ScriptedAnswer, to part: String) {
        state.withLock { state in
            state.exceptions.removeAll { $0.part == part }
            state.exceptions.append((part, answer))
        }
    }

    /// Lets requests hang until ``release()``.
    public func hold() {
        state.withLock { $0.isHeld = true }
    }

    /// Lets the requests that hang, and all later ones, go on.
    public func release() {
        let held = state.withLock { state in
            defer { state.held = [:] }
            state.isHeld = false
            return state.held.values.map { $0 }
        }
        for continuation in held { continuation.resume(returning: true) }
    }

    // MARK: Seeing what happened

    /// Every request, in the order they came, those included that failed.
    public var requests: [WireRequest] { state.withLock { $0.requests } }

    /// Every event the back-end has taken, in order, as often as it came. Only requests in Trackway's own format count.
    public var delivered: [DeliveredEvent] { state.withLock { $0.delivered } }

    /// The events with this name that the back-end has taken.
    public func delivered(named name: String) -> [Event] {
        delivered.map(\.event).filter { $0.name == name }
    }

    /// Returns when so many requests have come since the beginning.
    public func untilRequested(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isSo = state.withLock { state in
                if state.requests.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isSo { continuation.resume() }
        }
    }

    // MARK: Transport

    /// Does with the request what the script says.
    public func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        let (answer, told) = state.withLock { state -> (ScriptedAnswer, [CheckedContinuation<Void, Never>]) in
            state.requests.append(request)
            let count = state.requests.count
            let told = state.watchers.filter { $0.count <= count }.map(\.report)
            state.watchers.removeAll { $0.count <= count }
            if !state.script.isEmpty { return (state.script.removeFirst(), told) }
            let exception = state.exceptions.last { Self.contains(request.url, $0.part) }
            return (exception?.answer ?? state.usual, told)
        }
        for continuation in told { continuation.resume() }
        guard await passes() else { throw TransportError(.cancelled, "the request was cancelled while it hung") }
        switch answer {
        case .accept:
            return take(request, refusing: [:])
        case .acceptAllBut(let refused):
            return take(request, refusing: refused)
        case .loseAnswer:
            _ = take(request, refusing: [:])
            throw TransportError(.timedOut, "the answer was lost")
        case .respond(let response):
            return response
        case .fail(let error):
            throw error
        }
    }

    private func take(_ request: WireRequest, refusing refused: [Int: String]) -> WireResponse {
        guard let body = CollectorBody(request) else {
            // Another format: its own destination judges an empty success.
            return WireResponse(status: 200, headers: ["content-type": "application/json"], body: Array("{}".utf8))
        }
        let taken = body.events.indices.filter { refused[$0] == nil }.map { place in
            DeliveredEvent(event: body.events[place].event, context: body.events[place].context, url: request.url)
        }
        state.withLock { $0.delivered += taken }
        return body.answer(refusing: refused)
    }

    /// Waits while requests are held; false when the task was cancelled meanwhile.
    private func passes() async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state -> Bool? in
                    if !state.isHeld { return true }
                    if Task.isCancelled { return false }
                    state.held[number] = continuation
                    return nil
                }
                if let passes { continuation.resume(returning: passes) }
            }
        } onCancel: {
            let continuation = state.withLock { $0.held.removeValue(forKey: number) }
            continuation?.resume(returning: false)
        }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        let (text, part) = (Array(text.utf8), Array(part.utf8))
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
    }
}

/// What a ``ScriptedTransport`` does with one request.
public enum ScriptedAnswer: Sendable, Hashable {
    /// The back-end takes every event, and answers as Trackway's collector does.
    case accept
    /// The back-end takes every event but those at the given places of the body, which it refuses with a code; it
    /// answers as Trackway's collector does.
    case acceptAllBut([Int: String])
    /// The back-end takes every event, but its answer is lost on the way.
    case loseAnswer
    /// This answer, with no event taken.
    case respond(WireResponse)
    /// The network fails; the request reaches nobody.
    case fail(TransportError)

    /// A status, with no event taken, as Trackway's collector answers an error.
    public static func status(_ status: Int, code: String = "error", headers: WireHeaders = [:]) -> ScriptedAnswer {
        var headers = headers
        headers["content-type"] = "application/json"
        let body = #"{"error":{"code":"\#(code)","field":"","message":"scripted"}}"#
        return .respond(WireResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    /// A page with status 200 from something between app and back-end, as in hotels and trains.
    public static let captivePortal = ScriptedAnswer.respond(
        WireResponse(
            status: 200,
            headers: ["content-type": "text/html"],
            body: Array("<html><body>Please sign in to use the network.</body></html>".utf8)
        )
    )
}

/// An event that arrived at a ``ScriptedTransport``'s back-end in Trackway's own format.
public struct DeliveredEvent: Sendable, Hashable {
    /// The event.
    public let event: Event
    /// The context it was recorded in.
    public let context: JSONValue
    /// Where the request went.
    public let url: String

    /// The user the event belongs to; nil when nobody was signed in.
    public var user: String? { context["user"]?["id"]?.string }
}
