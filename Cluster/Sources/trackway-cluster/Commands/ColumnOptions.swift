// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorJetStream
internal import TrackwayCommand

/// Which database of ClickHouse is filled, and who writes into it.
struct ColumnOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server of ClickHouse, and its database: http://host:8123/trackway, or https://host:8443/trackway for an encrypted connection.",
            valueName: "url"
        )
    )
    var to: String?

    @Option(
        help: ArgumentHelp(
            "A file with who writes into ClickHouse: {\"user\":\"…\",\"password\":\"…\"}. Without it the server's user “default”, without a password.",
            valueName: "file"
        )
    )
    var toCredentials: String?

    @Option(
        help: ArgumentHelp(
            "A file (PEM) with the authorities that sign the certificate of ClickHouse. Without it those that the system trusts.",
            valueName: "file"
        )
    )
    var toCa: String?

    @Option(
        help: ArgumentHelp(
            "A file (PEM) with the certificate that ClickHouse is shown, where it verifies its clients.",
            valueName: "file"
        )
    )
    var toCert: String?

    @Option(help: ArgumentHelp("A file (PEM) with the key of --to-cert.", valueName: "file"))
    var toKey: String?

    /// Sees that a server is one.
    func validate() throws {
        try tls.validate(isEncrypted: try address()?.isEncrypted ?? false)
        if to == nil, toCredentials != nil {
            throw ValidationError("--to-credentials are for --to http://host:8123/trackway")
        }
    }

    /// Sees that a server was named.
    func require() throws {
        if to == nil { throw ValidationError("name the server of ClickHouse with --to http://host:8123/trackway") }
    }

    /// The database that was named; nil for none.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be used.
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

/// Which database of ClickHouse answers questions, and who asks it.
struct AnalysisOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The database of ClickHouse that answers trends, funnels, retention, lifecycle, stickiness and paths in place of the index, filled from the engine by trackway-cluster forward: http://host:8123/trackway, or https://host:8443/trackway for an encrypted connection.",
            valueName: "url"
        )
    )
    var analysis: String?

    @Option(
        help: ArgumentHelp(
            "A file with who asks ClickHouse: {\"user\":\"…\",\"password\":\"…\"}. Without it the server's user “default”, without a password.",
            valueName: "file"
        )
    )
    var analysisCredentials: String?

    @Option(
        help: ArgumentHelp(
            "A file (PEM) with the authorities that sign the certificate of ClickHouse. Without it those that the system trusts.",
            valueName: "file"
        )
    )
    var analysisCa: String?

    @Option(
        help: ArgumentHelp(
            "A file (PEM) with the certificate that ClickHouse is shown, where it verifies its clients.",
            valueName: "file"
        )
    )
    var analysisCert: String?

    @Option(help: ArgumentHelp("A file (PEM) with the key of --analysis-cert.", valueName: "file"))
    var analysisKey: String?

    /// Sees that a database is one.
    func validate() throws {
        try tls.validate(isEncrypted: try address()?.isEncrypted ?? false)
        if analysis == nil, analysisCredentials != nil {
            throw ValidationError("--analysis-credentials are for --analysis http://host:8123/trackway")
        }
    }

    /// The database that was named; nil for none.
    ///
    /// - Throws: ``CommandFailure`` when a file cannot be used.
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
    /// Reads an option's address.
    ///
    /// - Throws: `ValidationError` with the option, and what it takes.
    fileprivate init(_ text: String, option: String) throws {
        if let address = Self(text) {
            self = address
            return
        }
        if text.contains("@") {
            throw ValidationError(
                "\(option) takes no names and passwords, which lists of processes would show; put them into a file, and name it with "
                    + "\(option)-credentials"
            )
        }
        throw ValidationError(
            "“\(text)” is no database of ClickHouse; \(option) takes an address such as http://host:8123/trackway or https://host:8443/trackway: HTTP or "
                + "HTTPS, and a database of letters, digits and underscores"
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
                "the file \(file) is not what \(option) takes",
                remedy: "write {\"user\":\"…\",\"password\":\"…\"} into it"
            )
        }
        self = credentials
    }
}

extension CommandFailure {
    /// Tables cannot be used.
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
    /// Which streams the engine has, once both are proven.
    ///
    /// - Parameters:
    ///   - times: How long that may take.
    ///   - saying: Called with what is waited for when that takes a while. It must return at once.
    /// - Throws: ``CommandFailure`` with what is wrong with them.
    func origin(
        times: EngineStart.Times = EngineStart.Times(),
        saying: (String) -> Void = { _ in }
    ) async throws(CommandFailure) -> ColumnOrigin {
        if let reasons = await reasonsAgainst(times: times, saying: saying) {
            throw CommandFailure(
                .cannotCreate,
                "the engine cannot be used:\n" + reasons.joined(separator: "\n"),
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
                "what is decided about blocks is not safe with the engine:\n" + reasons.joined(separator: "\n"),
                remedy:
                    "`trackway-cluster engine init` with the same --engine and --to makes the stream when it is missing"
            )
        case nil: break
        }
        throw CommandFailure(.temporary, "it was told to end before the engine was proven")
    }

    /// The records and decisions that are carried into tables made of these streams.
    ///
    /// - Parameter isBeside: Whether somebody else forwards meanwhile, and reads with the usual reader.
    func source(of origin: ColumnOrigin, isBeside: Bool = false) -> StreamForwarding.Source {
        StreamForwarding.Source(
            records: isBeside ? besideRecords : records,
            number: 0,
            highest: { self.intake.readable },
            decisions: decisions,
            fault: {
                guard let stream = self.facts?.stream else { return nil }
                let now = stream.origin
                guard now != origin.records else { return nil }
                return
                    "The engine has the stream \(now), and the tables were made of \(origin.records): it was made anew. See what became of "
                    + "it; to begin anew, name another database behind --to."
            },
            isGone: { ($0 as? StreamFault)?.isGap ?? false }
        )
    }
}

extension StreamFacts {
    /// Which stream it is, as tables note it: one of the same name that was made anew is another.
    var origin: String { "\(name) of \(created)" }
}
