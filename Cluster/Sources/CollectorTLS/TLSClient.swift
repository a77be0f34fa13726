// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import NIOCore
internal import NIOSSL
internal import NIOTLS
internal import TrackwayCore

/// Encrypts outgoing connections and verifies the server's identity.
///
/// The server's certificate must be signed by a trusted authority, be currently valid, and be issued for the given
/// host. The minimum version is TLS 1.2. None of these checks can be turned off. Safe from any thread.
package struct TLSClient: Sendable {
    private let context: NIOSSLContext
    private let files: TLSFiles

    /// Creates a client from certificates and a key.
    ///
    /// - Throws: ``TLSFilesFailure``.
    package init(_ files: TLSFiles) throws(TLSFilesFailure) {
        self.files = files
        context = try Self.context(files)
    }

    /// Starts the TLS handshake on a connection.
    ///
    /// Outgoing data waits until the handshake is complete; nothing is sent in plain text after this call. Call on the
    /// connection's event loop, before or after the connection is established.
    ///
    /// - Parameter host: The name or address that the server's certificate must match.
    /// - Throws: An error that ``failure(_:on:host:)`` can explain.
    package func secure(_ channel: any Channel, host: String) throws {
        // An address is not sent as SNI; the certificate must be issued for the connected address.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        let handler = try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    /// Returns whether an event reports a completed handshake.
    ///
    /// After that event, the connection is encrypted and the server is verified.
    package func isHandshakeCompletion(_ event: Any) -> Bool {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { return true }
        return false
    }

    /// Returns whether an encrypted connection ended without a close notification.
    ///
    /// A man-in-the-middle attack can cause this.
    package func isTruncation(_ error: any Error) -> Bool {
        if case NIOSSLError.uncleanShutdown? = error as? NIOSSLError { return true }
        return false
    }

    /// Returns why encrypting a connection failed.
    ///
    /// Returns nil if the error has another cause.
    ///
    /// Call on the connection's event loop.
    package func failure(_ error: any Error, on channel: any Channel, host: String) -> TLSFailure? {
        // Without this handler, the connection was never encrypted, and no certificate exists.
        let certificate = (try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self))?
            .peerCertificate
        return TLSFailure(error, certificate: certificate, host: host, files: files, at: SystemClock().now().wall)
    }
}

extension TLSClient {
    private static func context(_ files: TLSFiles) throws(TLSFilesFailure) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        // The server is not required to answer the close notification, and may be gone.
        configuration.shutdownTimeout = .milliseconds(200)
        if let file = files.authorities {
            guard let authorities = certificates(in: file) else { throw .noAuthorities(file: file.path) }
            configuration.trustRoots = .certificates(authorities)
        }
        switch (files.certificate, files.key) {
        case (nil, nil): break
        case (let certificate?, let key?): try configuration.setClientCertificate(certificate, key)
        default: throw .incompleteKeyPair
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch NIOSSLError.failedToLoadPrivateKey {
            guard let key = files.key, let certificate = files.certificate else { throw .other("the key") }
            throw .keyMismatch(file: key.path, certificate: certificate.path)
        } catch {
            throw .other(TLSFailure.name(of: error))
        }
    }

    fileprivate static func certificates(in file: TLSFiles.File) -> [NIOSSLCertificate]? {
        // NIOSSL accepts an empty file without an error.
        guard !file.bytes.isEmpty, let certificates = try? NIOSSLCertificate.fromPEMBytes(file.bytes),
            !certificates.isEmpty
        else { return nil }
        return certificates
    }
}

extension TLSConfiguration {
    fileprivate mutating func setClientCertificate(_ certificate: TLSFiles.File, _ key: TLSFiles.File)
        throws(TLSFilesFailure)
    {
        guard let chain = TLSClient.certificates(in: certificate) else {
            throw .noCertificate(file: certificate.path)
        }
        // For a key, NIOSSL reports only that it is invalid.
        guard !key.bytes.isEmpty, let secret = try? NIOSSLPrivateKey(bytes: key.bytes, format: .pem) else {
            throw .noKey(file: key.path)
        }
        certificateChain = chain.map { .certificate($0) }
        privateKey = .privateKey(secret)
    }
}
