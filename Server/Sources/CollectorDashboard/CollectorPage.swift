// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CWebAssets
public import CollectorCore

/// The collector's web page.
///
/// The page's files are in `CWebAssets/Assets` and are compiled into the executable, which therefore needs no separate
/// files. The page sends requests only to its own collector.
public enum CollectorPage {
    /// The served files.
    ///
    /// They are the page under `/`, one script, one style sheet, and the other files.
    public static let assets: [WebAsset] = {
        // Files that cannot be bundled also work individually, but load more slowly; the tests report why bundling
        // fails.
        (try? PageBundle(files))?.assets ?? files
    }()

    /// Every file in `CWebAssets/Assets`, with the page itself under `/`.
    public static let files: [WebAsset] = (0..<web_asset_count).map { index in
        let file = web_asset_at(index)
        return WebAsset(
            path: String(cString: file.path),
            contentType: String(cString: file.content_type),
            body: Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        )
    }

    /// The content security policy of the page.
    ///
    /// The page may load only its own files and send requests only to its own collector.
    ///
    /// Event contents never become markup. Even if they did, this policy would prevent them from running as code.
    public static let contentSecurityPolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
        form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
        """
}
