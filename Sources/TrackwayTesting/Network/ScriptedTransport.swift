// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayDestinationKit

/// A network that follows a script, and records every request.
///
/// ```swift
/// let transport = ScriptedTransport()
/// transport.script(.status(503), .loseAnswer)   // the first two requests; then everything is accepted
/// ```
/// Thread-safe.
public final class ScriptedTransport: Transport {
    private struct State: Sendable {
        var script: [ScriptedResponse] = []
        var defaultResponse: ScriptedResponse
        var exceptions: [(part: String, answer: ScriptedResponse)] = []
        var requests: [WireRequest] = []
        var delivered: [DeliveredEvent] = []
        var isHeld = false
        var held: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var lastNumber: UInt64 = 0
        var watchers: [(count: Int, report: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Locked<State>

    /// Creates a network with the same response to every request.
    ///
    /// A script can override it.
    public init(_ defaultResponse: ScriptedResponse = .accept) {
        state = Locked(State(defaultResponse: defaultResponse))
    }

    // MARK: Script

    /// Adds responses for the next requests to any address, one per request.
    public func script(_ answers: ScriptedResponse...) {
        state.withLock { $0.script += answers }
    }

    /// Sets the response to all requests after the end of the script.
    public func always(_ answer: ScriptedResponse) {
        state.withLock { $0.defaultResponse = answer }
    }

    /// Sets the response after the script's end for addresses containing this text.
    public func always(_ answer: ScriptedResponse, to part: String) {
        state.withLock { state in
            state.exceptions.removeAll { $0.part == part }
            state.exceptions.append((part, answer))
        }
    }

    /// Holds requests until ``release()``.
    public func hold() {
        state.withLock { $0.isHeld = true }
    }

    /// Releases the held requests, and stops holding later ones.
    public func release() {
        let held = state.withLock { state in
            defer { state.held = [:] }
            state.isHeld = false
            return state.held.values.map { $0 }
        }
        for continuation in held { continuation.resume(returning: true) }
    }

    // MARK: Results

    /// All requests in order of arrival, including those that failed.
    public var requests: [WireRequest] { state.withLock { $0.requests } }

    /// All events accepted by the back end, in order, including duplicates.
    ///
    /// The list contains only events of requests in Trackway's own format.
    public var delivered: [DeliveredEvent] { state.withLock { $0.delivered } }

    /// Returns the accepted events with this name.
    public func delivered(named name: String) -> [Event] {
        delivered.map(\.event).filter { $0.name == name }
    }

    /// Returns when this many requests have arrived in total.
    public func untilRequested(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.requests.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    // MARK: Transport

    /// Responds to the request according to the script.
    public func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        let (answer, ready) = state.withLock { state -> (ScriptedResponse, [CheckedContinuation<Void, Never>]) in
            state.requests.append(request)
            let count = state.requests.count
            let ready = state.watchers.filter { $0.count <= count }.map(\.report)
            state.watchers.removeAll { $0.count <= count }
            if !state.script.isEmpty { return (state.script.removeFirst(), ready) }
            let exception = state.exceptions.last { Self.contains(request.url, $0.part) }
            return (exception?.answer ?? state.defaultResponse, ready)
        }
        for continuation in ready { continuation.resume() }
        guard await waitForRelease() else {
            throw TransportError(.cancelled, "the request was canceled while it was held")
        }
        switch answer {
        case .accept:
            return accept(request, refusing: [:])
        case .acceptAllBut(let refused):
            return accept(request, refusing: refused)
        case .loseAnswer:
            _ = accept(request, refusing: [:])
            throw TransportError(.timedOut, "the response was lost")
        case .respond(let response):
            return response
        case .fail(let error):
            throw error
        }
    }

    private func accept(_ request: WireRequest, refusing refused: [Int: String]) -> WireResponse {
        guard let body = CollectorBody(request) else {
            // A destination with a different format receives an empty JSON object with status 200.
            return WireResponse(status: 200, headers: ["content-type": "application/json"], body: Array("{}".utf8))
        }
        let accepted = body.events.indices.filter { refused[$0] == nil }.map { place in
            DeliveredEvent(event: body.events[place].event, context: body.events[place].context, url: request.url)
        }
        state.withLock { $0.delivered += accepted }
        return body.answer(refusing: refused)
    }

    /// Waits while requests are held; returns false if the task was canceled.
    private func waitForRelease() async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReleased = state.withLock { state -> Bool? in
                    if !state.isHeld { return true }
                    if Task.isCancelled { return false }
                    state.held[number] = continuation
                    return nil
                }
                if let isReleased { continuation.resume(returning: isReleased) }
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

/// The treatment of one request by a ``ScriptedTransport``.
public enum ScriptedResponse: Sendable, Hashable {
    /// The back end accepts every event, and responds like Trackway's collector.
    case accept
    /// The back end accepts every event except those at the given indices.
    ///
    /// It rejects each of those with the given code, and responds like Trackway's collector.
    case acceptAllBut([Int: String])
    /// The back end accepts every event, but its response is lost.
    case loseAnswer
    /// The back end sends this response, and accepts no event.
    case respond(WireResponse)
    /// The network fails, and the request does not arrive.
    case fail(TransportError)

    /// Returns an error response like that of Trackway's collector.
    ///
    /// No event is accepted.
    public static func status(_ status: Int, code: String = "error", headers: WireHeaders = [:]) -> ScriptedResponse {
        var headers = headers
        headers["content-type"] = "application/json"
        let body = #"{"error":{"code":"\#(code)","field":"","message":"scripted"}}"#
        return .respond(WireResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    /// A sign-in page with status 200 from an intermediary.
    ///
    /// Networks in hotels and on trains respond like this.
    public static let captivePortal = ScriptedResponse.respond(
        WireResponse(
            status: 200,
            headers: ["content-type": "text/html"],
            body: Array("<html><body>Please sign in to use the network.</body></html>".utf8)
        )
    )
}

/// An event that a ``ScriptedTransport`` received in Trackway's own format.
public struct DeliveredEvent: Sendable, Hashable {
    /// The event.
    public let event: Event
    /// The context in which it was recorded.
    public let context: JSONValue
    /// The address of the request.
    public let url: String

    /// The user of the event; nil if no user was signed in.
    public var user: String? { context["user"]?["id"]?.string }
}
