// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import TrackwayCore

/// Exports everything that the collector knows about a user.
struct UsersExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything known about a user to a folder of files.",
        discussion: """
            For access and portability requests. The folder must not exist yet. It will
            contain a README.txt for the person, the profile with all attributes, the
            devices, the sessions, and all events, including those from before the
            sign-in, as JSON and as CSV.

            Rejected events are not included, because they may belong to anyone; see
            `trackway rejections`. Not available with cluster support.

            EXAMPLES
              # Export a user.
              trackway users export user-42 --output user-42
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "User id.")
    var user: String

    @Option(help: "Folder to create.")
    var output: String

    /// Checks the arguments.
    func validate() throws {
        guard !user.isEmpty else { throw ValidationError("the user id is empty") }
        guard !output.isEmpty else { throw ValidationError("--output takes the path of a new folder") }
    }

    /// Queries the collector and writes the files.
    func run() async throws {
        let export = UserExport(client: CollectorClient(try collector.address()), user: user)
        let counts = try await export.write(to: output)
        Console.standard.write(
            "Exported \(user) to \(output). Events: \(counts.events.grouped). Sessions: \(counts.sessions.grouped). "
                + "Installations: \(counts.installations.grouped)."
        )
    }
}

/// The export of one user.
struct UserExport {
    /// The numbers of exported items.
    struct Counts: Hashable {
        var events = 0
        var sessions = 0
        var installations = 0
    }

    let client: CollectorClient
    let user: String

    private static let pageSize = 1_000
    private static let sessionsPerPage = 200

    private var path: String { "/v1/users/" + CollectorAddress.escape(user) }

    /// Writes the files into a new folder.
    ///
    /// - Throws: ``CommandFailure`` if the user is unknown, or if the folder exists or cannot be written.
    func write(to folder: String) async throws -> Counts {
        // Before the folder is created, so that an unknown user leaves no empty folder.
        let profile = try await self.profile()
        let known = try await client.get(path + "/erasure")
        try make(folder)
        var counts = Counts()
        try write(profile.json(), to: folder, "profile.json")
        let installations = known["installations"]?.array ?? []
        var devices: [JSONValue] = []
        for installation in installations {
            let id = installation["installation"]?.string ?? ""
            devices.append(try await client.get("/v1/devices/\(id)", query: [("limit", "1000")]))
        }
        counts.installations = installations.count
        try write(JSONValue.array(devices).json(), to: folder, "devices.json")
        counts.sessions = try await sessions(to: folder)
        counts.events = try await events(to: folder)
        try write(Array(readme(counts).utf8), to: folder, "README.txt")
        return counts
    }

    private func profile() async throws -> JSONValue {
        let first = try await client.get(path, query: [("limit", "1000")])
        var attributes = first["attributes"]?.object?.members ?? []
        var next = first["next"]?.string
        while let after = next {
            let page = try await client.get(path, query: [("limit", "1000"), ("after", after)])
            attributes += page["attributes"]?.object?.members ?? []
            next = page["next"]?.string
        }
        var members = (first.object?.members ?? []).filter { $0.key != "next" && $0.key != "attributes" }
        members.append(.init(key: "attributes", value: .object(.init(attributes))))
        return .object(.init(members))
    }

    private func sessions(to folder: String) async throws -> Int {
        let file = try LineFile(folder + "/sessions.jsonl")
        var count = 0
        var after: String?
        repeat {
            var query = [(name: "user", value: user), ("limit", String(Self.sessionsPerPage))]
            if let after { query.append(("after", after)) }
            let page = try await client.get("/v1/sessions", query: query)
            let sessions = page["sessions"]?.array ?? []
            for session in sessions { try file.write(session.json()) }
            count += sessions.count
            after = page["next"]?.string
        } while after != nil
        try file.close()
        return count
    }

    private func events(to folder: String) async throws -> Int {
        let lines = try LineFile(folder + "/events.jsonl")
        let table = try LineFile(folder + "/events.csv")
        let text = UserText(style: Style(isColored: false))
        try table.write(Array(UserText.eventsHeading.utf8))
        var count = 0
        var after: String?
        repeat {
            var query = [(name: "limit", value: String(Self.pageSize))]
            if let after { query.append(("after", after)) }
            let page = try await client.get(path + "/events", query: query, timeout: 120)
            for event in page["events"]?.array ?? [] {
                try lines.write(event.json())
                for line in text.eventsCSV([event]) { try table.write(Array(line.utf8)) }
                count += 1
            }
            after = page["next"]?.string
        } while after != nil
        try lines.close()
        try table.close()
        return count
    }

    private func readme(_ counts: Counts) -> String {
        """
        Data about \(user)

        Exported \(SystemClock().now().wall.iso8601) by a Trackway collector.

        profile.json     the user's attributes, with the time at which each was set
        devices.json     the devices (installations of the app) that the user signed in on, with their properties
        sessions.jsonl   one session per line, latest first: \(counts.sessions)
        events.jsonl     one event per line, latest first: \(counts.events)
        events.csv       the same events for a spreadsheet

        An event with "visit" was recorded before the user signed in. Times in JSON are milliseconds since
        January 1, 1970, UTC.

        """
    }

    private func make(_ folder: String) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: folder),
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "cannot create the folder \(folder): \(error.localizedDescription)",
                remedy: "with --output, pass the path of a new folder inside a writable folder"
            )
        }
    }

    private func write(_ bytes: [UInt8], to folder: String, _ name: String) throws {
        let file = try LineFile(folder + "/" + name)
        try file.write(bytes)
        try file.close()
    }
}

/// A new text file that is written line by line.
private final class LineFile {
    private let path: String
    private let handle: FileHandle
    private var buffer = Data()

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        // Readable by this user only, because the file contains personal data.
        let isCreated = FileManager.default.createFile(
            atPath: path,
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard isCreated, let handle = FileHandle(forWritingAtPath: path) else {
            throw CommandFailure(.cannotCreate, "\(path) cannot be created", remedy: "pass a writable folder")
        }
        self.handle = handle
    }

    func write(_ line: [UInt8]) throws(CommandFailure) {
        buffer += line
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 1 << 20 { try flush() }
    }

    func close() throws(CommandFailure) {
        try flush()
        do {
            try handle.close()
        } catch {
            throw failure(error)
        }
    }

    private func flush() throws(CommandFailure) {
        do {
            try handle.write(contentsOf: buffer)
        } catch {
            throw failure(error)
        }
        buffer = Data()
    }

    private func failure(_ error: any Error) -> CommandFailure {
        CommandFailure(
            .inputOutput,
            "\(path) cannot be written: \(error.localizedDescription)",
            remedy: "free some space, delete the folder, and export again"
        )
    }
}
