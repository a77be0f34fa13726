// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The page and its files, from memory.
struct PageEndpoint: Sendable {
    private let assets: [String: (asset: WebAsset, body: ByteBuffer)]
    private let policy: String

    /// - Parameter policy: What browsers allow the page to do.
    init(_ assets: [WebAsset], contentSecurityPolicy policy: String) {
        self.assets = Dictionary(assets.map { ($0.path, ($0, ByteBuffer(bytes: $0.body))) }) { $1 }
        self.policy = policy
    }

    /// Whether there is a file at a path.
    func has(_ path: String) -> Bool { assets[path] != nil }

    /// One file, or 304 when the browser has it already. Whoever asks for it by its version (`?v=`) may keep it for good.
    func page(_ path: String, _ request: Request) throws(RequestFailure) -> Response {
        guard let (asset, body) = assets[path] else { throw .notFound("There is nothing at \(path.prefix(128)).") }
        let isNamed = request.uri.queryParameters["v"].map { $0 == asset.version } ?? false
        var headers: HTTPFields = [
            .contentType: asset.contentType,
            .contentSecurityPolicy: policy,
            .eTag: asset.entityTag,
            // Asked again every time, answered with 304: a new collector shows its new page at once. An address with another
            // version is that of a page from another collector, and may be kept by nobody.
            .cacheControl: isNamed ? "max-age=31536000, immutable" : "no-cache",
        ]
        Answer.protect(&headers)
        if request.headers[.ifNoneMatch] == asset.entityTag { return Response(status: .notModified, headers: headers) }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
