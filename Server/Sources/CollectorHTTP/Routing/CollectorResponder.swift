// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents

/// Answers every request through the endpoint of its path and method.
///
/// It checks access before the endpoint runs, and turns failures into JSON. Endpoints are registered by their resources
/// in a ``RouteTable``.
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
        do {
            let origin = RequestOrigin(address: address(of: request, from: context.peer), channel: context.channel)
            try count(origin)
            try access.hosts.check(request)
            let match = try routes.find(request.method, request.uri.path)
            found = match
            response = try await answer(match, request, from: origin)
        } catch let failure as RequestFailure {
            response = refused(laggingFailure(failure, found) ?? failure, request)
        } catch let error as StoreError {
            response = refused(RequestFailure(error), request)
        } catch is SlowRequestError {
            let failure = RequestFailure(
                status: .requestTimeout,
                code: "slow_body",
                message: "The body did not arrive in time.",
                headers: [.connection: "close"]
            )
            response = refused(failure, request)
        }
        dependencies.statistics.withLock { $0.answers[response.status.code, default: 0] += 1 }
        access.origins.mark(&response, for: request, found)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(
        _ match: RouteMatch,
        _ request: Request,
        from origin: RequestOrigin
    ) async throws -> Response {
        guard case .endpoint(let endpoint, let parameters) = match else {
            return try access.origins.preflight(request)
        }
        let pass = try access.admit(request, to: endpoint.access)
        // Check before the endpoint runs, because the response may lack what the index lacks now.
        let partial = partial(of: endpoint)
        let began = dependencies.clock.now().monotonic
        let call = EndpointRequest(request: request, parameters: parameters, pass: pass, origin: origin)
        var response = try await run(endpoint, call)
        if endpoint.isTimed {
            let time = began.duration(to: dependencies.clock.now().monotonic)
            dependencies.reads.withLock { $0.add(time) }
        }
        if let partial { try await IncompleteResponse.mark(&response, partial) }
        return response
    }

    private func run(_ endpoint: Endpoint, _ call: EndpointRequest) async throws -> Response {
        guard endpoint.access.reads, let work = dependencies.connections.work(of: call.origin.channel) else {
            return try await endpoint.handler(call)
        }
        // Reading may take long, and ends when the client disconnects.
        return try await work.run { try await endpoint.handler(call) }
    }

    /// Returns why a response may lack events that have arrived.
    ///
    /// Nil if it does not.
    private func partial(of endpoint: Endpoint) -> String? {
        switch endpoint.answers {
        case .index, .lookup: dependencies.store.partial
        case .question: dependencies.analysis == nil ? dependencies.store.partial : nil
        case .other, .untimed: nil
        }
    }

    /// The failure for an object that a lagging index may lack.
    ///
    /// It replaces 404; nil for other failures.
    private func laggingFailure(_ failure: RequestFailure, _ match: RouteMatch?) -> RequestFailure? {
        guard failure.status == .notFound, case .endpoint(let endpoint, _)? = match, case .lookup = endpoint.answers
        else { return nil }
        return partial(of: endpoint).map(RequestFailure.indexBehind)
    }

    /// Returns the response to a request that failed.
    private func refused(_ failure: RequestFailure, _ request: Request) -> Response {
        dependencies.statistics.withLock { $0.fail(code: failure.code, key: failure.key) }
        return Answer.failure(routes.failure(failure, at: request.uri.path))
    }

    private func address(of request: Request, from peer: IPAddress?) -> IPAddress? {
        ClientAddresses(trustedProxies: dependencies.configuration.trustedProxies)
            .client(peer: peer, forwardedFor: request.headers[values: Self.forwardedFor])
    }

    private func count(_ origin: RequestOrigin) throws(RequestFailure) {
        guard let address = origin.address else { return }
        do {
            try addresses.admit(address)
        } catch {
            throw RequestFailure(error)
        }
    }

    private static let forwardedFor = Answer.name("x-forwarded-for")
}
