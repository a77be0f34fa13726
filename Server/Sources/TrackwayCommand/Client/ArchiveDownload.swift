// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit

/// Downloads an archive from the collector to a new file.
///
/// The file gets its name only when the archive is complete. Only its owner can read it, because it contains personal
/// data.
struct ArchiveDownload {
    /// The collector.
    let address: CollectorAddress
    /// The path of the archive, beginning with a slash.
    let path: String

    /// Downloads the archive.
    ///
    /// - Parameter output: The path of the file to create.
    /// - Returns: The counts in the archive, and its size in bytes.
    /// - Throws: ``CommandFailure`` if the file exists or cannot be written, or if the collector returns an error or an
    ///   incomplete archive.
    func run(to output: String) async throws -> (counts: PersonExport.Counts, bytes: Int) {
        let file = try PartialFile(output)
        do {
            try await receive(into: file.handle)
            let result = try check(file.handle)
            try file.finish()
            return result
        } catch {
            file.discard()
            throw error as? CommandFailure ?? failure("\(output) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Checks that the archive is complete.
    private func check(_ file: FileHandle) throws -> (counts: PersonExport.Counts, bytes: Int) {
        let size = try file.seekToEnd()
        try file.seek(toOffset: size > 1_024 ? size - 1_024 : 0)
        let tail = Array(try file.readToEnd() ?? Data())
        guard let comment = ZipWriter.comment(ofArchiveEndingWith: tail),
            let counts = PersonExport.Counts(comment: comment)
        else {
            throw CommandFailure(
                .temporary,
                "\(address.root) did not send the whole archive",
                remedy: "export again; the collector's log may have the reason"
            )
        }
        return (counts, Int(clamping: size))
    }

    private func failure(_ message: String) -> CommandFailure {
        CommandFailure(.inputOutput, message, remedy: "free some space, and export again")
    }

    private func request() throws(CommandFailure) -> WireRequest {
        var request = WireRequest(method: "GET", url: try address.url(path).absoluteString)
        request.headers.append(name: "accept", value: "application/zip, application/json")
        if let key = address.key { request.headers.append(name: "authorization", value: "Bearer \(key)") }
        return request
    }

    #if os(Linux)
    private static let timeout = Duration.seconds(86_400)

    private func receive(into file: FileHandle) async throws {
        let request = try request()
        let writing = Locked<String?>(nil)
        let answer: WireResponse
        do throws(TransportError) {
            let transport = SystemTransport.Streaming(longestBody: 65_536)
            let write: @Sendable ([UInt8]) -> Void = { bytes in
                guard writing.withLock({ $0 == nil }) else { return }
                do {
                    try file.write(contentsOf: bytes)
                } catch {
                    writing.withLock { $0 = error.localizedDescription }
                }
            }
            answer = try await transport.stream(request, timeout: Self.timeout, opened: {}, piece: write)
        } catch {
            throw CollectorAnswer.unreachable(address, error)
        }
        if let reason = writing.withLock({ $0 }) { throw failure("the archive cannot be written: \(reason)") }
        try checkStatus(answer.status, answer.body)
    }
    #else
    private func receive(into file: FileHandle) async throws {
        let wanted = try request()
        guard let url = URL(string: wanted.url) else {
            throw CollectorAnswer.unreachable(address, TransportError(.invalidRequest))
        }
        var request = URLRequest(url: url)
        for field in wanted.headers { request.setValue(field.value, forHTTPHeaderField: field.name) }
        let (place, response): (URL, URLResponse)
        do {
            (place, response) = try await URLSession(configuration: .ephemeral).download(for: request)
        } catch {
            throw CollectorAnswer.unreachable(address, TransportError(.other, error.localizedDescription))
        }
        let body = try FileHandle(forReadingFrom: place)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status != 200 { try checkStatus(status, Array(try body.read(upToCount: 65_536) ?? Data())) }
        while let part = try body.read(upToCount: 1 << 20), !part.isEmpty { try file.write(contentsOf: part) }
        try FileManager.default.removeItem(at: place)
    }
    #endif

    private func checkStatus(_ status: Int, _ body: [UInt8]) throws(CommandFailure) {
        guard status != 200 else { return }
        // An error response without JSON is described by its status alone.
        throw CollectorAnswer.failure(status: status, json: try? JSONValue.parse(body), address: address)
    }
}
