// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

/// Preserves two parts of the request line that later handlers discard.
///
/// The parts are the host in the request target, if any, and the protocol version.
///
/// The host of a target such as `http://evil.example/v1/events` takes precedence over `Host` (RFC 9112, 3.2.2), so it
/// replaces the value of that header. Version 1.0 is used by proxies that add no headers of their own (nginx by
/// default) and by hardly any other reading client, so such a request is marked as forwarded.
final class RequestTargetHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        if let authority = Self.authority(inTarget: head.uri) {
            head.headers.remove(name: "host")
            head.headers.add(name: "host", value: authority)
        }
        if head.version != .http1_1 {
            head.headers.add(name: ProxyHeaders.mark.name, value: ProxyHeaders.mark.value)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Returns the host and port of a request target that is not just a path.
    ///
    /// Empty if the target contains no host; nil for a path.
    static func authority(inTarget target: String) -> String? {
        // `*` refers to the server as a whole.
        guard !target.hasPrefix("/"), target != "*" else { return nil }
        guard let start = target.firstRange(of: "://")?.upperBound else { return "" }
        return String(target[start...].prefix { !"/?#\\".contains($0) })
    }

}

/// Inserts a ``RequestTargetHandler`` before the handler that converts requests.
///
/// The converting handler produces the request type that the collector reads. The framework can add handlers only after
/// the converting handler.
final class RequestTargetInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestTargetHandler(), position: .before(codec))
        } catch {
            // A connection whose requests cannot be separated is not served.
            context.close(promise: nil)
        }
    }
}
