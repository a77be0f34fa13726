// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand

/// The ClickHouse database to fill or query, and its credentials.
struct ClickHouseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "ClickHouse server and database: http://host:8123/trackway, or https://host:8443/trackway with TLS.",
            valueName: "url"
        )
    )
    var clickhouse: String?

    @Option(
        help: ArgumentHelp(
            """
            File with ClickHouse credentials: {"user":"…","password":"…"}. Default: the user “default” without a \
            password.
            """,
            valueName: "file"
        )
    )
    var clickhouseCredentials: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the authorities that sign ClickHouse's certificate. Default: the system's.",
            valueName: "file"
        )
    )
    var clickhouseCa: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the client certificate for ClickHouse, if it verifies clients.",
            valueName: "file"
        )
    )
    var clickhouseCert: String?

    @Option(help: ArgumentHelp("PEM file with the private key for --clickhouse-cert.", valueName: "file"))
    var clickhouseKey: String?

    /// Validates the options.
    func validate() throws {
        try tls.validate(isEncrypted: try address()?.isEncrypted ?? false)
        if clickhouse == nil, clickhouseCredentials != nil {
            throw ValidationError("--clickhouse-credentials requires --clickhouse http://host:8123/trackway")
        }
    }

    /// Requires a server.
    func require() throws {
        if clickhouse == nil {
            throw ValidationError("pass the ClickHouse server with --clickhouse http://host:8123/trackway")
        }
    }

    /// Returns a client for the database; nil if no server was given.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be used.
    func client() throws -> ClickHouseClient? {
        guard let address = try address() else { return nil }
        return ClickHouseClient(
            address,
            credentials: try credentials(),
            tls: address.isEncrypted ? try tls.client() : nil
        )
    }

    private var tls: TLSFileOptions {
        TLSFileOptions(
            option: "--clickhouse",
            example: "https://host:8443/trackway",
            authorities: clickhouseCa,
            certificate: clickhouseCert,
            key: clickhouseKey
        )
    }

    private func address() throws -> ClickHouseAddress? {
        try clickhouse.map { try ClickHouseAddress($0, option: "--clickhouse") }
    }

    private func credentials() throws(CommandFailure) -> ClickHouseCredentials? {
        guard let clickhouseCredentials else { return nil }
        return try ClickHouseCredentials(file: clickhouseCredentials, option: "--clickhouse-credentials")
    }
}

extension ClickHouseAddress {
    /// Parses the address in an option.
    ///
    /// - Throws: `ValidationError` with the option and the valid format.
    fileprivate init(_ text: String, option: String) throws {
        if let address = Self(text) {
            self = address
            return
        }
        if text.contains("@") {
            throw ValidationError(
                "\(option) must not contain credentials, which process lists would show; store them in a file, and "
                    + "pass it with \(option)-credentials"
            )
        }
        throw ValidationError(
            "“\(text)” is not a ClickHouse database; \(option) takes an HTTP or HTTPS address such as "
                + "http://host:8123/trackway, with a database name of letters, digits, and underscores"
        )
    }
}

extension ClickHouseCredentials {
    /// Reads the credentials from the file that an option names.
    fileprivate init(file: String, option: String) throws(CommandFailure) {
        let bytes = try SecretFile(path: file, option: option).read()
        guard let credentials = ClickHouseCredentials(json: bytes) else {
            throw CommandFailure(
                .malformedInput,
                "the file \(file) is not valid for \(option)",
                remedy: "write {\"user\":\"…\",\"password\":\"…\"} into it"
            )
        }
        self = credentials
    }
}

extension CommandFailure {
    /// Creates a command failure from a failed access to the tables.
    init(_ failure: ColumnFailure) {
        let status: CommandStatus =
            switch failure.kind {
            case .denied: .refused
            case .tables: .cannotCreate
            case .notClickHouse, .unreachable: .unavailable
            case .readOnly, .full, .busy, .other: .temporary
            }
        self.init(status, failure.description)
    }
}

extension Engine {
    /// Returns the origin of records and decisions, once both are proven durable.
    ///
    /// - Parameters:
    ///   - times: The time limits for waiting.
    ///   - onStatus: Called with the reason if waiting takes a while; must return immediately.
    /// - Throws: ``CommandFailure`` that describes the problem with the streams.
    func origin(
        times: DurabilityWait.Times = DurabilityWait.Times(),
        onStatus: (String) -> Void = { _ in }
    ) async throws(CommandFailure) -> ColumnOrigin {
        if let reasons = await waitUntilDurable(times: times, onStatus: onStatus) {
            throw CommandFailure(
                .cannotCreate,
                "the NATS cluster cannot be used:\n" + reasons.joined(separator: "\n"),
                remedy: "`trackway-cluster cluster check` with the same options shows each server"
            )
        }
        switch await proveDecisions(times: times, onStatus: onStatus) {
        case .proven(let created):
            if let stream = facts?.stream {
                return ColumnOrigin(records: stream.origin, decisions: "of \(created)")
            }
        case .unproven(let reasons):
            throw CommandFailure(
                .cannotCreate,
                "decisions about blocks would not be durable:\n" + reasons.joined(separator: "\n"),
                remedy:
                    "`trackway-cluster cluster init` with the same --nats and --clickhouse creates the stream if it is "
                    + "missing"
            )
        case nil: break
        }
        throw CommandFailure(.temporary, "the command was stopped before the NATS cluster was proven durable")
    }

    /// Returns the source for forwarding these streams to tables.
    ///
    /// - Parameter isSecondary: Whether to use the second reader, because another task is forwarding with the main one.
    func source(of origin: ColumnOrigin, isSecondary: Bool = false) -> ForwardingRunner.Source {
        ForwardingRunner.Source(
            records: isSecondary ? scanRecords : records,
            number: 0,
            highest: { self.intake.readable },
            decisions: decisions,
            fault: {
                guard let stream = self.facts?.stream else { return nil }
                let now = stream.origin
                guard now != origin.records else { return nil }
                return
                    "The NATS cluster has the stream \(now), but the tables were filled from \(origin.records): the "
                    + "stream was recreated. Find out why, or, to start over, pass another database with --clickhouse."
            },
            isPermanentlyMissing: { ($0 as? StreamFault)?.isGap ?? false }
        )
    }
}

extension StreamFacts {
    /// The stream's identity, as stored in the tables.
    ///
    /// It changes if a stream with the same name is recreated.
    var origin: String { "\(name) of \(created)" }
}
