// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayWire

/// The page and its files, from memory, compressed for those who take that.
struct PageEndpoint: RoutedResource {
    private let files: [String: File]
    private let policy: String

    /// A file as it is sent.
    private struct File: Sendable {
        let asset: WebAsset
        let plain: ByteBuffer
        /// nil where compressing gains nothing.
        let compressed: ByteBuffer?
    }

    /// - Parameter policy: What browsers allow the page to do.
    /// - Complexity: O(bytes): each file is compressed once.
    init(_ assets: [WebAsset], contentSecurityPolicy policy: String) {
        let gzip = GzipCompressor(level: 6)
        let files = assets.map { asset in
            let compressed = gzip.compress(asset.body)
            let isSmaller = !compressed.isEmpty && compressed.count < asset.body.count
            let file = File(
                asset: asset,
                plain: ByteBuffer(bytes: asset.body),
                compressed: isSmaller ? ByteBuffer(bytes: compressed) : nil
            )
            return (asset.path, file)
        }
        self.files = Dictionary(files) { $1 }
        self.policy = policy
    }

    func register(in routes: inout RouteTable) {
        for path in files.keys {
            routes.add(.get, RoutePattern(path), .page) { try page(path, $0.request) }
        }
    }

    /// One file, or 304 when the browser has it already. Whoever asks for it by its version (`?v=`) may keep it for good.
    func page(_ path: String, _ request: Request) throws(RequestFailure) -> Response {
        guard let file = files[path] else { throw .notFound("There is nothing at \(path.prefix(128)).") }
        let asset = file.asset
        let isNamed = request.uri.queryParameters["v"].map { $0 == asset.version } ?? false
        let compressed = Self.takesGzip(request) ? file.compressed : nil
        var headers: HTTPFields = [
            .contentType: asset.contentType,
            .contentSecurityPolicy: policy,
            // The same content in other bytes has another strong tag.
            .eTag: compressed == nil ? asset.entityTag : "\"\(asset.version)-gzip\"",
            // Asked again every time, answered with 304: a new collector shows its new page at once. An address with another
            // version is that of a page from another collector, and may be kept by nobody.
            .cacheControl: isNamed ? "max-age=31536000, immutable" : "no-cache",
            .vary: "accept-encoding",
        ]
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        Answer.protect(&headers)
        if let tag = request.headers[.ifNoneMatch], tag == headers[.eTag] {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: compressed ?? file.plain))
    }

    /// Whether gzip stands among the encodings that are taken, and is not refused.
    private static func takesGzip(_ request: Request) -> Bool {
        (request.headers[.acceptEncoding] ?? "").split(separator: ",").contains { choice in
            let parts = choice.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            return parts.first == "gzip" && !parts.dropFirst().contains { $0.wholeMatch(of: /q=0(\.0*)?/) != nil }
        }
    }
}
