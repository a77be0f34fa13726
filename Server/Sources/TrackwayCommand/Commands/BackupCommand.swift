// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Backs up a collector's folder, and checks and restores backups.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up, verify, and restore the collector's data.",
        discussion: """
            Without a subcommand, makes a backup with the arguments of `create`.

            EXAMPLES
              # Back up a collector that may be running.
              trackway backup /mnt/backup --data /var/lib/trackway
              # Check all files of the backup.
              trackway backup verify /mnt/backup
              # Restore it into an empty folder.
              trackway backup restore /mnt/backup --data /var/lib/trackway
            """,
        subcommands: [BackupCreateCommand.self, BackupVerifyCommand.self, BackupRestoreCommand.self],
        defaultSubcommand: BackupCreateCommand.self
    )
}

/// Makes or updates a backup.
struct BackupCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a backup, or update the one in a folder.",
        discussion: """
            Copies the log, keys, boards, alerts, erasures, and all other files of the
            collector's folder except the index, which is rebuilt from the log. The
            collector may run. A folder with an earlier backup gets only new and changed
            files; if the command is interrupted, the earlier backup stays complete.

            EXAMPLES
              # Back up a collector.
              trackway backup /mnt/backup --data /var/lib/trackway
              # Copy all files again, and replace damaged ones.
              trackway backup /mnt/backup --full
            """
    )

    @Argument(help: "Folder of the backup: new, empty, or with an earlier backup.")
    var target: String

    @OptionGroup var folder: DataOptions

    @Flag(help: "Copy all files again, and replace damaged ones.")
    var full = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Checks the folder of the backup.
    func validate() throws { try BackupPath.validate(target) }

    /// Makes the backup and prints what it contains.
    func run() async throws {
        let (source, target) = (folder.folder.path, BackupPath.absolute(target))
        try BackupPath.checkSeparate(source, target)
        let writer = BackupWriter(
            source: source,
            target: target,
            program: TrackwayVersion.current,
            isFull: full,
            attributes: FileAttributes.ofFile
        )
        let report = try BackupPath.run { onProgress throws(BackupError) in
            try writer.run(
                at: SystemClock().now().wall,
                randomUInt64: CollectorHost.randomUInt64,
                onProgress: onProgress
            )
        }
        if json { return Console.standard.write(json: BackupText.json(report)) }
        Console.standard.write(timed: BackupText.report(report, target: target, style: Console.standard.style))
    }
}

/// Checks a backup.
struct BackupVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare all files of a backup with its checksums.",
        discussion: """
            The exit status is 1 if a file is missing or has changed.

            EXAMPLES
              # Check a backup.
              trackway backup verify /mnt/backup
            """
    )

    @Argument(help: "Folder of the backup.")
    var target: String

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Checks the folder of the backup.
    func validate() throws { try BackupPath.validate(target) }

    /// Checks the files; the exit status is the result.
    func run() async throws {
        let verification = BackupVerification(folder: BackupPath.absolute(target))
        let report = try BackupPath.run { onProgress throws(BackupError) in
            try verification.run(onProgress: onProgress)
        }
        if json { Console.standard.write(json: BackupText.json(report)) }
        guard report.problems.isEmpty else {
            throw CommandFailure(
                .negative,
                BackupText.problems(report.problems),
                remedy: "if the collector still has its data, replace the files with `trackway backup \(target) --full`"
            )
        }
        guard !json else { return }
        let lines = BackupText.contents(report.manifest, style: Console.standard.style)
        Console.standard.write(timed: ["All files of the backup are intact."] + lines)
    }
}

/// Restores a backup.
struct BackupRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into an empty folder.",
        discussion: """
            Each file is checked. If a file is damaged, the folder is emptied again. After
            an interruption, run the command again: until then, no collector starts in
            the folder. After the restore, back up to another folder until you no longer
            need the old backup.

            EXAMPLES
              # Restore a backup, and start the collector.
              trackway backup restore /mnt/backup --data /var/lib/trackway
              trackway serve --data /var/lib/trackway
            """
    )

    @Argument(help: "Folder of the backup.")
    var target: String

    @OptionGroup var folder: DataOptions

    @Flag(help: "Print the result as JSON.")
    var json = false

    /// Checks the folder of the backup.
    func validate() throws { try BackupPath.validate(target) }

    /// Restores the files and prints what they contain.
    func run() async throws {
        let (data, target) = (folder.folder.path, BackupPath.absolute(target))
        try BackupPath.checkSeparate(data, target)
        let restoration = BackupRestoration(backup: target, folder: data, attributes: FileAttributes.ofFile)
        let manifest = try BackupPath.run { onProgress throws(BackupError) in
            try restoration.run(at: SystemClock().now().wall, onProgress: onProgress)
        }
        if json { return Console.standard.write(json: .members(("restored", BackupText.json(manifest)))) }
        Console.standard.write(timed: BackupText.restored(manifest, folder: data, style: Console.standard.style))
    }
}

/// The paths and failures of the backup commands.
enum BackupPath {
    /// Checks an argument.
    static func validate(_ path: String) throws {
        guard !path.isEmpty else { throw ValidationError("the folder of the backup is empty") }
    }

    /// Returns a path without relative components.
    static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// Checks that neither folder contains the other.
    static func checkSeparate(_ data: String, _ target: String) throws(CommandFailure) {
        let (data, target) = (components(data), components(target))
        guard !data.starts(with: target), !target.starts(with: data) else {
            throw CommandFailure(
                .usage,
                "the backup's folder and the collector's folder contain each other",
                remedy: "pass a folder on another disk"
            )
        }
    }

    private static func components(_ path: String) -> [String] {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().pathComponents
    }

    /// Runs an operation with a progress line on a terminal, and converts its failure.
    static func run<Result>(
        _ operation: (_ onProgress: (Int, Int) -> Void) throws(BackupError) -> Result
    ) throws(CommandFailure) -> Result {
        defer { Console.standard.redraw("") }
        do throws(BackupError) {
            return try operation { done, total in
                var bar = ProgressBar()
                (bar.done, bar.total) = (UInt64(clamping: done), UInt64(clamping: total))
                bar.note = "\(done.grouped) of \(total.grouped) bytes"
                Console.standard.redraw(bar.line(width: Console.standard.width))
            }
        } catch {
            let status: CommandStatus =
                switch error.kind {
                case .unusable: .cannotCreate
                case .inUse: .temporary
                case .missing: .inputMissing
                case .damaged: .malformedInput
                case .inputOutput: .inputOutput
                }
            throw CommandFailure(status, error.message, remedy: error.remedy)
        }
    }
}
