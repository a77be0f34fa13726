// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
public import TrackwayJournal

/// A small file with all saved objects of one kind.
///
/// Boards, for example, are one kind.
///
/// The file is always written as a whole and atomically, so its size is limited. A damaged file is renamed. A file that
/// is unreadable or was written by a later version is left unchanged. This type does not interpret the saved objects.
public struct SavedFile: Sendable {
    /// The reason why a file's content cannot be used.
    public enum Problem: Error, Hashable {
        /// The file's content is damaged.
        case damaged(String)
        /// The file was written by a later version of the collector.
        case newerVersion(Int64)
    }

    /// The file's absolute path; if nil, nothing is stored.
    private let path: String?
    private let storage: any JournalStorage
    /// The name of the contents in messages, such as “boards”.
    private let noun: String
    /// The maximum number of bytes written, unless the contents shrink.
    private let limit: Int

    /// Creates a file without reading it.
    ///
    /// - Parameters:
    ///   - path: The file's absolute path; if nil, nothing is stored.
    ///   - storage: The storage of the file.
    ///   - noun: The name of the contents in messages, such as “boards”.
    ///   - limit: The maximum number of bytes written.
    public init(_ path: String?, _ storage: any JournalStorage, of noun: String, limit: Int) {
        self.path = path
        self.storage = storage
        self.noun = noun
        self.limit = limit
    }

    /// Reads the file.
    ///
    /// Nil if it is missing, or was damaged and renamed.
    ///
    /// - Parameters:
    ///   - time: The current time, for the name of a damaged file.
    ///   - onWarning: Called with messages for the operator about the file.
    ///   - parse: Parses the file's bytes.
    /// - Throws: ``SavedError`` `unavailable` if the file must be left as it is; `onWarning` is called as well.
    public func read<Value>(
        at time: Timestamp,
        onWarning: (String) -> Void,
        _ parse: ([UInt8]) throws(Problem) -> Value
    ) throws(SavedError) -> Value? {
        guard let path else { return nil }
        func fail(_ message: String) -> SavedError {
            onWarning(message)
            return SavedError(.unavailable, message)
        }
        let bytes: [UInt8]?
        do {
            bytes = try storage.contents(of: path)
        } catch {
            throw fail("The \(noun) cannot be read: \(error). Check the permissions of \(path), and start again.")
        }
        guard let bytes else { return nil }
        do throws(Problem) {
            return try parse(bytes)
        } catch {
            switch error {
            case .newerVersion(let version):
                throw fail(
                    """
                    The \(noun) in \(path) were written by a later version of the collector (file version \(version)); \
                    use that version, or move the file.
                    """
                )
            case .damaged(let reason):
                let renamed = path + ".damaged-\(time.milliseconds)"
                do {
                    try storage.rename(path, to: renamed)
                } catch {
                    throw fail("The \(noun) in \(path) are damaged (\(reason)) and could not be renamed: \(error).")
                }
                onWarning(
                    "The \(noun) in \(path) are damaged (\(reason)). The file is now \(renamed); no \(noun) were loaded."
                )
                return nil
            }
        }
    }

    /// Replaces the contents of the file.
    ///
    /// - Parameters:
    ///   - bytes: The new contents.
    ///   - isShrinking: Whether the new contents are smaller than the old ones: freeing space is always allowed.
    ///   - durably: Whether the new contents must survive power loss.
    /// - Throws: ``SavedError`` `full`, or `unavailable` if the contents could not be written; in these cases the file
    ///   is unchanged.
    public func write(_ bytes: [UInt8], isShrinking: Bool = false, durably: Bool = true) throws(SavedError) {
        guard let path else { return }
        guard bytes.count <= limit || isShrinking else {
            throw SavedError(
                .full,
                "All \(noun) together would take \(bytes.count) bytes; the limit is \(limit). Delete unused ones."
            )
        }
        do {
            try storage.replace(path, with: bytes, durably: durably)
        } catch {
            throw SavedError(
                .unavailable,
                """
                The change was not saved: \(error). \
                Check the free space for \(path), and its permissions.
                """
            )
        }
    }

    /// Parses a file's content as JSON, if it has the supported version.
    ///
    /// - Throws: ``Problem``.
    public static func document(_ bytes: [UInt8], version: Int64, limit: Int) throws(Problem) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes, limits: JSONLimits(bytes: 4 * limit, depth: 16))
        } catch {
            throw .damaged("\(error)")
        }
        guard let found = value["version"]?.integer else { throw .damaged("it has no version") }
        guard found == version else { throw .newerVersion(found) }
        return value
    }

    /// Returns a file's bytes: its version and a list.
    ///
    /// Each element of the list is on its own line.
    public static func bytes<Row>(
        version: Int64,
        _ name: String,
        _ rows: [Row],
        _ write: (Row, inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", version)
        writer.list(name, rows) { row, writer in
            writer.raw([UInt8(ascii: "\n")])
            write(row, &writer)
        }
        writer.endObject()
        return writer.array() + [UInt8(ascii: "\n")]
    }
}

/// An error in a saved object, or in reading or changing it.
///
/// Saved objects are boards, for example.
public struct SavedError: Error, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Kind: Sendable, Hashable {
        /// The content that was sent is invalid.
        case malformed
        /// No object has this name.
        case notFound
        /// Another client has changed the object.
        case changed
        /// The object is built in and cannot be changed.
        case builtIn
        /// The space for saved objects is used up.
        case full
        /// The file cannot be read or written.
        case unavailable
    }

    /// The kind of failure.
    public var kind: Kind
    /// The invalid member, such as `cards[2].title`; empty if no member is.
    public var field: String
    /// A sentence that names the value and the remedy.
    public var message: String

    /// Creates an error.
    public init(_ kind: Kind, field: String = "", _ message: String) {
        self.kind = kind
        self.field = field
        self.message = message
    }

    public var description: String { message }

    /// Checks that a change is based on the current version.
    ///
    /// - Parameters:
    ///   - found: The current version.
    ///   - version: The version that the change is based on.
    ///   - noun: The name of the object, such as “board”.
    /// - Throws: `changed` if the versions differ.
    static func checkVersion(_ found: Int64, is version: Int64, of noun: String) throws(SavedError) {
        guard found != version else { return }
        throw SavedError(
            .changed,
            field: "version",
            "The \(noun) has changed: it is version \(found) now, and the request was based on version \(version). "
                + "Nothing was saved: read the \(noun) again, repeat the change, and send it with the new version."
        )
    }
}
