// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes

/// What a path and a method mean.
enum Route: Sendable, Hashable {
    case postEvents
    case listEvents
    case event(id: String)
    /// An event's way from the device to the index.
    case life(id: String)
    case wait
    /// Waits for what a test expects.
    case expect
    case live
    case ledger
    case failed
    /// An operator has refused events looked at again.
    case replay
    /// What was refused, grouped.
    case failedGroups
    case rate
    case sessions
    case screens
    case users
    /// One person, and what they did.
    case person(PersonRoute)
    /// How much happened when.
    case trends
    /// How far people come through steps.
    case funnels
    /// Who comes back.
    case retention
    /// Who is new, comes back or stays away.
    case lifecycle
    /// In how many intervals people are active.
    case stickiness
    /// How people go on from a screen or an event.
    case paths
    /// The names of events.
    case catalogue
    /// The tracking plan, with what was counted of its events.
    case plan
    /// What events do not keep to.
    case violations
    /// What the events of a name look like; the name as the path spells it.
    case description(name: String)
    case devices
    case device(installation: String)
    /// An operator erases an installation.
    case erase(installation: String)
    /// Forgets everything, where that is allowed.
    case reset
    /// How an application was used, as a table.
    case usageReport
    case stats
    case time
    case livez
    case readyz
    /// Whether batches are accepted, whatever becomes of queries.
    case readyForIntake
    /// Whether queries are answered, whatever becomes of batches.
    case readyForQuestions
    case metrics
    case asset(path: String)
    /// Events in the Clickstream format.
    case clickstream
    case ping
    case health
    /// Events in the Sensors Analytics format.
    case sensors
    case sensorsDebug
    case sensorsConfiguration
    /// Events in the Sift format, for an account as the path spells it.
    case sift(account: String)
    /// A usage report of SAP Mobile Services.
    case sapUsage(SAPUsagePath)
    /// The usage policy of an application of SAP Mobile Services, as the path spells it.
    case sapSettings(application: String)
    /// The ledger in numbers.
    case ledgerSummary
    /// Boards, their cards and links, and what a link opens.
    case boards(BoardRoute)
    /// Alerts, and what became of them.
    case alerts(AlertRoute)
    /// A browser asks whether a page of another origin may send.
    case preflight

    /// Whether the route shows what was recorded, so that a key for reading may be asked for.
    var reads: Bool {
        switch self {
        case .listEvents, .event, .life, .expect, .wait, .live, .ledger, .failed, .rate, .sessions, .screens, .users,
            .person,
            .trends,
            .funnels, .retention, .lifecycle, .stickiness, .paths, .devices, .device, .catalogue, .description,
            .failedGroups, .ledgerSummary, .plan, .violations, .usageReport, .stats, .metrics:
            true
        case .boards(let route): route.reads
        case .alerts(let route): !route.changes
        case .postEvents, .time, .livez, .readyz, .readyForIntake, .readyForQuestions, .asset, .preflight, .clickstream,
            .ping, .health, .sensors,
            .sensorsDebug, .sensorsConfiguration, .sift, .sapUsage, .sapSettings, .erase, .replay, .reset:
            false
        }
    }

    /// Whether an answer to a reader takes as long as it takes to find it: those that wait for something to happen do not count.
    var isQuick: Bool {
        switch self {
        case .expect, .wait, .live, .metrics: false
        default: reads
        }
    }

    /// Whether the route changes what the collector holds.
    var sends: Bool {
        switch self {
        case .postEvents, .clickstream, .sensors, .sensorsDebug, .sift, .sapUsage, .erase, .replay, .reset: true
        default: false
        }
    }

    /// Whether the name of an app, a project or an application lets in whoever sends no key.
    var letsInWithoutKey: Bool {
        switch self {
        case .clickstream, .sensors, .sensorsDebug, .sapUsage, .sapSettings: true
        default: false
        }
    }

    /// Finds the route of a request.
    ///
    /// - Throws: ``RequestFailure`` `not_found` or `method_not_allowed`.
    static func find(
        method: HTTPRequest.Method,
        path: String,
        assets: (String) -> Bool
    ) throws(RequestFailure) -> Route {
        let boards = BoardRoute.routes(of: path)?.mapValues { Route.boards($0) }
        if let found = boards ?? AlertRoute.routes(of: path)?.mapValues({ Route.alerts($0) }) {
            if let route = found[method == .head ? .get : method] { return route }
            if method == .options { return .preflight }
            let allowed = found.keys.map(\.rawValue) + (found[.get] == nil ? [] : ["HEAD"])
            throw notAllowed(method, path, allowed.sorted().joined(separator: ", "))
        }
        let receiving = receiving(path)
        if let (route, expected) = receiving, method == expected { return route }
        if method == .options, path.hasPrefix("/v1/") || receiving != nil { return .preflight }
        if let (_, expected) = receiving, path != "/v1/events" { throw notAllowed(method, path, expected.rawValue) }
        guard let route = reading(path, assets: assets) else {
            throw .notFound("There is nothing at \(path.prefix(128)).")
        }
        guard method == .get || method == .head else {
            throw notAllowed(method, path, path == "/v1/events" ? "GET, HEAD, POST" : "GET, HEAD")
        }
        return route
    }

