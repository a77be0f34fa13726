// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorTLS

@Suite("TLS failures")
struct TLSFailureTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let valid = TLSFailure.ValidityPeriod(from: now.advanced(by: .seconds(-9)), until: now)
    private static let file = TLSFiles.File(path: "me.pem", bytes: [])

    @Test(arguments: [
        ("CERTIFICATE_VERIFY_FAILED", TLSFailure.unknownAuthority(file: nil)),
        ("TLSV1_CERTIFICATE_REQUIRED", .certificateRequired),
        ("TLSV1_ALERT_CERTIFICATE_REQUIRED", .certificateRequired),
        ("SSLV3_ALERT_BAD_CERTIFICATE", .certificateRequired), ("TLSV1_ALERT_UNKNOWN_CA", .certificateRequired),
        ("WRONG_VERSION_NUMBER", .notTLS), ("HTTP_REQUEST", .notTLS), ("UNEXPECTED_RECORD", .notTLS),
        ("TLSV1_ALERT_PROTOCOL_VERSION", .noSharedProtocol), ("SSLV3_ALERT_HANDSHAKE_FAILURE", .noSharedProtocol),
        ("UNSUPPORTED_PROTOCOL", .noSharedProtocol), ("DECODE_ERROR", .other("DECODE_ERROR")),
    ])
    func `library errors are classified by name`(name: String, failure: TLSFailure) {
        #expect(TLSFailure(named: name, validity: Self.valid, files: TLSFiles(), at: Self.now) == failure)
        #expect(TLSFailure(named: name, validity: nil, files: TLSFiles(), at: Self.now) == failure)
    }

    @Test
    func `an untrusted certificate is classified as expired or not yet valid by its dates, to the millisecond`() {
        func failure(at now: Timestamp) -> TLSFailure {
            TLSFailure(named: "CERTIFICATE_VERIFY_FAILED", validity: Self.valid, files: TLSFiles(), at: now)
        }
        #expect(failure(at: Self.now.advanced(by: .milliseconds(1))) == .expired(at: Self.valid.until))
        #expect(failure(at: Self.valid.until) == .unknownAuthority(file: nil))
        #expect(failure(at: Self.valid.from) == .unknownAuthority(file: nil))
        #expect(
            failure(at: Self.valid.from.advanced(by: .milliseconds(-1))) == .notYetValid(until: Self.valid.from)
        )
    }

    @Test
    func `failures name the configured files`() {
        let files = TLSFiles(
            authorities: TLSFiles.File(path: "ca.pem", bytes: []),
            certificate: Self.file,
            key: Self.file
        )
        func failure(_ name: String) -> TLSFailure {
            TLSFailure(named: name, validity: nil, files: files, at: Self.now)
        }
        #expect(failure("CERTIFICATE_VERIFY_FAILED") == .unknownAuthority(file: "ca.pem"))
        #expect(failure("TLSV1_ALERT_UNKNOWN_CA") == .certificateRejected(file: "me.pem"))
    }

    @Test
    func `every failure has a distinct message, which names the option or detail that helps`() {
        let named: [(TLSFailure, String)] = [
            (.notTLS, "--clickhouse"), (.handshakeTimeout, "--clickhouse"), (.hostMismatch(host: "ch"), "ch"),
            (.unknownAuthority(file: nil), "--clickhouse-ca"), (.unknownAuthority(file: "ca.pem"), "ca.pem"),
            (.certificateRequired, "--clickhouse-key"), (.certificateRejected(file: "me.pem"), "me.pem"),
            (.expired(at: Self.now), "2027-01-15"), (.notYetValid(until: Self.now), "2027-01-15"),
            (.closedDuringHandshake, "its log"), (.noSharedProtocol, "TLS 1.2"), (.unencryptedData, "greeting"),
            (.other("X"), "X"),
        ]
        let words = named.map { $0.0.message(option: "--clickhouse") }
        for (text, (failure, part)) in zip(words, named) { #expect(text.contains(part), "\(failure)") }
        #expect(Set(words).count == words.count)
    }

    @Test
    func `descriptions of TLS files never contain the files' contents`() {
        let file = TLSFiles.File(path: "me.key", bytes: Array("hunter2".utf8))
        let files = TLSFiles(certificate: file, key: file)
        #expect("\(files)".contains("me.key") && !"\(files) \(files as Any)".contains("104, 117"))
        #expect(!String(reflecting: files).contains("bytes"))
    }
}
