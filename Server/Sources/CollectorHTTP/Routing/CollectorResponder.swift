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
    typealias Context = BasicRequestContext

    let rooms: CollectorRooms
    let intake: IntakeEndpoint
    let clickstream: ClickstreamEndpoint
    let sensors: SensorsEndpoint
    let sift: SiftEndpoint
    let queries: QueryEndpoints
    let behavior: BehaviorEndpoints
    let devices: DeviceEndpoints
    let followers: FollowerEndpoints
    let erasure: ErasureEndpoint
    let status: StatusEndpoints
    let pages: PageEndpoint
    let hosts: HostPolicy
    let origins: OriginPolicy

    func respond(to request: Request, context: Context) async throws -> Response {
        var response: Response
        do {
            try hosts.check(request)
            let route = try Route.find(method: request.method, path: request.uri.path, assets: pages.has)
            if route.reads { try authorizeReading(request) }
            response = try await answer(route, request)
        } catch let failure as RequestFailure {
            response = Answer.failure(Self.suited(failure, to: request))
        } catch let error as StoreError {
            response = Answer.failure(Self.suited(RequestFailure(error), to: request))
        } catch is SlowRequestError {
            let failure = RequestFailure(
                status: .requestTimeout,
                code: "slow_body",
                message: "The body did not arrive in time.",
                headers: [.connection: "close"]
            )
            response = Answer.failure(Self.suited(failure, to: request))
        }
        rooms.statistics.withLock { $0.answers[response.status.code, default: 0] += 1 }
        origins.mark(&response, for: request)
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// A failure as the format of a path has to hear it, wherever it arose.
    private static func suited(_ failure: RequestFailure, to request: Request) -> RequestFailure {
        request.uri.path == "/sa" ? failure.keepingEvents() : failure
    }

    private func answer(_ route: Route, _ request: Request) async throws -> Response {
        switch route {
        case .postEvents: try await intake.post(request)
        case .listEvents: try await queries.events(request)
        case .event(let id): try await queries.event(id)
        case .wait: try await followers.wait(request)
        case .live: try followers.live(request)
        case .ledger: try await queries.ledger(request)
        case .failed: try await queries.failed(request)
        case .rate: try await queries.rate(request)
        case .sessions: try await behavior.sessions(request)
        case .screens: try await behavior.screens(request)
        case .users: try await behavior.users(request)
        case .devices: try await devices.list(request)
        case .device(let installation): try await devices.history(request, of: installation)
        case .erase(let installation): try await erasure.erase(request, installation)
        case .stats: try await queries.stats()
        case .time: status.time()
        case .livez: status.alive()
        case .readyz: try status.ready()
        case .metrics: await status.metrics()
        case .clickstream: try await clickstream.collect(request)
        case .ping: clickstream.ping()
        case .health: try clickstream.health()
        case .sensors: try await sensors.collect(request)
        case .sensorsDebug: try await sensors.debug(request)
        case .sensorsConfiguration: try sensors.configuration(request)
        case .sift(let account): try await sift.collect(request, account: account)
        case .asset(let path): try pages.page(path, request)
        case .preflight: try origins.preflight(request)
        }
    }

    private func authorizeReading(_ request: Request) throws(RequestFailure) {
        guard hosts.readingNeedsKey(request) else { return }
        do {
            _ = try rooms.authorization.grant(header: request.headers[.authorization], for: .read)
        } catch {
            throw RequestFailure(error)
        }
    }
}