    private static func notAllowed(_ method: HTTPRequest.Method, _ path: String, _ allowed: String) -> RequestFailure {
        RequestFailure(
            status: .methodNotAllowed,
            code: "method_not_allowed",
            field: "method",
            message: "\(path.prefix(128)) takes \(allowed), not \(method.rawValue.prefix(16)).",
            headers: [.allow: allowed]
        )
    }

    /// The paths that change something, and how they are asked to.
    private static func receiving(_ path: String) -> (route: Route, method: HTTPRequest.Method)? {
        switch path {
        case "/v1/events": (.postEvents, .post)
        case "/v1/failed/replay": (.replay, .post)
        case "/v1/reset": (.reset, .post)
        case "/collect": (.clickstream, .post)
        case "/sa": (.sensors, .post)
        case "/debug": (.sensorsDebug, .post)
        default:
            siftAccount(path).map { (.sift(account: $0), .put) }
                ?? SAPUsagePath(path).map { (.sapUsage($0), .post) }
                ?? last(of: path, behind: "/v1/installations/").map { (.erase(installation: $0), .delete) }
        }
    }

    /// The account in `/v3/accounts/{id}/mobile_events`. Clients put it there as it is, so it may have slashes, which the
    /// endpoint then speaks about.
    private static func siftAccount(_ path: String) -> String? {
        let (prefix, suffix) = ("/v3/accounts/", "/mobile_events")
        guard path.hasPrefix(prefix), path.hasSuffix(suffix),
            path.utf8.count >= prefix.utf8.count + suffix.utf8.count
        else { return nil }
        return String(path.dropFirst(prefix.count).dropLast(suffix.count))
    }

    private static func reading(_ path: String, assets: (String) -> Bool) -> Route? {
        switch path {
        case "/v1/events": .listEvents
        case "/v1/wait": .wait
        case "/v1/expect": .expect
        case "/v1/live": .live
        case "/v1/ledger": .ledger
        case "/v1/ledger/summary": .ledgerSummary
        case "/v1/failed": .failed
        case "/v1/failed/groups": .failedGroups
        case "/v1/rate": .rate
        case "/v1/sessions": .sessions
        case "/v1/screens": .screens
        case "/v1/users": .users
        case "/v1/trends": .trends
        case "/v1/funnels": .funnels
        case "/v1/retention": .retention
        case "/v1/lifecycle": .lifecycle
        case "/v1/stickiness": .stickiness
        case "/v1/paths": .paths
        case "/v1/catalogue": .catalogue
        case "/v1/plan": .plan
        case "/v1/plan/violations": .violations
        case "/v1/devices": .devices
        case "/v1/reports/usage": .usageReport
        case "/v1/stats": .stats
        case "/v1/time": .time
        case "/livez": .livez
        case "/readyz": .readyz
        case "/readyz/intake": .readyForIntake
        case "/readyz/questions": .readyForQuestions
        case "/metrics": .metrics
        case "/ping": .ping
        case "/health": .health
        case "/config/iOS.conf": .sensorsConfiguration
        default:
            if let id = last(of: path, behind: "/v1/events/") {
                .event(id: id)
            } else if let id = life(path) {
                .life(id: id)
            } else if let id = last(of: path, behind: "/v1/devices/") {
                .device(installation: id)
            } else if let person = PersonRoute(path) {
                .person(person)
            } else if let name = last(of: path, behind: "/v1/catalogue/") {
                .description(name: name)
            } else if let application = SAPUsagePath.settings(path) {
                .sapSettings(application: application)
            } else if assets(path) {
                .asset(path: path)
            } else {
                nil
            }
        }
    }

    /// The event in `/v1/events/{id}/life`.
    private static func life(_ path: String) -> String? {
        path.hasSuffix("/life") ? last(of: String(path.dropLast("/life".count)), behind: "/v1/events/") : nil
    }

    /// The one segment that a path has behind a prefix.
    private static func last(of path: String, behind prefix: String) -> String? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        return rest.isEmpty || rest.contains("/") ? nil : String(rest)
    }
}
