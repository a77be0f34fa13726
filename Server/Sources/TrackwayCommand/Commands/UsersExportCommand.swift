// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import TrackwayCore

/// Exports everything that the collector has about a user.
struct UsersExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything known about a user to a ZIP archive.",
        discussion: """
            For requests for access and portability. The archive has a README.txt for
            the person, and the profile, attributes, further ids, devices, sessions,
            events, consent decisions, rejected events, and erasures, as JSON and as CSV.
            It contains nothing about other users of shared devices, or about visitors
            after a sign-out: `trackway installations export` exports a visitor.

            The file must not exist yet; only its owner can read it. A download that is
            cut off leaves no file.

            EXAMPLES
              # Export a user.
              trackway users export user-42 --output user-42.zip
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "User id.")
    var user: String

    @OptionGroup var archive: ArchiveOptions

    /// Checks the arguments.
    func validate() throws {
        guard !user.isEmpty else { throw ValidationError("the user id is empty") }
    }

    /// Downloads the archive.
    func run() async throws {
        try await archive.export(user, "/v1/users/\(CollectorAddress.escape(user))/export", collector)
    }
}

/// Exports everything that the collector has about the visitor of an installation.
struct InstallationsExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything known about a visitor to a ZIP archive.",
        discussion: """
            The visitor is the person who used the installation without signing in. If
            all its anonymous events belong to one user, that user is exported. The
            archive is the same as that of `trackway users export`.

            EXAMPLES
              # Export the visitor of an installation.
              trackway installations export 0199a1b2-… --output visitor.zip
            """
    )

    @OptionGroup var collector: CollectorOptions

    @Argument(help: "Installation id.")
    var installation: String

    @OptionGroup var archive: ArchiveOptions

    /// Checks the format of the installation id.
    func validate() throws {
        guard InstallationID(installation) != nil else {
            throw ValidationError("“\(installation)” is not an installation id: ids have 36 characters")
        }
    }

    /// Downloads the archive.
    func run() async throws {
        let id = InstallationID(installation)?.description ?? installation
        try await archive.export("the visitor of \(id)", "/v1/visitors/\(id)/export", collector)
    }
}

/// The options of commands that write an archive.
struct ArchiveOptions: ParsableArguments {
    @Option(help: "ZIP file to create, such as user-42.zip.")
    var output: String

    /// Checks the path.
    func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output takes the path of a new file") }
    }

    /// Downloads an archive and prints the counts of its contents.
    fileprivate func export(_ name: String, _ path: String, _ collector: CollectorOptions) async throws {
        let download = ArchiveDownload(address: try collector.address(), path: path)
        let (counts, bytes) = try await download.run(to: output)
        Console.standard.write(
            "Exported \(EventLineFormat.plain(name)) to \(output) (\(bytes.grouped) bytes). "
                + "Events: \(counts.events.grouped). Sessions: \(counts.sessions.grouped). "
                + "Installations: \(counts.installations.grouped). Rejected events: \(counts.rejected.grouped)."
        )
    }
}
