// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Imports the events of a file into a collector.
struct EventImport: Sendable {
    /// The counts of an import.
    struct Counts: Sendable, Hashable {
        /// The number of events that the collector accepted, including those it already had.
        var accepted = 0
        /// The number of events that the collector rejected.
        var rejected = 0
        /// The first rejections, as sentences.
        var reasons: [String] = []
        /// The names of the file's columns that were ignored.
        var ignored: [String] = []
    }

    /// The number of events that are collected before they are sent, by installation.
    private static let window = 20_000
    /// The maximum size of these events.
    private static let windowBytes = 32 << 20
    /// The maximum number of rejections that are printed.
    private static let maximumReasons = 20
    /// The number of times that a request is repeated.
    private static let maximumRetries = 8

    /// The collector's client.
    let client: CollectorClient
    /// The file.
    let file: ImportFile
    /// Waits before a request is repeated.
    let wait: @Sendable (Duration) async -> Void

    /// Checks every line of the file, as the collector does, without sending anything.
    ///
    /// - Returns: The number of events.
    /// - Throws: ``CommandFailure`` `malformedInput` that names the first lines with an invalid event.
    func check(_ now: Timestamp, onProgress: (UInt64) -> Void) async throws -> Int {
        let admission = Admission()
        let grant = KeyGrant(name: "import", scopes: [.write])
        var count = 0
        var problems: [(line: Int, text: String)] = []
        _ = try await eachWindow { batches, bytes in
            onProgress(bytes)
            for batch in batches {
                count += batch.lines.count
                let result = batch.body.withUnsafeBytes { body in
                    Result { () throws(AdmissionError) in
                        try admission.admit(body, encoding: .identity, grant: grant, received: now)
                    }
                }
                switch result {
                case .success(let admitted):
                    problems += admitted.rejected.map { (line: batch.line($0.index), text: $0.message) }
                case .failure(let error):
                    problems.append((line: batch.lines.first ?? 0, text: error.message))
                }
            }
        }
        guard problems.isEmpty else {
            let lines = problems.sorted { $0.line < $1.line }.prefix(Self.maximumReasons)
            throw CommandFailure(
                .malformedInput,
                (["\(file.path): \(problems.count.grouped) invalid event\(problems.count == 1 ? "" : "s"), such as:"]
                    + lines.map { "line \($0.line): \($0.text)" }).joined(separator: "\n"),
                remedy: "correct or remove these lines; no event was imported"
            )
        }
        return count
    }

    /// Sends the events.
    ///
    /// - Parameter start: The first line to send.
    /// - Throws: ``CommandFailure`` that names the line at which the import can be continued.
    func send(from start: Int, onProgress: (UInt64, Counts) -> Void) async throws -> Counts {
        var counts = Counts()
        counts.ignored = try await eachWindow(from: start) { batches, bytes in
            let first = batches.flatMap(\.lines).min() ?? start
            for batch in batches {
                do throws(CommandFailure) {
                    try await send(batch, &counts)
                } catch {
                    throw CommandFailure(
                        error.status,
                        "\(error.message)\nthe lines before \(first) are imported",
                        remedy: "run the command again; with --from-line \(first) it continues there"
                    )
                }
                onProgress(bytes, counts)
            }
        }
        return counts
    }

    private func send(_ batch: ImportBatch, _ counts: inout Counts) async throws(CommandFailure) {
        var headers = [(name: "content-type", value: "application/x-ndjson")]
        if let key = client.address.key { headers.append(("authorization", "Bearer \(key)")) }
        var retries = 0
        while true {
            let failure: CommandFailure
            do {
                let answer = try await client.relay("/v1/events", headers: headers, body: batch.body)
                let json = try CollectorAnswer.value(status: answer.status, body: answer.body, address: client.address)
                let rejected = json["rejected"]?.array ?? []
                counts.accepted += batch.lines.count - rejected.count
                counts.rejected += rejected.count
                for event in rejected where counts.reasons.count < Self.maximumReasons {
                    let line = batch.line(Int(clamping: event["index"]?.integer ?? 0))
                    counts.reasons.append("line \(line): \(event["message"]?.string ?? "rejected")")
                }
                return
            } catch let error as CommandFailure {
                failure = error
            } catch {
                failure = CommandFailure(.unavailable, "no response from \(client.address.root): \(error)")
            }
            // The batch can be sent again, because each id is stored once.
            guard [.temporary, .unavailable].contains(failure.status), retries < Self.maximumRetries else {
                throw failure
            }
            await wait(.milliseconds(250 << min(retries, 5)))
            retries += 1
        }
    }

    /// Passes the batches of successive parts of the file to `body`, with the number of bytes read.
    ///
    /// - Returns: The names of ignored columns.
    private func eachWindow(
        from start: Int = 0,
        _ body: ([ImportBatch], UInt64) async throws -> Void
    ) async throws -> [String] {
        var events: [ImportedEvent] = []
        var size = 0
        var read: UInt64 = 0
        let ignored = try await file.read { event, bytes in
            read = bytes
            guard event.line >= start else { return }
            events.append(event)
            size += event.json.count + event.context.count
            guard events.count >= Self.window || size >= Self.windowBytes else { return }
            try await body(ImportBatch.batches(of: events), bytes)
            events = []
            size = 0
        }
        if !events.isEmpty { try await body(ImportBatch.batches(of: events), read) }
        return ignored
    }
}

extension ImportBatch {
    /// Returns the line of an event of the batch.
    func line(_ index: Int) -> Int { lines.indices.contains(index) ? lines[index] : lines.first ?? 0 }
}
