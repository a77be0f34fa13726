// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayDestinationKit

/// The endpoint that describes a request as the collector received it.
///
/// The command `trackway doctor` compares the description with the request that it sent, and thus finds faults of the
/// proxies in between. The response contains only what the client sent or may do, plus, for a client with a key, the
/// addresses that the collector sees.
struct ConnectionEndpoint: RoutedResource {
    let dependencies: CollectorDependencies
    private let hosts: HostPolicy

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        hosts = HostPolicy(dependencies.configuration)
    }

    func register(in routes: inout RouteTable) {
        routes.add(.get, "/v1/connection", .open) { describe($0) }
        routes.add(.post, "/v1/connection", .sending) { try await measure($0.request) }
    }

    /// `GET /v1/connection`
    private func describe(_ call: EndpointRequest) -> Response {
        let headers = call.request.headers
        let identity = dependencies.authorization.identify(header: headers[.authorization])
        let peer = call.origin.channel.remoteAddress?.ipAddress.flatMap { IPAddress($0.prefix { $0 != "%" }) }
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("time", dependencies.clock.now().wall)
            writer.member("host", call.request.head.authority.map { String($0.prefix(256)) })
            writer.member("has_proxy_headers", ProxyHeaders.isPresent(in: headers))
            writer.member("has_forwarded_for", !headers[values: Self.forwardedFor].isEmpty)
            writer.member(
                "proxy_is_trusted",
                peer.map { dependencies.configuration.trustedProxies.contains($0) } ?? false
            )
            writer.member("reads_without_key", !hosts.requiresKeyForReading(call.request))
            writer.member("sends_without_key", dependencies.configuration.isOpenForSending)
            writer.key("key")
            Self.write(identity, to: &writer)
            if identity.grant != nil {
                if let peer { writer.member("peer", peer.description) }
                if let sender = call.origin.sender { writer.member("client", sender.description) }
            }
            writer.endObject()
        }
    }

    private static func write(_ identity: KeyIdentity, to writer: inout JSONWriter) {
        writer.beginObject()
        switch identity {
        case .missing: writer.member("state", "missing")
        case .unknown: writer.member("state", "unknown")
        case .known(let grant):
            writer.member("state", "known")
            writer.member("name", grant.name)
            writer.list("scopes", KeyScope.allCases.filter(grant.scopes.contains)) { $1.string($0.rawValue) }
        }
        writer.endObject()
    }

    /// `POST /v1/connection`: counts the bytes of a body, and keeps none of them.
    private func measure(_ request: Request) async throws -> Response {
        let header = request.headers[.authorization]
        if dependencies.authorization.identify(header: header).grant == nil {
            do {
                // Throws, unless this collector needs no key for sending.
                _ = try dependencies.authorization.grant(header: header, for: .write)
            } catch {
                throw RequestFailure(error)
            }
        }
        // The largest body that any endpoint accepts.
        let limits = dependencies.configuration.limits
        let limit = max(limits.body.wireBytes, limits.sensorsBytes, limits.siftBytes)
        var bytes = 0
        for try await part in request.body {
            bytes += part.readableBytes
            guard bytes <= limit else { throw RequestBody.tooLarge(limit) }
        }
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("bytes", Int64(bytes))
            writer.endObject()
        }
    }

    private static let forwardedFor = HTTPField.Name.literal("x-forwarded-for")
}
