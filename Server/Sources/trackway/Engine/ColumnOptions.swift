// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorColumns
internal import CollectorStream
internal import Foundation

/// Which database of ClickHouse is filled, and who writes into it.
struct ColumnOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server of ClickHouse, and its database: http://host:8123/trackway.",
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

    /// Sees that a server is one.
    func validate() throws {
        _ = try address()
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
    /// - Throws: ``CommandFailure`` when the file of credentials cannot be used.
    func client() throws -> ClickHouseClient? {
        guard let address = try address() else { return nil }
        return ClickHouseClient(address, credentials: try credentials())
    }

    private func address() throws -> ClickHouseAddress? {
        guard let to else { return nil }
        if let address = ClickHouseAddress(to) { return address }
        if to.contains("@") {
            throw ValidationError(
                "--to takes no names and passwords, which lists of processes would show; put them into a file, and name it with "
                    + "--to-credentials"
            )
        }
        throw ValidationError(
            "“\(to)” is no database of ClickHouse; --to takes an address such as http://host:8123/trackway: plain HTTP, and a database "
                + "of letters, digits and underscores"
        )
    }

    private func credentials() throws(CommandFailure) -> ClickHouseCredentials? {
        guard let toCredentials else { return nil }
        let bytes: [UInt8]
        do {
            bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: toCredentials)))
        } catch {
            throw CommandFailure(
                .inputMissing,
                "the file \(toCredentials) cannot be read: \(error.localizedDescription)",
                remedy: "name a file that you may read with --to-credentials"
            )
        }
        guard let credentials = ClickHouseCredentials(json: bytes) else {
            throw CommandFailure(
                .malformedInput,
                "the file \(toCredentials) is not what --to-credentials takes",
                remedy: "write {\"user\":\"…\",\"password\":\"…\"} into it"
            )
        }
        return credentials
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
    /// - Throws: ``CommandFailure`` with what is wrong with them.
    func origin() async throws(CommandFailure) -> ColumnOrigin {
        if let reasons = await reasonsAgainst() {
            throw CommandFailure(
                .cannotCreate,
                "the engine cannot be used:\n" + reasons.joined(separator: "\n"),
                remedy: "`trackway engine check` with the same options shows each server"
            )
        }
        var faults: [String] = []
        for attempt in 0..<30 {
            if attempt > 0 { await CollectorHost.sleep(.milliseconds(300)) }
            let proof = await decisions.proof()
            faults = proof.faults
            if faults.isEmpty, let created = proof.created, let stream = facts?.stream {
                return ColumnOrigin(records: "\(stream.name) of \(stream.created)", decisions: "of \(created)")
            }
            // Settings do not change by themselves, and a stream that is missing is not made by itself.
            if proof.created != nil, attempt > 10 || Task.isCancelled { break }
        }
        throw CommandFailure(
            .cannotCreate,
            "what is decided about blocks is not safe with the engine:\n" + faults.joined(separator: "\n"),
            remedy: "`trackway engine init` with the same --engine and --to makes the stream when it is missing"
        )
    }

    /// The records and decisions that are carried into tables made of these streams.
    func source(of origin: ColumnOrigin) -> StreamForwarding.Source {
        StreamForwarding.Source(
            records: follower,
            number: 0,
            highest: { self.intake.highest },
            decisions: decisions,
            fault: {
                guard let stream = self.facts?.stream else { return nil }
                let now = "\(stream.name) of \(stream.created)"
                guard now != origin.records else { return nil }
                return
                    "The engine has the stream \(now), and the tables were made of \(origin.records): it was made anew. See what became of "
                    + "it; to begin anew, name another database behind --to."
            },
            isGone: { ($0 as? StreamFault)?.isGap ?? false }
        )
    }
}
