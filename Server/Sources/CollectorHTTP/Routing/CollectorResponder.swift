// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayEvents

/// Answers every request: finds the route, asks for a key where one is needed, and turns failures into JSON.
///
/// Routes are a handful and fixed, and their errors are part of the format (404 and 405 in JSON), so they are one
/// `switch` rather than a router.
struct CollectorResponder: HTTPResponder {
    typealias Context = CollectorContext

    let dependencies: CollectorDependencies
    let intake: IntakeEndpoint
    let clickstream: ClickstreamEndpoint
    let sensors: SensorsEndpoint
    let sift: SiftEndpoint
    let sapUsage: SAPUsageEndpoint
    let queries: QueryEndpoints
    let lives: EventLifeEndpoint
    let behavior: BehaviorEndpoints
    let people: PeopleEndpoints
    let questions: QuestionEndpoints
    let catalogue: CatalogueEndpoints
    let plan: PlanEndpoints
    let failed: FailedEndpoints
    let devices: DeviceEndpoints
    let boards: BoardEndpoints
    let alerts: AlertEndpoints
    let followers: FollowerEndpoints
    let expectations: ExpectationEndpoint
    let usageReport: UsageReportEndpoint
    let erasure: ErasureEndpoint
    let replay: ReplayEndpoint
    let reset: ResetEndpoint
    let status: StatusEndpoints
    let pages: PageEndpoint
    let addresses: AddressMeter
    let hosts: HostPolicy
    let origins: OriginPolicy

