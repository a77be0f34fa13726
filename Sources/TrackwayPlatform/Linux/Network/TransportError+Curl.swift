// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CCurl
internal import TrackwayDestinationKit

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension TransportError {
    /// Converts a libcurl error.
    ///
    /// - Parameters:
    ///   - curl: The libcurl code; not `CURLE_OK`.
    ///   - detail: A message from libcurl or this module; empty to use the code's own message.
    ///   - systemCode: The accompanying system error number, or 0.
    init(_ curl: CURLcode, _ detail: String, systemCode: Int32 = 0) {
        let sentence = detail.isEmpty ? curl_easy_strerror(curl).map { String(cString: $0) } ?? "" : detail
        self.init(Self.code(of: curl, systemCode), "\(sentence) (curl \(curl.rawValue))")
    }

    private static func code(of curl: CURLcode, _ systemCode: Int32) -> Code {
        switch curl {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            .offline
        case CURLE_COULDNT_CONNECT:
            // An unreachable network is distinguished from a host that refuses the connection.
            [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(systemCode) ? .offline : .refused
        case CURLE_OPERATION_TIMEDOUT:
            .timedOut
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            .refused
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_URL_MALFORMAT:
            .invalidRequest
        // This includes CURLE_UNSUPPORTED_PROTOCOL: the URL was already validated, so the response is not HTTP.
        default:
            .other
        }
    }
}
#endif
