// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// Which way requests go and whom they trust, as the system's variables say. A value: the variables are read once, because a
/// host that changes its environment while another thread reads it breaks that thread.
package struct NetworkSettings: Sendable, Hashable {
    /// Proxy for `http` addresses; nil goes directly.
    package var httpProxy: String?
    /// Proxy for `https` addresses; nil goes directly.
    package var httpsProxy: String?
    /// Hosts that are asked directly, separated by commas; `*` is every host.
    package var directHosts = ""
    /// A file of the authorities that are trusted instead of the system's.
    package var authorityFile: String?
    /// A folder of such authorities.
    package var authorityFolder: String?

    /// Goes directly, and trusts whom the system trusts.
    package init() {}

    /// Reads the customary variables: `http_proxy` (in lower case only, because servers hand `HTTP_PROXY` to programs as
    /// a header that anybody can send), `https_proxy`, `all_proxy` and `no_proxy` (either case), `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR`. Empty ones count as absent.
    package init(environment: [String: String]) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let any = value("all_proxy", "ALL_PROXY")
        httpProxy = value("http_proxy") ?? any
        httpsProxy = value("https_proxy", "HTTPS_PROXY") ?? any
        directHosts = value("no_proxy", "NO_PROXY") ?? ""
        authorityFile = value("SSL_CERT_FILE")
        authorityFolder = value("SSL_CERT_DIR")
    }
}
#endif
