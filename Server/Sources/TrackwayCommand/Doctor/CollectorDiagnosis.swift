// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore
internal import TrackwayDestinationKit

/// Checks a collector through its address, as a client sees it.
struct CollectorDiagnosis: Sendable {
    let client: CollectorClient
    /// The scope that the key needs: `read` or `write`.
    var scope = "read"
    /// Returns this machine's time.
    var now: @Sendable () -> Timestamp = { SystemClock().now().wall }
    /// Whether a program accepts connections at a host and port of this machine; nil for another machine.
    var isListening: @Sendable (String, Int) -> Bool? = LocalPort.isListening

    private var address: CollectorAddress { client.address }

    /// The size of the body that proxies must accept.
    ///
    /// nginx by default rejects bodies above 1 MiB.
    private static let bodyBytes = 2 << 20

    /// Runs all checks, as far as the earlier ones allow the later ones.
    func run() async -> [DoctorFinding] {
        let sent = now()
        let response: WireResponse
        do throws(TransportError) {
            response = try await client.exchange("GET", "/v1/connection")
        } catch {
            return [unreachable(error)]
        }
        let received = now()
        if let finding = unexpected(response) { return [finding] }
        var findings = [DoctorFinding.ok(.address, "A Trackway collector responds at \(address.root).")]
        if address.root.hasPrefix("https:") {
            findings.append(.ok(.certificate, "The certificate is valid for \(address.root)."))
        }
        if let connection = Self.json(response.body).flatMap(ReceivedConnection.init) {
            findings.append(connection.clockFinding(sent: sent, received: received))
            findings += await proxy(connection, response)
            let isKeyDropped = findings.contains { $0.name == "proxy_drops_key" }
            if !isKeyDropped { findings.append(connection.keyFinding(scope: scope)) }
        } else {
            findings.append(
                .skipped(
                    .proxy,
                    "This collector's version does not describe connections.",
                    "Update the collector to check its clock, its proxies and the key."
                )
            )
        }
        findings += await readiness("/readyz/intake", .intake, "Batches are accepted.")
        findings += await readiness("/readyz/questions", .index, "The index follows the log.")
        findings += await metrics()
        return findings
    }

    private func proxy(_ connection: ReceivedConnection, _ response: WireResponse) async -> [DoctorFinding] {
        guard var findings = connection.proxyFindings(address, server: response.headers["server"]) else { return [] }
        if connection.isKeyKnown, let finding = await bodyLimit() { findings.append(finding) }
        guard findings.isEmpty else { return findings }
        return [.ok(.proxy, "The proxy forwards what the collector needs.")]
    }

    /// Checks that a large body reaches the collector; nil if it does.
    private func bodyLimit() async -> DoctorFinding? {
        let size = DiskThreshold.text(Int64(Self.bodyBytes))
        let body = [UInt8](repeating: UInt8(ascii: " "), count: Self.bodyBytes)
        let reason: String
        do throws(TransportError) {
            let response = try await client.exchange("POST", "/v1/connection", body: body, timeout: 30)
            if response.status == 200, Self.json(response.body)?["bytes"]?.integer == Int64(Self.bodyBytes) {
                return nil
            }
            reason = "the response is \(response.status)"
        } catch {
            reason = error.message.isEmpty ? error.code.rawValue : error.message
        }
        return .fault(
            .proxy,
            "proxy_limits_bodies",
            "A body of \(size) does not pass the proxy: \(reason).",
            "Allow bodies of 16 MiB; in nginx, add `client_max_body_size 16m;`."
        )
    }

    // MARK: Responses

    private func readiness(
        _ path: String,
        _ check: DoctorFinding.Check,
        _ success: String
    ) async -> [DoctorFinding] {
        let response: WireResponse
        do throws(TransportError) {
            response = try await client.exchange("GET", path)
        } catch {
            return [unreachable(error)]
        }
        if response.status == 200 { return [.ok(check, success)] }
        guard let error = Self.error(response) else {
            return [.skipped(check, "\(path) responded with \(response.status).", "Update the collector.")]
        }
        return [.fault(check, error.code, error.message, Self.remedy(error.code))]
    }

    /// Returns the remedy for a collector that is not ready.
    private static func remedy(_ code: String) -> String {
        switch code {
        case "disk_full", "disk_low":
            "Free space on the disk of the collector's folder; it then continues without a restart."
        case "stopped": "Check the disk and the collector's log, then restart the collector."
        case "index_behind":
            "Wait until the index has caught up; if that takes long, the collector's log has the reason."
        default: "See the collector's log."
        }
    }

    private func metrics() async -> [DoctorFinding] {
        let response: WireResponse
        do throws(TransportError) {
            response = try await client.exchange("GET", "/metrics")
        } catch {
            return [unreachable(error)]
        }
        guard response.status == 200 else {
            return [
                .skipped(
                    .disk,
                    "The collector's disk and index were not checked: /metrics responded with \(response.status).",
                    "Pass a key with the scope read."
                )
            ]
        }
        return CollectorMetrics(String(decoding: response.body, as: UTF8.self)).findings
    }

