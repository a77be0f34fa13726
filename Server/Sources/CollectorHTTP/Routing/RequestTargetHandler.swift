// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

/// Preserves two parts of a request's first line that later handlers lose.
///
/// These are the host of a target that names one, and the protocol's version.
///
/// The host of a target such as `http://evil.example/v1/events` takes precedence over `Host` (RFC 9112, 3.2.2), so it
/// replaces the value of that header. Version 1.0 is used by proxies that add nothing about themselves (nginx by
/// default) and by hardly any other client that reads: such a request is marked as forwarded.
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

    /// Returns the host and port of a target beyond a path.
    ///
    /// Empty if it names no host; nil for a path.
    static func authority(inTarget target: String) -> String? {
        // `*` refers to the server as a whole.
        guard !target.hasPrefix("/"), target != "*" else { return nil }
        guard let start = target.firstRange(of: "://")?.upperBound else { return "" }
        return String(target[start...].prefix { !"/?#\\".contains($0) })
    }

}

/// Inserts a ``RequestTargetHandler`` before the handler that converts requests.
///
/// That handler produces the form that the collector reads. The framework only adds handlers after it.
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
