// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore

/// Dispatches every request to the endpoint of its path and method.
///
/// The responder checks access before the endpoint runs, and converts failures to JSON. Resources register their
/// endpoints in a ``RouteTable``.
struct CollectorResponder: HTTPResponder {
    typealias Context = CollectorContext

    private let dependencies: CollectorDependencies
    private let routes: RouteTable
    private let access: AccessPolicy
    private let addresses: AddressMeter

    init(_ resources: [any RoutedResource], dependencies: CollectorDependencies) {
        let configuration = dependencies.configuration
        self.dependencies = dependencies
        routes = RouteTable(resources)
        access = AccessPolicy(
            dependencies: dependencies,
            hosts: HostPolicy(configuration),
            origins: OriginPolicy(configuration)
        )
        addresses = AddressMeter(configuration.addressRate, clock: dependencies.clock)
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        var response: Response
        var found: RouteMatch?
        var code: String?
        let origin = origin(of: request, context)
        let log = dependencies.requestLog.map { ($0, dependencies.clock.now().wall, dependencies.instant()) }
        do {
            try count(origin)
            try access.hosts.check(request)
            let match = try routes.find(request.method, request.uri.path)
            found = match
            response = try await respond(match, request, from: origin)
        } catch let failure as RequestFailure {
            let failure = laggingFailure(failure, found) ?? failure
            code = failure.code
            response = refused(failure, request)
        } catch let error as StoreError {
            let failure = RequestFailure(error)
            code = failure.code
            response = refused(failure, request)
        } catch is SlowRequestError {
            let failure = RequestFailure(
                status: .requestTimeout,
                code: .slowBody,
                message: "The body did not arrive in time.",
                headers: [.connection: "close"]
            )
            code = failure.code
            response = refused(failure, request)
        }
        dependencies.statistics.withLock { $0.responses[response.status.code, default: 0] += 1 }
        if let (write, time, began) = log {
            var entry = RequestLogEntry(request, from: origin, found, response, code, at: time, dependencies)
            entry.duration = began.duration(to: dependencies.instant())
            write(entry.json())
        }
        access.origins.allowOrigin(in: &response, for: request, found)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func respond(
        _ match: RouteMatch,
        _ request: Request,
        from origin: RequestOrigin
    ) async throws -> Response {
        guard case .endpoint(let endpoint, let parameters) = match else {
            return try access.origins.preflight(request)
        }
        let authorization = try access.admit(request, to: endpoint.access)
        // Check before the endpoint runs, because data that the index currently lacks may be missing from the response.
        let partial = incompleteReason(of: endpoint)
        let began = endpoint.durations.map { ($0, dependencies.instant()) }
        let call = EndpointRequest(
            request: request,
            parameters: parameters,
            authorization: authorization,
            origin: origin
        )
        var response = try await run(endpoint, call)
        if let (durations, began) = began {
            let time = began.duration(to: dependencies.instant())
            dependencies[keyPath: durations].withLock { $0.add(time) }
        }
        if let partial { try await IncompleteResponse.mark(&response, partial) }
        return response
    }

    private func run(_ endpoint: Endpoint, _ call: EndpointRequest) async throws -> Response {
        guard endpoint.access.showsRecordedData, let work = dependencies.connections.work(of: call.origin.channel)
        else {
            return try await endpoint.handler(call)
        }
        // Reading may take a long time, and is canceled when the client disconnects.
        return try await work.run { try await endpoint.handler(call) }
    }

    /// Returns the reason why a response may lack events that have arrived.
    ///
    /// Nil if no events can be missing.
    private func incompleteReason(of endpoint: Endpoint) -> String? {
        switch endpoint.source {
        case .index, .lookup: dependencies.store.incompleteReason
        case .analytics: dependencies.analysis == nil ? dependencies.store.incompleteReason : nil
        case .other, .intake, .untimed: nil
        }
    }

    /// Returns the failure for an object that a lagging index may lack.
    ///
    /// This failure replaces 404. The result is nil for other failures.
    private func laggingFailure(_ failure: RequestFailure, _ match: RouteMatch?) -> RequestFailure? {
        guard failure.status == .notFound, case .endpoint(let endpoint, _)? = match, case .lookup = endpoint.source
        else { return nil }
        return incompleteReason(of: endpoint).map(RequestFailure.indexBehind)
    }

    /// Returns the response to a request that failed.
    private func refused(_ failure: RequestFailure, _ request: Request) -> Response {
        dependencies.statistics.withLock { $0.recordFailure(code: failure.code, key: failure.key) }
        return JSONResponse.failure(routes.failure(failure, at: request.uri.path))
    }

    private func origin(of request: Request, _ context: CollectorContext) -> RequestOrigin {
        let sender = ClientAddresses(trustedProxies: dependencies.configuration.trustedProxies)
            .sender(peer: context.peer, forwardedFor: request.headers[values: Self.forwardedFor])
        return RequestOrigin(
            address: sender?.isLoopback == true ? nil : sender,
            sender: sender,
            channel: context.channel
        )
    }

    private func count(_ origin: RequestOrigin) throws(RequestFailure) {
        guard let address = origin.address else { return }
        do {
            try addresses.admit(address)
        } catch {
            throw RequestFailure(error)
        }
    }

    private static let forwardedFor = HTTPField.Name.literal("x-forwarded-for")
}