    /// Returns the fault of a response that is not the one of a collector at this address; nil if it is.
    private func unexpected(_ response: WireResponse) -> DoctorFinding? {
        if let error = Self.error(response) {
            let remedy: String
            switch error.code {
            // An older collector does not have the endpoint.
            case "not_found": return nil
            case "wrong_host":
                remedy = "Start the collector with --allow-host and the name, or with --read-key always."
            case "address_rate": remedy = "Wait a moment; raise the limit with --address-rate."
            default: remedy = "See the collector's log."
            }
            return .fault(.address, error.code, error.message, remedy)
        }
        if response.status == 200, Self.json(response.body) != nil { return nil }
        let text = String(decoding: response.body.prefix(2_048), as: UTF8.self)
        switch response.status {
        case 300..<400:
            let place = response.headers["location"] ?? "another address"
            return .fault(
                .address,
                "url_redirects",
                "\(address.root) redirects to \(place.prefix(256)).",
                "Pass the address that it redirects to with --url, without the path /v1/connection."
            )
        case 400 where text.contains("HTTPS port"):
            return .fault(
                .address,
                "url_needs_https",
                "\(address.root) accepts only encrypted connections.",
                "Pass the address with https:// in --url."
            )
        case 502, 503, 504:
            return .fault(
                .proxy,
                "proxy_without_collector",
                "The proxy at \(address.root) responded with \(response.status): it does not reach the collector.",
                "Check that the collector runs, and the address in the proxy's configuration (`proxy_pass`)."
            )
        default:
            let kind = text.range(of: "<html", options: .caseInsensitive) != nil ? " and an HTML page" : ""
            return .fault(
                .address,
                "url_is_not_a_collector",
                "\(address.root) responded with \(response.status)\(kind), not as a Trackway collector.",
                "Check the host, port and path in --url or TRACKWAY_URL; another program may use the port."
            )
        }
    }

    private static func json(_ body: [UInt8]) -> JSONValue? {
        do {
            return try JSONValue.parse(body)
        } catch {
            return nil  // not JSON
        }
    }

    private static func error(_ response: WireResponse) -> (code: String, message: String)? {
        guard let error = json(response.body)?["error"], let code = error["code"]?.string,
            let message = error["message"]?.string
        else { return nil }
        return (code, message)
    }
}

// MARK: Connections

extension CollectorDiagnosis {
    /// Returns the fault of a request without a response.
    private func unreachable(_ error: TransportError) -> DoctorFinding {
        if error.code == .tls { return certificate(error) }
        let url = URL(string: address.root)
        let host = url?.host ?? ""
        let port = url?.port ?? (url?.scheme == "https" ? 443 : 80)
        switch (error.code, isListening(host, port)) {
        case (.refused, false?):
            return .fault(
                .address,
                "nothing_listens",
                "No program listens at \(host), port \(port).",
                "Start a collector with `trackway serve`, or pass the address of a running one with --url."
            )
        case (.refused, nil):
            return .fault(
                .address,
                "connection_refused",
                "\(host), port \(port), refuses or closes the connection.",
                "Check that the collector runs there, listens beyond loopback (--host), and that no firewall blocks it."
            )
        case (.offline, _):
            return .fault(
                .address,
                "host_unreachable",
                "\(host) cannot be found or reached.",
                "Check the name in --url or TRACKWAY_URL, and this machine's network and name server."
            )
        case (.timedOut, _):
            return .fault(
                .address,
                "no_response",
                "\(address.root) does not respond in time.",
                "Check the host in --url, and any firewall or proxy between here and the collector."
            )
        default:
            return .fault(
                .address,
                "port_in_use",
                "A program at \(host), port \(port), accepts connections, but does not respond as a collector: "
                    + "\(error.message).",
                "Pass the collector's port with --url, or start it on another one with `trackway serve --port`."
            )
        }
    }

    /// Returns the fault of an encrypted connection.
    private func certificate(_ error: TransportError) -> DoctorFinding {
        let text = error.message.lowercased()
        func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        if has("expired", "not yet valid") {
            return .fault(
                .certificate,
                "certificate_expired",
                "The certificate of \(address.root) is not valid now: \(error.message).",
                "Renew the certificate, and reload the proxy; also check this machine's clock."
            )
        }
        if has("subject name", "does not match", "no alternative", "hostname mismatch", "ip address mismatch") {
            return .fault(
                .certificate,
                "certificate_name",
                "The certificate is for another name than the one in \(address.root): \(error.message).",
                "Pass a name of the certificate with --url, or issue one with this name."
            )
        }
        if has("self-signed", "self signed", "issuer", "unable to get", "unable to verify", "authority") {
            return .fault(
                .certificate,
                "certificate_untrusted",
                "The authority of the certificate of \(address.root) is not trusted: \(error.message).",
                "Pass the authority's file with --ca or SSL_CERT_FILE, and let the proxy send the whole chain."
            )
        }
        if has("wrong version number", "record layer", "packet length", "unexpected message") {
            return .fault(
                .certificate,
                "url_needs_http",
                "\(address.root) does not speak TLS: \(error.message).",
                "Pass the address with http:// in --url, or put a TLS proxy in front of the collector."
            )
        }
        return .fault(
            .certificate,
            "tls_failed",
            "The encrypted connection to \(address.root) failed: \(error.message).",
            "Check the certificate and the TLS versions of the proxy, and --ca."
        )
    }
}

/// Ports of this machine.
enum LocalPort {
    /// Whether a program accepts connections at a port.
    ///
    /// Returns nil unless the host is a loopback address, for which the answer arrives at once.
    @Sendable static func isListening(_ host: String, _ port: Int) -> Bool? {
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard ["127.0.0.1", "localhost", "::1"].contains(name) else { return nil }
        var hints = addrinfo()
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, String(port), &hints, &first) == 0 else { return nil }
        defer { freeaddrinfo(first) }
        var next = first
        while let info = next?.pointee {
            next = info.ai_next
            let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            if connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 { return true }
        }
        return false
    }
}
