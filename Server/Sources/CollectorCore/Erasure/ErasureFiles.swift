// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// The folder with a collector's erasure plans and receipts.
///
/// A plan is a file `<erasure>.plan`, which exists until its erasure is complete. A receipt is a file `<erasure>.json`,
/// which the collector keeps. Thread-safe; one process at a time may use the folder.
public struct ErasureFiles: Sendable {
    /// The absolute path of the folder.
    public let folder: String
    private let storage: any JournalStorage

    private static let planSuffix = ".plan"
    private static let receiptSuffix = ".json"

    /// Opens the folder, creating it if it is missing.
    ///
    /// Deletes files that a killed process left behind.
    ///
    /// - Throws: `StorageError`.
    public init(folder: String, storage: any JournalStorage = DiskStorage()) throws {
        self.folder = folder
        self.storage = storage
        try storage.makeFolder(folder)
        // Flushing the names in a folder does not flush the folder's own name.
        if let end = folder.lastIndex(of: "/"), end > folder.startIndex {
            try storage.synchronizeFolder(String(folder[..<end]))
        }
        for name in try storage.names(in: folder) where name.contains("~") {
            try storage.remove(folder + "/" + name)
        }
    }

    /// Whether there are neither plans nor receipts.
    public var isEmpty: Bool { get throws { try storage.names(in: folder).isEmpty } }

    /// Returns the plans of all incomplete erasures, oldest first.
    ///
    /// - Throws: `StorageError`, or ``ErasureError`` that names an unreadable file.
    public func plans() throws -> [ErasurePlan] {
        try names(with: Self.planSuffix).compactMap { name in
            guard let bytes = try storage.contents(of: folder + "/" + name) else { return nil }
            do {
                return try ErasurePlan(json: bytes)
            } catch {
                throw ErasureError("\(folder)/\(name): \(error)")
            }
        }
    }

    /// Returns all receipts, newest first.
    ///
    /// - Throws: `StorageError`, or ``ErasureError`` that names an unreadable file.
    public func receipts() throws -> [ErasureReceipt] {
        try names(with: Self.receiptSuffix).reversed().compactMap { name in
            guard let bytes = try storage.contents(of: folder + "/" + name) else { return nil }
            do {
                return try ErasureReceipt(json: bytes)
            } catch {
                throw ErasureError("\(folder)/\(name): \(error)")
            }
        }
    }

    /// Returns the receipt of an erasure; nil if the erasure is incomplete or unknown.
    ///
    /// - Throws: `StorageError`, or ``ErasureError`` if the file cannot be read as a receipt.
    public func receipt(_ id: String) throws -> ErasureReceipt? {
        guard Self.isName(id), let bytes = try storage.contents(of: path(id, Self.receiptSuffix)) else { return nil }
        return try ErasureReceipt(json: bytes)
    }

    /// Returns the plan of an erasure; nil if the erasure is complete or unknown.
    ///
    /// - Throws: `StorageError`, or ``ErasureError`` if the file cannot be read as a plan.
    public func plan(_ id: String) throws -> ErasurePlan? {
        guard Self.isName(id), let bytes = try storage.contents(of: path(id, Self.planSuffix)) else { return nil }
        return try ErasurePlan(json: bytes)
    }

    /// Stores a plan durably, replacing an earlier version.
    public func save(_ plan: ErasurePlan) throws(StorageError) {
        try storage.replace(path(plan.id, Self.planSuffix), with: plan.json, durably: true)
    }

    /// Stores a receipt durably, unless the erasure already has one.
    public func save(_ receipt: ErasureReceipt) throws(StorageError) {
        let line = receipt.json + [UInt8(ascii: "\n")]
        _ = try storage.create(path(receipt.id, Self.receiptSuffix), with: line, durably: true)
    }

    /// Deletes the plan of a complete erasure.
    public func removePlan(_ id: String) throws(StorageError) {
        try storage.remove(path(id, Self.planSuffix))
        try storage.synchronizeFolder(folder)
    }

    /// Deletes all plans and receipts.
    public func removeAll() throws(StorageError) {
        for name in try storage.names(in: folder) { try storage.remove(folder + "/" + name) }
        try storage.synchronizeFolder(folder)
    }

    private func path(_ id: String, _ suffix: String) -> String { folder + "/" + id + suffix }

    /// Returns the names of the files with a suffix, oldest erasure first.
    private func names(with suffix: String) throws(StorageError) -> [String] {
        let names = try storage.names(in: folder).filter { $0.hasSuffix(suffix) && !$0.contains("~") }
        return names.sorted { left, right in (Self.time(left), left) < (Self.time(right), right) }
    }

    private static func time(_ name: String) -> Int64 { Int64(name.prefix { $0 != "-" }) ?? 0 }

    /// Whether a text from a request may be part of a path.
    private static func isName(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= 64
            && id.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
