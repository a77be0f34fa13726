// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A new file that gets its name only when it is complete.
///
/// Until then, its name ends with `.partial`. Only its owner can read it, because it contains personal data.
final class PartialFile {
    private let path: String
    private let handle: FileHandle

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
        guard isCreated, let handle = FileHandle(forWritingAtPath: path + ".partial") else {
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
    /// - Throws: ``CommandFailure`` `inputOutput`.
    func finish() throws(CommandFailure) {
        do {
            try handle.synchronize()
            try handle.close()
            // Another command may have created the file meanwhile; a link never replaces a file.
            try FileManager.default.linkItem(atPath: partial, toPath: path)
            try FileManager.default.removeItem(atPath: partial)
        } catch {
            throw failure(error)
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
