// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import TrackwayCore

/// A prepared statement whose values are bound directly from memory.
///
/// Bodies are not copied, and values are not boxed.
///
/// A statement belongs to the connection that prepared it; use it only within one access to that connection.
struct RawStatement {
    private let statement: Statement
    private let handle: OpaquePointer

    /// Creates the statement for `sql`, which is prepared once per connection.
    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        handle = statement.sqliteStatement
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    // MARK: Binding, from 1

    func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }

    func bind(_ index: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds a number; values beyond SQLite's range are clamped to its maximum.
    func bind(_ index: Int32, _ value: UInt64?) {
        bind(index, value.map { Int64(clamping: $0) })
    }

    /// Binds text without copying it.
    ///
    /// The bytes must stay valid at their address until the statement has run.
    func bindText(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        sqlite3_bind_text64(handle, index, start ?? Self.empty, UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
    }

    /// Binds a blob without copying it.
    ///
    /// The bytes must stay valid at their address until the statement has run.
    func bindBlob(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty {
            sqlite3_bind_zeroblob(handle, index, 0)
        } else {
            sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
        }
    }

    func bind(_ index: Int32, _ value: String?) {
        guard var value else {
            sqlite3_bind_null(handle, index)
            return
        }
        value.withUTF8 { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text64(
                    handle,
                    index,
                    $0.baseAddress ?? Self.empty,
                    UInt64(bytes.count),
                    Self.transient,
                    UInt8(SQLITE_UTF8)
                )
            }
        }
    }

    func bind(_ index: Int32, _ value: [UInt8]) {
        value.withUnsafeBytes { bytes in
            _ =
                bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), Self.transient)
        }
    }

    /// Binds an id as its sixteen bytes.
    ///
    /// The bytes are in the order of the id's text, so ids in the file sort by time.
    func bind(_ index: Int32, _ id: some UniqueID) {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2) { words in
            words[0] = id.high.bigEndian
            words[1] = id.low.bigEndian
            sqlite3_bind_blob64(handle, index, words.baseAddress, 16, Self.transient)
        }
    }

    // MARK: Running

    /// Advances to the next row.
    ///
    /// Returns false after the last row; the statement can then be run again.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        case let code:
            let message = sqlite3_db_handle(handle).flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
            sqlite3_reset(handle)
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
        }
    }

    /// Runs a statement that returns no rows.
    func run() throws {
        while try step() {}
    }

    /// Resets the statement before its last row is read.
    func reset() {
        sqlite3_reset(handle)
    }

    // MARK: Reading, from 0

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Passes the bytes of a column to a closure without copying them.
    ///
    /// The bytes are valid until the next step.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let start = sqlite3_column_blob(handle, column)
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_blob(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    func id<ID: UniqueID>(_ column: Int32, as type: ID.Type = ID.self) -> ID? {
        guard let start = sqlite3_column_blob(handle, column), sqlite3_column_bytes(handle, column) == 16 else {
            return nil
        }
        let high = start.loadUnaligned(as: UInt64.self)
        let low = start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        return ID(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
    }

    /// The destructor value that makes SQLite copy the bound bytes.
    private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
    /// An address for empty text; without an address, SQLite would bind null.
    private static var empty: UnsafePointer<CChar> {
        let nothing: StaticString = ""
        return UnsafeRawPointer(nothing.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension UniqueID {
    /// The sixteen bytes of the id, as the index stores them.
    var blob: Data {
        withUnsafeBytes(of: high.bigEndian) { Data($0) } + withUnsafeBytes(of: low.bigEndian) { Data($0) }
    }

    /// Creates an id from its sixteen bytes; nil for any other length.
    init?(blob: Data?) {
        guard let blob, blob.count == 16 else { return nil }
        func word(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: word(blob.prefix(8)), low: word(blob.suffix(8)))
    }
}
