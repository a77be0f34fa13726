// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore

/// The endpoints for alerts, their conditions, and their webhooks.
struct AlertEndpoints: RoutedResource {
    let dependencies: CollectorDependencies
    let service: AlertService
    /// The slots for test messages.
    ///
    /// Each message holds a connection until the receiver has responded.
    private let testSlots = ConcurrencySlots(limit: 2)

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
        SavedObjectRequest.handler(of: .alert, handler)
    }

    /// `GET /v1/alerts`
    private func list() async throws -> Response {
        let all = try await store.all()
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.list("alerts", all) { $0.write(to: &$1) }
            writer.endObject()
        }
    }

    /// `GET /v1/alerts/{id}`
    private func alert(_ id: String) async throws -> Response { Self.response(try await store.alert(id)) }

    /// `POST /v1/alerts`
    private func add(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        let draft = try await draft(request, from: origin)
        let view = try await store.add(draft, at: now)
        service.alertsChanged()
        var headers = SavedObjectRequest.tag(view.stored.alert.version)
        headers[.location] = "/v1/alerts/\(view.stored.alert.id)"
        return JSONResponse.make(.created, headers: headers) { view.write(withSecret: true, to: &$0) }
    }

    /// `PUT /v1/alerts/{id}`
    private func replace(_ id: String, _ request: Request, from origin: RequestOrigin) async throws -> Response {
        let draft = try await draft(request, from: origin)
        let version = try SavedObjectRequest(request, of: .alert).version(draft.version)
        let view = try await store.replace(id, with: draft, basedOn: version, at: now)
        service.alertsChanged()
        return Self.response(view)
    }

    /// `DELETE /v1/alerts/{id}`
    private func remove(_ id: String, _ request: Request) async throws -> Response {
        try await store.remove(id, basedOn: try SavedObjectRequest(request, of: .alert).version())
        service.alertsChanged()
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("id", id)
            writer.endObject()
        }
    }

    /// `POST /v1/alerts/{id}/test`: sends a test message and returns the result.
    private func test(_ id: String) async throws -> Response {
        let slot: ConcurrencySlot
        do throws(RequestFailure) {
            slot = try testSlots.take()
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .tooManyTrials,
                message: "Too many test messages are being sent; try again in a moment.",
                retryAfter: .seconds(5)
            )
        }
        defer { withExtendedLifetime(slot) {} }
        let page = try await store.alert(id).stored.alert.settings.condition.page
        let job = try await store.testDelivery(for: id, at: now, link: service.page() + page)
        let (result, duration) = await service.sender.send(job)
        await store.attemptFinished(job, result, at: dependencies.clock.now(), duration: duration)
        let attempts = try await store.alert(id).status.attempts
        guard let attempt = attempts.last(where: { $0.id == job.id }) else {
            throw RequestFailure.notFound("The alert was deleted in the meantime.")
        }
        return JSONResponse.make { attempt.write(to: &$0) }
    }

    /// `POST /v1/alerts/{id}/rotate?overlap=1d`: creates a secret.
    ///
    /// The new secret is returned only once. During the overlap, messages are also signed with the previous secret.
    private func rotate(_ id: String, _ request: Request) async throws -> Response {
        let query = QueryParameters(request.uri)
        try query.rejectUnknown(["overlap"])
        var overlap = AlertLimits.defaultOverlap
        if let text = try query.text("overlap") {
            guard let length = DurationText.length(text), AlertLimits.overlaps.contains(length) else {
                throw RequestFailure.malformed(
                    "overlap",
                    "“\(text.prefix(64))” is not a valid “overlap”: write 0m to 30d, such as 1d."
                )
            }
            overlap = length
        }
        let view = try await store.rotate(id, overlap: overlap, at: now)
        return JSONResponse.make { view.write(withSecret: true, to: &$0) }
    }

    /// `GET /v1/alerts/{id}/deliveries`
    private func deliveries(_ id: String) async throws -> Response {
        let view = try await store.alert(id)
        return JSONResponse.make { view.writeAttempts(to: &$0) }
    }

    private static func response(_ view: AlertView) -> Response {
        JSONResponse.make(headers: SavedObjectRequest.tag(view.stored.alert.version)) { view.write(to: &$0) }
    }

    /// Parses an alert from a request's body and validates its query.
    private func draft(_ request: Request, from origin: RequestOrigin) async throws -> AlertDraft {
        let value = try await SavedObjectRequest(request, of: .alert).body(
            upTo: AlertLimits.bytes,
            from: origin,
            dependencies
        )
        let draft = try AlertDraft(value)
        try service.evaluator.check(draft.settings.condition)
        return draft
    }
}
