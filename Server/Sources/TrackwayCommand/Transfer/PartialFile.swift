// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayJournal

/// A new file that gets its name only when it is complete.
///
/// Until then, its name ends with `.partial`. Only its owner can read it, because it contains personal data.
final class PartialFile {
    private let path: String
    /// The file, for reading and writing.
    let handle: FileHandle

    private var partial: String { path + ".partial" }

    /// Creates the file.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate` if the file exists or cannot be created.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .cannotCreate,
                "\(path) already exists",
                remedy: "with --output, pass the path of a new file"
            )
        }
        let isCreated = FileManager.default.createFile(
            atPath: path + ".partial",
            contents: nil,
            attributes: [.posixPermissions: 0o600]
        )
        guard isCreated, let handle = FileHandle(forUpdatingAtPath: path + ".partial") else {
            throw CommandFailure(
                .cannotCreate,
                "\(path).partial cannot be created",
                remedy: "with --output, pass a path in a writable folder"
            )
        }
        self.handle = handle
    }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandFailure`` `inputOutput`.
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            throw failure(error)
        }
    }

    /// Gives the complete file its name.
    ///
    /// - Throws: ``CommandFailure`` `inputOutput`; `cannotCreate` if another command has created the file meanwhile.
    func finish() throws(CommandFailure) {
        let isNamed: Bool
        do {
            try handle.synchronize()
            try handle.close()
            isNamed = try DiskStorage().renameExclusively(partial, to: path)
        } catch {
            throw failure(error)
        }
        guard isNamed else {
            throw CommandFailure(
                .cannotCreate,
                "\(path) was created by another command meanwhile",
                remedy: "with --output, pass the path of a new file"
            )
        }
    }

    /// Removes the incomplete file.
    func discard() {
        do {
            try FileManager.default.removeItem(atPath: partial)
        } catch {
            // The name says that the file is incomplete.
        }
    }

    private func failure(_ error: any Error) -> CommandFailure {
        CommandFailure(
            .inputOutput,
            "\(path) cannot be written: \(error.localizedDescription)",
            remedy: "check the free space and the permissions of its folder"
        )
    }
}
