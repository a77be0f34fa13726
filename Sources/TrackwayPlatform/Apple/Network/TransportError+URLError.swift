// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
internal import TrackwayWire

extension TransportError {
    /// Says in the room's own words what the loading system met.
    init(_ error: any Error) {
        guard let error = error as? URLError else {
            self.init(.other, "\(error)")
            return
        }
        self.init(Self.code(of: error.code), "\(error.localizedDescription) (URLError \(error.code.rawValue))")
    }

    private static func code(of code: URLError.Code) -> Code {
        switch code {
        case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed, .internationalRoamingOff, .dataNotAllowed,
            .callIsActive:
            .offline
        case .timedOut:
            .timedOut
        case .cannotConnectToHost, .networkConnectionLost:
            .refused
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            .tls
        case .cancelled:
            .cancelled
        case .badURL, .unsupportedURL:
            .invalidRequest
        default:
            .other
        }
    }
}
#endif
