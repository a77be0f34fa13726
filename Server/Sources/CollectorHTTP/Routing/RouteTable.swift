// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore

/// A group of endpoints that registers its own routes.
protocol RoutedResource: Sendable {
    /// Adds the resource's endpoints.
    func register(in routes: inout RouteTable)
}

/// An admitted request, with the variable parts of its path.
struct EndpointRequest: Sendable {
    let request: Request
    /// The variable parts of the path by name, not percent-decoded.
    let parameters: [String: String]
    /// The permission to read, which long-running endpoints check again.
    let authorization: ReadAuthorization
    let origin: RequestOrigin

    /// The query of the request's URI.
    var query: QueryParameters { QueryParameters(request.uri) }

    /// A variable part of the path.
    ///
    /// Empty if the path has no such part.
    subscript(_ name: String) -> String { parameters[name] ?? "" }

    /// A variable part of the path, percent-decoded.
    func decoded(_ name: String) -> String {
        String(decoding: PercentText.decode(Array(self[name].utf8), plusIsSpace: false), as: UTF8.self)
    }
}

/// The source of an endpoint's responses, which determines how a lagging index affects them.
enum ResponseSource: Sendable {
    /// The index; responses are marked as incomplete while the index lags.
    case index
    /// The index, or the analysis tables, which report missing data on their own.
    case analytics
    /// One object of the index.
    ///
    /// While the index lags, "not found" becomes 503 `index_behind`.
    case lookup
    /// Another source; the response is never marked as incomplete.
    case other
    /// The log; the response acknowledges received events.
    case intake
    /// Another source, with response times that are not counted.
    ///
    /// Such an endpoint waits for an event, or reports measurements itself.
    case untimed
}

/// The handler for one method of one path.
///
/// Includes the access rule and the source of the responses.
struct Endpoint: Sendable {
    typealias Handler = @Sendable (EndpointRequest) async throws -> Response

    let access: EndpointAccess
    let source: ResponseSource
    /// The text of the route's pattern, which contains no ids.
    let route: String
    let handler: Handler

    /// The histogram that counts response times; nil for none.
    var durations: KeyPath<CollectorDependencies, Locked<DurationCounts>>? {
        switch source {
        case .untimed: nil
        case .intake: \.intakes
        case .index, .analytics, .lookup, .other: access.showsRecordedData ? \.reads : nil
        }
    }
}

/// The result of looking up a request's method and path.
enum RouteMatch: Sendable {
    case endpoint(Endpoint, parameters: [String: String])
    /// A browser's preflight request for a page of another origin.
    case preflight
}

/// All routes of the collector, filled by its resources.
///
/// Patterns without variable parts are checked first, so `/v1/plan/violations` would take precedence over
/// `/v1/plan/{name}`. A path matches at most one of the other patterns.
struct RouteTable: Sendable {
    private struct Methods: Sendable {
        let pattern: RoutePattern
        var endpoints: [HTTPRequest.Method: Endpoint] = [:]

        /// The methods in the format of the `Allow` header.
        var allowed: String {
            let names = endpoints.keys.map(\.rawValue) + (endpoints[.get] == nil ? [] : ["HEAD"])
            return names.sorted().joined(separator: ", ")
        }

        var onlyGets: Bool { endpoints.keys.allSatisfy { $0 == .get } }
    }

    /// Patterns without variable parts, by path.
    private var literals: [String: Methods] = [:]
    private var patterns: [Methods] = []
    private var failures: [String: @Sendable (RequestFailure) -> RequestFailure] = [:]

    /// Creates a table with the routes of the resources.
    init(_ resources: [any RoutedResource]) {
        for resource in resources { resource.register(in: &self) }
    }

    // MARK: Registration

    /// Adds an endpoint that returns recorded data.
    mutating func read(
        _ pattern: RoutePattern,
        _ source: ResponseSource = .index,
        handler: @escaping Endpoint.Handler
    ) {
        add(.get, pattern, .reading, source, handler: handler)
    }

    /// Adds an endpoint.
    ///
    /// The endpoint for `GET` also handles `HEAD`. A second endpoint for the same method and pattern is a programming
    /// error; the first one remains in effect.
    mutating func add(
        _ method: HTTPRequest.Method,
        _ pattern: RoutePattern,
        _ access: EndpointAccess,
        _ source: ResponseSource = .untimed,
        handler: @escaping Endpoint.Handler
    ) {
        let endpoint = Endpoint(access: access, source: source, route: pattern.text, handler: handler)
        if pattern.isLiteral {
            Self.set(endpoint, method, in: &literals[pattern.text, default: Methods(pattern: pattern)])
        } else if let index = patterns.firstIndex(where: { $0.pattern == pattern }) {
            Self.set(endpoint, method, in: &patterns[index])
        } else {
            patterns.append(Methods(pattern: pattern, endpoints: [method: endpoint]))
        }
    }

    private static func set(_ endpoint: Endpoint, _ method: HTTPRequest.Method, in methods: inout Methods) {
        assert(methods.endpoints[method] == nil, "\(method) \(methods.pattern.text) is registered twice")
        if methods.endpoints[method] == nil { methods.endpoints[method] = endpoint }
    }

    /// Registers a change to every failure at a path.
    ///
    /// This includes failures that occur before an endpoint is found.
    mutating func changeFailures(
        at path: String,
        _ change: @escaping @Sendable (RequestFailure) -> RequestFailure
    ) {
        failures[path] = change
    }

    // MARK: Lookup

    /// Finds the endpoint for a method and a path.
    ///
    /// - Throws: ``RequestFailure`` `not_found` or `method_not_allowed`.
    func find(_ method: HTTPRequest.Method, _ path: String) throws(RequestFailure) -> RouteMatch {
        let found = methods(at: path)
        if let endpoint = found?.methods.endpoints[method == .head ? .get : method] {
            return .endpoint(endpoint, parameters: found?.parameters ?? [:])
        }
        if method == .options, path.hasPrefix("/v1/") || found?.methods.onlyGets == false { return .preflight }
        guard let allowed = found?.methods.allowed else {
            throw .notFound("There is nothing at \(path.prefix(128)).")
        }
        throw RequestFailure(
            status: .methodNotAllowed,
            code: .methodNotAllowed,
            field: "method",
            message: "\(path.prefix(128)) supports \(allowed), not \(method.rawValue.prefix(16)).",
            headers: [.allow: allowed]
        )
    }

    private func methods(at path: String) -> (methods: Methods, parameters: [String: String])? {
        if let methods = literals[path] { return (methods, [:]) }
        let parts = RoutePattern.split(path)
        for methods in patterns {
            if let parameters = methods.pattern.match(parts) { return (methods, parameters) }
        }
        return nil
    }

    /// Returns a failure in the form that clients of a path expect.
    func failure(_ failure: RequestFailure, at path: String) -> RequestFailure {
        failures[path]?(failure) ?? failure
    }
}
