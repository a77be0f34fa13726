// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayEvents

/// The endpoints for alerts: conditions checked at intervals, and their webhooks.
struct AlertEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    let service: AlertService
    /// Slots for test messages: each holds a connection until the receiver has responded.
    private let trials = ConcurrencySlots(limit: 2)

    init(dependencies: CollectorDependencies, service: AlertService) {
        self.dependencies = dependencies
        self.service = service
    }

    private var store: AlertStore { service.store }
    private var now: Timestamp { dependencies.clock.now().wall }

    func register(in routes: inout RouteTable) {
        routes.read("/v1/alerts", .other, handler: saved { _ in try await list() })
        routes.add(.post, "/v1/alerts", .alerts, handler: saved { try await add($0.request, from: $0.origin) })
        routes.read("/v1/alerts/{id}", .other, handler: saved { try await alert($0["id"]) })
        routes.add(
            .put,
            "/v1/alerts/{id}",
            .alerts,
            handler: saved { try await replace($0["id"], $0.request, from: $0.origin) }
        )
        routes.add(.delete, "/v1/alerts/{id}", .alerts, handler: saved { try await remove($0["id"], $0.request) })
        routes.add(.post, "/v1/alerts/{id}/test", .alerts, handler: saved { try await test($0["id"]) })
        routes.add(.post, "/v1/alerts/{id}/rotate", .alerts, handler: saved { try await rotate($0["id"], $0.request) })
        routes.read("/v1/alerts/{id}/deliveries", .other, handler: saved { try await deliveries($0["id"]) })
    }

    private func saved(_ handler: @escaping Endpoint.Handler) -> Endpoint.Handler {
        SavedRequest.handler(of: "alert", handler)
    }

    /// `GET /v1/alerts`
    private func list() async throws -> Response {
        let all = try await store.all()
        return Answer.json { writer in
            writer.beginObject()
            writer.list("alerts", all) { $0.write(to: &$1) }
            writer.endObject()
        }
    }

    /// `GET /v1/alerts/{id}`
    private func alert(_ id: String) async throws -> Response { Self.answer(try await store.alert(id)) }

    /// `POST /v1/alerts`
    private func add(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        let draft = try await draft(request, from: origin)
        let view = try await store.add(draft, at: now)
        service.changed()
        var headers = SavedRequest.tag(view.stored.alert.version)
        headers[.location] = "/v1/alerts/\(view.stored.alert.id)"
        return Answer.json(.created, headers: headers) { view.write(withSecret: true, to: &$0) }
    }

    /// `PUT /v1/alerts/{id}`
    private func replace(_ id: String, _ request: Request, from origin: RequestOrigin) async throws -> Response {
        let draft = try await draft(request, from: origin)
        let version = try SavedRequest(request, of: "alert").version(draft.version)
        let view = try await store.replace(id, with: draft, madeFrom: version, at: now)
        service.changed()
        return Self.answer(view)
    }

    /// `DELETE /v1/alerts/{id}`
    private func remove(_ id: String, _ request: Request) async throws -> Response {
        try await store.remove(id, madeFrom: try SavedRequest(request, of: "alert").version())
        service.changed()
        return Answer.json { writer in
            writer.beginObject()
            writer.member("id", id)
            writer.endObject()
        }
    }

    /// `POST /v1/alerts/{id}/test`: sends a test message, and responds with the result.
    private func test(_ id: String) async throws -> Response {
        let slot: ConcurrencySlot
        do throws(RequestFailure) {
            slot = try trials.take()
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "too_many_trials",
                message: "Too many test messages are being sent; try again in a moment.",
                retryAfter: .seconds(5)
            )
        }
        defer { withExtendedLifetime(slot) {} }
        let page = try await store.alert(id).stored.alert.settings.condition.page
        let job = try await store.trial(of: id, at: now, link: service.page() + page)
        let (result, took) = await service.sender.send(job)
        await store.sent(job, result, at: dependencies.clock.now(), took: took)
        let attempts = try await store.alert(id).status.attempts
        guard let attempt = attempts.last(where: { $0.id == job.id }) else {
            throw RequestFailure.notFound("The alert was deleted in the meantime.")
        }
        return Answer.json { attempt.write(to: &$0) }
    }

    /// `POST /v1/alerts/{id}/rotate?overlap=1d`: creates a secret, which is returned only once.
    ///
    /// The previous secret also signs for a while.
    private func rotate(_ id: String, _ request: Request) async throws -> Response {
        let query = Query(request.uri)
        try query.rejectUnknown(["overlap"])
        var overlap = AlertLimits.usualOverlap
        if let text = query.text("overlap") {
            guard let length = DurationText.length(text), AlertLimits.overlaps.contains(length) else {
                throw RequestFailure.malformed(
                    "overlap",
                    "“\(text.prefix(64))” is not an overlap with the previous secret: write 0m to 30d, such as 1d."
                )
            }
            overlap = length
        }
        let view = try await store.rotate(id, overlap: overlap, at: now)
        return Answer.json { view.write(withSecret: true, to: &$0) }
    }

    /// `GET /v1/alerts/{id}/deliveries`
    private func deliveries(_ id: String) async throws -> Response {
        let view = try await store.alert(id)
        return Answer.json { view.writeAttempts(to: &$0) }
    }

    private static func answer(_ view: AlertView) -> Response {
        Answer.json(headers: SavedRequest.tag(view.stored.alert.version)) { view.write(to: &$0) }
    }

    /// Reads an alert from a request's body, and checks its query.
    private func draft(_ request: Request, from origin: RequestOrigin) async throws -> AlertDraft {
        let value = try await SavedRequest(request, of: "alert").body(
            upTo: AlertLimits.bytes,
            from: origin,
            dependencies
        )
        let draft = try AlertDraft(value)
        try service.evaluator.check(draft.settings.condition)
        return draft
    }
}
