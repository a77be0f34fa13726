// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CWebAssets
public import Collector

/// The collector's web page.
///
/// Its files are in `CWebAssets/Assets` and are compiled in, so that the executable needs no files next to it. They
/// send requests only to their own collector.
public enum CollectorPage {
    /// The served files: the page under `/`, one script, one style sheet, and the other files.
    public static let assets: [WebAsset] = {
        // Files that cannot be bundled also work one by one, only slower; the tests report why bundling fails.
        (try? PageBundle(files))?.assets ?? files
    }()

    /// Every file of `CWebAssets/Assets`, the page itself under `/`.
    public static let files: [WebAsset] = (0..<web_asset_count).map { index in
        let file = web_asset_at(index)
        return WebAsset(
            path: String(cString: file.path),
            contentType: String(cString: file.content_type),
            body: Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        )
    }

    /// The page's permissions: it may load its own files and send requests to its own collector.
    ///
    /// Event contents never become markup; under this policy they could not run even if they did.
    public static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
        form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
        """
}
