// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents

@testable internal import CollectorTLS

@Suite("TLS failures")
struct TLSFailureTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let valid = TLSFailure.ValidDates(from: now.advanced(by: .seconds(-9)), until: now)
    private static let file = TLSFiles.File(path: "me.pem", bytes: [])

    @Test(
        "library errors are classified by name",
        arguments: [
            ("CERTIFICATE_VERIFY_FAILED", TLSFailure.unknownAuthority(file: nil)),
            ("TLSV1_CERTIFICATE_REQUIRED", .wantsCertificate), ("TLSV1_ALERT_CERTIFICATE_REQUIRED", .wantsCertificate),
            ("SSLV3_ALERT_BAD_CERTIFICATE", .wantsCertificate), ("TLSV1_ALERT_UNKNOWN_CA", .wantsCertificate),
            ("WRONG_VERSION_NUMBER", .noTLS), ("HTTP_REQUEST", .noTLS), ("UNEXPECTED_RECORD", .noTLS),
            ("TLSV1_ALERT_PROTOCOL_VERSION", .nothingInCommon), ("SSLV3_ALERT_HANDSHAKE_FAILURE", .nothingInCommon),
            ("UNSUPPORTED_PROTOCOL", .nothingInCommon), ("DECODE_ERROR", .other("DECODE_ERROR")),
        ]
    )
    func names(name: String, failure: TLSFailure) {
        #expect(TLSFailure(named: name, dates: Self.valid, files: TLSFiles(), at: Self.now) == failure)
        #expect(TLSFailure(named: name, dates: nil, files: TLSFiles(), at: Self.now) == failure)
    }

    @Test("an untrusted certificate is classified as expired or not yet valid by its dates, to the millisecond")
    func dates() {
        func failure(at now: Timestamp) -> TLSFailure {
            TLSFailure(named: "CERTIFICATE_VERIFY_FAILED", dates: Self.valid, files: TLSFiles(), at: now)
        }
        #expect(failure(at: Self.now.advanced(by: .milliseconds(1))) == .expired(at: Self.valid.until))
        #expect(failure(at: Self.valid.until) == .unknownAuthority(file: nil))
        #expect(failure(at: Self.valid.from) == .unknownAuthority(file: nil))
        #expect(
            failure(at: Self.valid.from.advanced(by: .milliseconds(-1))) == .notYetValid(until: Self.valid.from)
        )
    }

    @Test("failures name the configured files")
    func files() {
        let files = TLSFiles(
            authorities: TLSFiles.File(path: "ca.pem", bytes: []),
            certificate: Self.file,
            key: Self.file
        )
        func failure(_ name: String) -> TLSFailure { TLSFailure(named: name, dates: nil, files: files, at: Self.now) }
        #expect(failure("CERTIFICATE_VERIFY_FAILED") == .unknownAuthority(file: "ca.pem"))
        #expect(failure("TLSV1_ALERT_UNKNOWN_CA") == .refusesCertificate(file: "me.pem"))
    }

    @Test("every failure has a distinct message, which names the option or detail that helps")
    func words() {
        let named: [(TLSFailure, String)] = [
            (.noTLS, "--to"), (.unanswered, "--to"), (.otherName(host: "ch"), "ch"),
            (.unknownAuthority(file: nil), "--to-ca"), (.unknownAuthority(file: "ca.pem"), "ca.pem"),
            (.wantsCertificate, "--to-key"), (.refusesCertificate(file: "me.pem"), "me.pem"),
            (.expired(at: Self.now), "2027-01-15"), (.notYetValid(until: Self.now), "2027-01-15"),
            (.ended, "its log"), (.nothingInCommon, "TLS 1.2"), (.plainBytes, "greeting"), (.other("X"), "X"),
        ]
        let words = named.map { $0.0.words(option: "--to") }
        for (text, (failure, part)) in zip(words, named) { #expect(text.contains(part), "\(failure)") }
        #expect(Set(words).count == words.count)
    }

    @Test("descriptions of TLS files never contain the files' contents")
    func secrets() {
        let file = TLSFiles.File(path: "me.key", bytes: Array("hunter2".utf8))
        let files = TLSFiles(certificate: file, key: file)
        #expect("\(files)".contains("me.key") && !"\(files) \(files as Any)".contains("104, 117"))
        #expect(!String(reflecting: files).contains("bytes"))
    }
}
