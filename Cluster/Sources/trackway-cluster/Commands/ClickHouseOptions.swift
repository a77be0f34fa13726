// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand

/// The ClickHouse database to fill, and the credentials for it.
struct ClickHouseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "ClickHouse server and database: http://host:8123/trackway, or https://host:8443/trackway with TLS.",
            valueName: "url"
        )
    )
    var to: String?

    @Option(
        help: ArgumentHelp(
            """
            File with ClickHouse credentials for writing: {"user":"…","password":"…"}. Default: the user “default” \
            without a password.
            """,
            valueName: "file"
        )
    )
    var toCredentials: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the authorities that sign ClickHouse's certificate. Default: the system's.",
            valueName: "file"
        )
    )
    var toCa: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the client certificate for ClickHouse, if it verifies clients.",
            valueName: "file"
        )
    )
    var toCert: String?

    @Option(help: ArgumentHelp("PEM file with the private key for --to-cert.", valueName: "file"))
    var toKey: String?

    /// Validates the options.
    func validate() throws {
        try tls.validate(isEncrypted: try address()?.isEncrypted ?? false)
        if to == nil, toCredentials != nil {
            throw ValidationError("--to-credentials requires --to http://host:8123/trackway")
        }
    }

    /// Requires a server.
    func require() throws {
        if to == nil { throw ValidationError("pass the ClickHouse server with --to http://host:8123/trackway") }
    }

    /// Returns a client for the database; nil if none was given.
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

    private var tls: TLSFileNames {
        TLSFileNames(
            option: "--to",
            example: "https://host:8443/trackway",
            authorities: toCa,
            certificate: toCert,
            key: toKey
        )
    }

    private func address() throws -> ClickHouseAddress? { try to.map { try ClickHouseAddress($0, option: "--to") } }

    private func credentials() throws(CommandFailure) -> ClickHouseCredentials? {
        guard let toCredentials else { return nil }
        return try ClickHouseCredentials(file: toCredentials, option: "--to-credentials")
    }
}

/// The ClickHouse database that answers queries, and the credentials for it.
struct AnalysisOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            ClickHouse database that answers trends, funnels, retention, lifecycle, stickiness, and paths instead of \
            the index: http://host:8123/trackway, or https://host:8443/trackway with TLS. Filled by \
            trackway-cluster forward.
            """,
            valueName: "url"
        )
    )
    var analysis: String?

    @Option(
        help: ArgumentHelp(
            """
            File with ClickHouse credentials for reading: {"user":"…","password":"…"}. Default: the user “default” \
            without a password.
            """,
            valueName: "file"
        )
    )
    var analysisCredentials: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the authorities that sign ClickHouse's certificate. Default: the system's.",
            valueName: "file"
        )
    )
    var analysisCa: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the client certificate for ClickHouse, if it verifies clients.",
            valueName: "file"
        )
    )
    var analysisCert: String?

    @Option(help: ArgumentHelp("PEM file with the private key for --analysis-cert.", valueName: "file"))
    var analysisKey: String?

    /// Validates the options.
    func validate() throws {
        try tls.validate(isEncrypted: try address()?.isEncrypted ?? false)
        if analysis == nil, analysisCredentials != nil {
            throw ValidationError("--analysis-credentials requires --analysis http://host:8123/trackway")
        }
    }

    /// Returns a client for the database; nil if none was given.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be used.
    func client() throws -> ClickHouseClient? {
        guard let address = try address() else { return nil }
        let credentials = try analysisCredentials.map {
            try ClickHouseCredentials(file: $0, option: "--analysis-credentials")
        }
        return ClickHouseClient(
            address,
            credentials: credentials,
            tls: address.isEncrypted ? try tls.client() : nil,
            option: "--analysis"
        )
    }

    private var tls: TLSFileNames {
        TLSFileNames(
            option: "--analysis",
            example: "https://host:8443/trackway",
            authorities: analysisCa,
            certificate: analysisCert,
            key: analysisKey
        )
    }

    private func address() throws -> ClickHouseAddress? {
        try analysis.map { try ClickHouseAddress($0, option: "--analysis") }
    }
}

extension ClickHouseAddress {
    /// Parses an option's address.
    ///
    /// - Throws: `ValidationError` with the option and the valid format.
    fileprivate init(_ text: String, option: String) throws {
        if let address = Self(text) {
            self = address
            return
        }
        if text.contains("@") {
            throw ValidationError(
                "\(option) must not contain credentials, which process lists would show; put them into a file, and "
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
    /// Reads an option's file.
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
    /// Creates a failure from a failure of the tables.
    init(_ failure: ColumnFailure) {
        let status: CommandStatus =
            switch failure.kind {
            case .refused: .refused
            case .tables: .cannotCreate
            case .stranger, .unreachable: .unavailable
            case .readOnly, .full, .busy, .other: .temporary
            }
        self.init(status, failure.description)
    }
}

extension Engine {
    /// Returns the origin of records and decisions, once both are proven durable.
    ///
    /// - Parameters:
    ///   - times: The maximum times to wait.
    ///   - saying: Called with the reason if waiting takes a while. Must return immediately.
    /// - Throws: ``CommandFailure`` with the problem of the streams.
    func origin(
        times: EngineStart.Times = EngineStart.Times(),
        saying: (String) -> Void = { _ in }
    ) async throws(CommandFailure) -> ColumnOrigin {
        if let reasons = await waitUntilDurable(times: times, saying: saying) {
            throw CommandFailure(
                .cannotCreate,
                "the NATS cluster cannot be used:\n" + reasons.joined(separator: "\n"),
                remedy: "`trackway-cluster engine check` with the same options shows each server"
            )
        }
        switch await proveDecisions(times: times, saying: saying) {
        case .proven(let created):
            if let stream = facts?.stream {
                return ColumnOrigin(records: stream.origin, decisions: "of \(created)")
            }
        case .refused(let reasons):
            throw CommandFailure(
                .cannotCreate,
                "decisions about blocks would not be durable:\n" + reasons.joined(separator: "\n"),
                remedy:
                    "`trackway-cluster engine init` with the same --engine and --to creates the stream if it is missing"
            )
        case nil: break
        }
        throw CommandFailure(.temporary, "the command was stopped before the NATS cluster was proven durable")
    }

    /// Returns the source for forwarding these streams to tables.
    ///
    /// - Parameter isBeside: Whether to use the second reader, because another task is forwarding with the main one.
    func source(of origin: ColumnOrigin, isBeside: Bool = false) -> ForwardingRunner.Source {
        ForwardingRunner.Source(
            records: isBeside ? besideRecords : records,
            number: 0,
            highest: { self.intake.readable },
            decisions: decisions,
            fault: {
                guard let stream = self.facts?.stream else { return nil }
                let now = stream.origin
                guard now != origin.records else { return nil }
                return
                    "The NATS cluster has the stream \(now), but the tables were filled from \(origin.records): it was "
                    + "recreated. Find out what happened; to start over, pass another database with --to."
            },
            isGone: { ($0 as? StreamFault)?.isGap ?? false }
        )
    }
}

extension StreamFacts {
    /// The stream's identity, as the tables store it.
    ///
    /// It changes if a stream of the same name is recreated.
    var origin: String { "\(name) of \(created)" }
}
