// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1

/// Keeps two things of a request's first line that are lost behind it: the host of a target that names one, and the
/// protocol's version.
///
/// A target such as `http://evil.example/v1/events` counts more than `Host` (RFC 9112, 3.2.2), so its host takes the place
/// of whatever stands there. Version 1.0 is spoken by proxies that say nothing of themselves (nginx unless told otherwise)
/// and by hardly anybody else who reads: such a request is marked like one that was handed on.
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
            head.headers.add(name: ForwardingTrace.mark.name, value: ForwardingTrace.mark.value)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// The host and port of a target that is more than a path; empty when it names none, nil for a path.
    static func authority(inTarget target: String) -> String? {
        // `*` is asked of the server as a whole.
        guard !target.hasPrefix("/"), target != "*" else { return nil }
        guard let start = target.firstRange(of: "://")?.upperBound else { return "" }
        return String(target[start...].prefix { !"/?#\\".contains($0) })
    }

}

/// Puts a ``RequestTargetHandler`` where it belongs: before the handler that turns a request into the form in which the
/// collector reads it. The framework adds handlers behind that one only.
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
