// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
public import TrackwayJournal

/// One small file that holds everything of a kind that people saved, such as all boards.
///
/// It is written as a whole, in one step, so it is as small as its limit says. A file that is damaged is put aside under another
/// name; one that a later version wrote, or that cannot be read, is left alone. Knows nothing of what stands in it.
public struct SavedFile: Sendable {
    /// Why a file's content cannot be used.
    public enum Problem: Error, Hashable {
        /// It is not what was written.
        case damaged(String)
        /// It was written by a later version of the collector.
        case later(Int64)
    }

    /// The file, as an absolute path; nil keeps nothing.
    private let path: String?
    private let storage: any JournalStorage
    /// What stands in it, for people: “boards”.
    private let noun: String
    /// The most bytes that are written, unless less is kept than before.
    private let limit: Int

    /// A file; nothing is read yet.
    ///
    /// - Parameters:
    ///   - path: the file, as an absolute path; nil keeps nothing.
    ///   - storage: where it lies.
    ///   - noun: what stands in it, for people: “boards”.
    ///   - limit: the most bytes that are written.
    public init(_ path: String?, _ storage: any JournalStorage, of noun: String, limit: Int) {
        self.path = path
        self.storage = storage
        self.noun = noun
        self.limit = limit
    }

    /// What stands in the file; nil when there is none, or it was damaged and lies under another name now.
    ///
    /// - Parameters:
    ///   - time: the time, for the name of a damaged file.
    ///   - notice: told what a person should know about the file.
    ///   - parse: reads its bytes.
    /// - Throws: ``SavedError`` `unavailable` when the file must be left as it is; it was told to `notice`, too.
    public func read<Value>(
        at time: Timestamp,
        notice: (String) -> Void,
        _ parse: ([UInt8]) throws(Problem) -> Value
    ) throws(SavedError) -> Value? {
        guard let path else { return nil }
        func fail(_ message: String) -> SavedError {
            notice(message)
            return SavedError(.unavailable, message)
        }
        let bytes: [UInt8]?
        do {
            bytes = try storage.contents(of: path)
        } catch {
            throw fail("The \(noun) cannot be read: \(error). See who may read \(path), and start again.")
        }
        guard let bytes else { return nil }
        do throws(Problem) {
            return try parse(bytes)
        } catch {
            switch error {
            case .later(let version):
                throw fail(
                    "The \(noun) in \(path) were written by a later collector (version \(version)); start that one, or move the file."
                )
            case .damaged(let reason):
                let aside = path + ".damaged-\(time.milliseconds)"
                do {
                    try storage.rename(path, to: aside)
                } catch {
                    throw fail("The \(noun) in \(path) are damaged (\(reason)), and cannot be put aside: \(error).")
                }
                notice(
                    "The \(noun) in \(path) are damaged (\(reason)). The file lies in \(aside) now; there are no \(noun)."
                )
                return nil
            }
        }
    }

    /// Replaces what stands in the file.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - isLess: whether less is kept than before: what makes room is always allowed.
    ///   - durably: whether it has to survive a loss of power.
    /// - Throws: ``SavedError`` `full`, or `unavailable` when it could not be written; the file is then as before.
    public func write(_ bytes: [UInt8], isLess: Bool = false, durably: Bool = true) throws(SavedError) {
        guard let path else { return }
        guard bytes.count <= limit || isLess else {
            throw SavedError(
                .full,
                "All \(noun) together would take \(bytes.count) bytes; \(limit) are allowed. Delete what nobody needs."
            )
        }
        do {
            try storage.replace(path, with: bytes, durably: durably)
        } catch {
            throw SavedError(
                .unavailable,
                "The change could not be saved, and everything is as before: \(error). See whether there is room for \(path), and who may write it."
            )
        }
    }

    /// The content of a file as JSON, if it has the one version that is read.
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
        guard found == version else { throw .later(found) }
        return value
    }

    /// A file's bytes: its version, and a list with one thing a line.
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

/// What is wrong with something that people save, such as a board, or keeps it from being read or changed.
public struct SavedError: Error, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Kind: Sendable, Hashable {
        /// What was sent is none.
        case malformed
        /// There is none of this name.
        case notFound
        /// Somebody else has changed it.
        case changed
        /// It cannot be changed: it is ready-made.
        case readyMade
        /// There is no room for more.
        case full
        /// The file cannot be read or written.
        case unavailable
    }

    /// What kind of failure it is.
    public var kind: Kind
    /// The member at fault, such as `cards[2].title`; empty when there is none.
    public var field: String
    /// One sentence with the value, and what helps.
    public var message: String

    /// An error.
    public init(_ kind: Kind, field: String = "", _ message: String) {
        self.kind = kind
        self.field = field
        self.message = message
    }

    public var description: String { message }

    /// Sees that somebody changes what there is.
    ///
    /// - Parameters:
    ///   - found: the version there is.
    ///   - version: the version that was changed.
    ///   - noun: what has the version: “board”.
    /// - Throws: `changed` when it is another one.
    static func see(_ found: Int64, is version: Int64, of noun: String) throws(SavedError) {
        guard found != version else { return }
        throw SavedError(
            .changed,
            field: "version",
            "Somebody has changed the \(noun): it is version \(found) now, and what was sent was made from \(version). "
                + "Nothing was saved: read the \(noun) again, make the change once more, and send it with the new version."
        )
    }
}
