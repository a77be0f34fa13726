// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import NIOCore
internal import NIOSSL
internal import NIOTLS
internal import TrackwayEvents

/// Encrypts connections that this side makes, and sees that the other side is who it was named. Safe from any thread.
///
/// The other side's certificate has to be signed by an authority that is trusted, to be valid now, and to be for the host that was
/// named; TLS 1.2 is the least. There is no way around any of it.
package struct TLSClient: Sendable {
    private let context: NIOSSLContext
    private let files: TLSFiles

    /// Reads certificates and a key.
    ///
    /// - Throws: ``TLSFilesFailure``.
    package init(_ files: TLSFiles) throws(TLSFilesFailure) {
        self.files = files
        context = try Self.context(files)
    }

    /// Begins the handshake on a connection: everything that is sent waits for its end, and nothing is sent in plain any more. On the
    /// connection's event loop, before or after it is made.
    ///
    /// - Parameter host: Who the other side has to be, as a name or as an address.
    /// - Throws: An error for which ``failure(_:on:host:)`` has a reason.
    package func secure(_ channel: any Channel, host: String) throws {
        // An address is not told to the other side; its certificate has to be for the address that is connected to.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        let handler = try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
        try channel.pipeline.syncOperations.addHandler(handler, position: .first)
    }

    /// Whether an event in a connection's pipeline says that it is encrypted, and the other side known, from now on.
    package func isSecured(by event: Any) -> Bool {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { return true }
        return false
    }

    /// Whether an error says that the other side ended an encrypted connection without saying so, as somebody in between could.
    package func isCut(by error: any Error) -> Bool {
        if case NIOSSLError.uncleanShutdown? = error as? NIOSSLError { return true }
        return false
    }

    /// What an error of a connection says of its encryption; nil when it is about something else. On the connection's event loop.
    package func failure(_ error: any Error, on channel: any Channel, host: String) -> TLSFailure? {
        // Without a handler of its own the connection was not encrypted, and there is no certificate.
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
        // Whoever is left does not have to say good-bye, and may not be there any more.
        configuration.shutdownTimeout = .milliseconds(200)
        if let file = files.authorities {
            guard let authorities = certificates(in: file) else { throw .noAuthorities(file: file.path) }
            configuration.trustRoots = .certificates(authorities)
        }
        switch (files.certificate, files.key) {
        case (nil, nil): break
        case (let certificate?, let key?): try configuration.present(certificate, key)
        default: throw .half
        }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch NIOSSLError.failedToLoadPrivateKey {
            guard let key = files.key, let certificate = files.certificate else { throw .other("the key") }
            throw .otherKey(file: key.path, certificate: certificate.path)
        } catch {
            throw .other(TLSFailure.name(of: error))
        }
    }

    fileprivate static func certificates(in file: TLSFiles.File) -> [NIOSSLCertificate]? {
        // The library takes an empty file for one that has nothing wrong.
        guard !file.bytes.isEmpty, let certificates = try? NIOSSLCertificate.fromPEMBytes(file.bytes),
            !certificates.isEmpty
        else { return nil }
        return certificates
    }
}

extension TLSConfiguration {
    fileprivate mutating func present(_ certificate: TLSFiles.File, _ key: TLSFiles.File) throws(TLSFilesFailure) {
        guard let chain = TLSClient.certificates(in: certificate) else {
            throw .noCertificate(file: certificate.path)
        }
        // The library says no more of a key than that it is none.
        guard !key.bytes.isEmpty, let secret = try? NIOSSLPrivateKey(bytes: key.bytes, format: .pem) else {
            throw .noKey(file: key.path)
        }
        certificateChain = chain.map { .certificate($0) }
        privateKey = .privateKey(secret)
    }
}