    func respond(to request: Request, context: Context) async throws -> Response {
        var response: Response
        var found: Route?
        do {
            let origin = RequestOrigin(address: address(of: request, from: context.peer), channel: context.channel)
            try count(origin)
            try hosts.check(request)
            let route = try Route.find(method: request.method, path: request.uri.path, assets: pages.has)
            found = route
            let pass = try admit(request, to: route)
            // Before it answers: what it lacks then it may lack in the answer.
            let partial = partial(of: route)
            let began = dependencies.clock.now().monotonic
            response = try await answer(route, request, pass: pass, from: origin)
            if route.isQuick {
                let time = began.duration(to: dependencies.clock.now().monotonic)
                dependencies.reads.withLock { $0.add(time) }
            }
            if let partial { try await PartialAnswer.mark(&response, partial) }
        } catch let failure as RequestFailure {
            let isMissing = failure.status == .notFound && found?.looksForOne == true
            response = refused(
                isMissing ? partial(of: found).map(RequestFailure.indexBehind) ?? failure : failure,
                request
            )
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
        origins.mark(&response, for: request, found)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Why an answer at a route may lack events that have arrived; nil when it lacks none.
    private func partial(of route: Route?) -> String? {
        guard let route, route.answersFromIndex else { return nil }
        // Tables that answer in place of the index say themselves what they lack.
        if route.isQuestion, dependencies.analysis != nil { return nil }
        return dependencies.store.partial
    }

    /// The answer to a request that failed, as the format of its path has to hear it, wherever it failed.
    private func refused(_ failure: RequestFailure, _ request: Request) -> Response {
        dependencies.statistics.withLock { $0.fail(code: failure.code, key: failure.key) }
        return Answer.failure(request.uri.path == "/sa" ? failure.keepingEvents() : failure)
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

    /// Checks before anything is done that a request may have what it asks for, as far as its headers show. Keys for sending are
    /// looked at by those who take events.
    private func admit(_ request: Request, to route: Route) throws(RequestFailure) -> ReadPass {
        let needsKey = route.reads && hosts.readingNeedsKey(request)
        if route.reads, !needsKey { try origins.check(request, for: .reading) }
        let isOpen = dependencies.configuration.isOpenForSending
        if case .boards(let route) = route { try admit(request, to: route, isOpen: isOpen) }
        if case .alerts(let route) = route, route.changes { try admitChange(ofAlerts: request, isOpen: isOpen) }
        if isOpen, route.sends { try hosts.checkIsLocal(request) }
        // Where every key is good, bringing one proves nothing.
        if isOpen ? route.sends : route.letsInWithoutKey && !bringsKey(request, to: route) {
            try origins.check(request, for: .sending)
        }
        return try ReadPass(dependencies.authorization, header: request.headers[.authorization], needsKey: needsKey)
    }

    /// The same for what is done with boards. Where this machine reads without a key it also changes boards without one, from its own
    /// page and from programs; who may read from elsewhere is an operator's to decide, wherever the request comes from.
    private func admit(_ request: Request, to route: BoardRoute, isOpen: Bool) throws(RequestFailure) {
        let needsKey = hosts.readingNeedsKey(request)
        if !needsKey {
            if route.changes { try origins.checkIsOwn(request) } else { try origins.check(request, for: .reading) }
        }
        guard route.changes else { return }
        if isOpen { try hosts.checkIsLocal(request) }
        if needsKey || route.decidesWhoReads {
            _ = try dependencies.operatorGrant(request, to: "change boards and their links")
        }
    }

    /// The same for changes of alerts, which make the collector send requests: an operator's to decide, wherever the request comes from.
    private func admitChange(ofAlerts request: Request, isOpen: Bool) throws(RequestFailure) {
        if isOpen {
            try origins.checkIsOwn(request)
            try hosts.checkIsLocal(request)
        }
        _ = try dependencies.operatorGrant(request, to: "change alerts")
    }

    /// Whether a request brings a key, good or not, that whoever takes events at a route looks at.
    private func bringsKey(_ request: Request, to route: Route) -> Bool {
        if request.headers[.authorization] != nil { return true }
        switch route {
        case .sensors, .sensorsDebug: return SensorsEndpoint.token(Query(request.uri)) != nil
        default: return false
        }
    }

    private func answer(
        _ route: Route,
        _ request: Request,
        pass: ReadPass,
        from origin: RequestOrigin
    ) async throws -> Response {
        guard route.reads, let work = dependencies.connections.work(of: origin.channel) else {
            return try await makeAnswer(route, request, pass: pass, from: origin)
        }
        // Reading may take long, and ends when the client disconnects.
        return try await work.run { try await makeAnswer(route, request, pass: pass, from: origin) }
    }

    private func makeAnswer(
        _ route: Route,
        _ request: Request,
        pass: ReadPass,
        from origin: RequestOrigin
    ) async throws -> Response {
        switch route {
        case .postEvents: try await intake.post(request, from: origin)
        case .listEvents: try await queries.events(request)
        case .event(let id): try await queries.event(id)
        case .life(let id): try await lives.life(id)
        case .wait: try await followers.wait(request, pass: pass)
        case .expect: try await expectations.expect(request, pass: pass)
        case .live: try followers.live(request, pass: pass)
        case .ledger: try await queries.ledger(request)
        case .failed: try await failed.list(request)
        case .failedGroups: try await failed.groups(Query(request.uri)).answer()
        case .ledgerSummary: try await queries.ledgerSummary(Query(request.uri)).answer()
        case .rate: try await queries.rate(Query(request.uri)).answer()
        case .sessions: try await behavior.sessions(request)
        case .screens: try await behavior.screens(request)
        case .users: try await people.list(request)
        case .person(let route): try await people.answer(route, request)
        case .trends: try await questions.trends(Query(request.uri)).answer()
        case .funnels: try await questions.funnels(Query(request.uri)).answer()
        case .retention: try await questions.retention(Query(request.uri)).answer()
        case .lifecycle: try await questions.lifecycle(Query(request.uri)).answer()
        case .stickiness: try await questions.stickiness(Query(request.uri)).answer()
        case .paths: try await questions.paths(Query(request.uri)).answer()
        case .catalogue: try await catalogue.list(Query(request.uri)).answer()
        case .description(let name): try await catalogue.describe(request, name)
        case .plan: try await plan.events(Query(request.uri)).answer()
        case .violations: try await plan.violations(Query(request.uri)).answer()
        case .boards(let route): try await boards.answer(route, request, from: origin)
        case .alerts(let route): try await alerts.answer(route, request, from: origin)
        case .devices: try await devices.list(request)
        case .device(let installation): try await devices.history(request, of: installation)
        case .erase(let installation): try await erasure.erase(request, installation)
        case .replay: try await replay.replay(request)
        case .reset: try await reset.reset(request, pass: pass)
        case .usageReport: try await usageReport.report(request, pass: pass)
        case .stats: try await queries.stats()
        case .time: status.time()
        case .livez: status.alive()
        case .readyz: try status.ready()
        case .readyForIntake: try status.readyForIntake()
        case .readyForQuestions: try status.readyForQuestions()
        case .metrics: await status.metrics(alerts: alerts.statistics())
        case .clickstream: try await clickstream.collect(request, from: origin)
        case .ping: clickstream.ping()
        case .health: try clickstream.health()
        case .sensors: try await sensors.collect(request, from: origin)
        case .sensorsDebug: try await sensors.debug(request, from: origin)
        case .sensorsConfiguration: try sensors.configuration(request)
        case .sift(let account): try await sift.collect(request, account: account, from: origin)
        case .sapUsage(let path): try await sapUsage.collect(request, path, from: origin)
        case .sapSettings(let application): try sapUsage.settings(request, application: application)
        case .asset(let path): try pages.page(path, request)
        case .preflight: try origins.preflight(request)
        }
    }
}
