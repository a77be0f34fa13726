// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayDestinationKit

/// The page and its files, served from memory.
///
/// Files are compressed for clients that accept compression.
struct PageEndpoint: RoutedResource {
    private let files: [String: File]
    private let policy: String

    /// A served file.
    private struct File: Sendable {
        let asset: WebAsset
        let plain: ByteBuffer
        /// The compressed content; nil if compression does not reduce the size.
        let compressed: ByteBuffer?
    }

    /// Creates the endpoint for the given files.
    ///
    /// - Parameter policy: The content security policy for browsers.
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

    /// Returns one file, or 304 if the browser already has it.
    ///
    /// A client that requests a file with its version (`?v=`) may cache the file permanently.
    func page(_ path: String, _ request: Request) throws(RequestFailure) -> Response {
        guard let file = files[path] else { throw .notFound("There is nothing at \(path.prefix(128)).") }
        let asset = file.asset
        let isNamed = request.uri.queryParameters["v"].map { $0 == asset.version } ?? false
        let compressed = Self.acceptsGzip(request) ? file.compressed : nil
        var headers: HTTPFields = [
            .contentType: asset.contentType,
            .contentSecurityPolicy: policy,
            // The compressed content needs its own strong entity tag.
            .eTag: compressed == nil ? asset.entityTag : "\"\(asset.version)-gzip\"",
            // Browsers revalidate each time and get 304 if the file is unchanged, so that a new collector version shows
            // its new page immediately. A URL with another version belongs to the page of another collector version and
            // must not be cached.
            .cacheControl: isNamed ? "max-age=31536000, immutable" : "no-cache",
            .vary: "accept-encoding",
        ]
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        JSONResponse.addSecurityHeaders(to: &headers)
        if let tag = request.headers[.ifNoneMatch], tag == headers[.eTag] {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: compressed ?? file.plain))
    }

    /// Whether the request accepts gzip.
    private static func acceptsGzip(_ request: Request) -> Bool {
        (request.headers[.acceptEncoding] ?? "").split(separator: ",").contains { choice in
            let parts = choice.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            return parts.first == "gzip" && !parts.dropFirst().contains { $0.wholeMatch(of: /q=0(\.0*)?/) != nil }
        }
    }
}
