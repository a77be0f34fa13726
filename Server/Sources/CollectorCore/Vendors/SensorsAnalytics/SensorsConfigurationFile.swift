// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
public import TrackwayJournal

/// The remote configuration for clients of Sensors Analytics.
///
/// The configuration is a JSON file that the operator writes. The collector serves it unchanged.
public struct SensorsConfigurationFile: Sendable {
    /// The current content of the file.
    public struct Content: Sendable, Hashable {
        /// The bytes of the file.
        public var bytes: [UInt8]
        /// The version of the configuration, from `v`.
        public var version: String?
        /// The version of the configuration's contents, from `configs.nv`.
        public var contentVersion: String?
        /// A strong entity tag, including quotes.
        public var entityTag: String
    }

    /// The file's path.
    public let path: String
    private let storage: any JournalStorage
    /// The maximum length of a configuration in bytes.
    private static let longest = 1 << 20

    /// Creates a reader of a configuration file, which may be missing.
    public init(path: String, storage: any JournalStorage = DiskStorage()) {
        self.path = path
        self.storage = storage
    }

    /// Reads the file; nil if it is missing.
    ///
    /// The file is read each time: clients request the configuration once a day, and operators should not have to
    /// restart the collector.
    ///
    /// - Throws: ``StoreError`` if it cannot be read or is not a JSON object.
    public func read() throws(StoreError) -> Content? {
        let bytes: [UInt8]?
        do {
            bytes = try storage.contents(of: path)
        } catch {
            throw StoreError("\(path) cannot be read: \(error)")
        }
        guard let bytes else { return nil }
        let json: JSONValue
        do {
            json = try JSONValue.parse(bytes, limits: JSONLimits(bytes: Self.longest))
        } catch {
            throw StoreError("\(path) is not valid JSON: \(error)")
        }
        guard json.object != nil else { throw StoreError("\(path) is not a JSON object") }
        return Content(
            bytes: bytes,
            version: Self.text(json["v"]),
            contentVersion: Self.text(json["configs"]?["nv"]),
            entityTag: WebAsset.entityTag(of: bytes)
        )
    }

    private static func text(_ value: JSONValue?) -> String? {
        value?.string ?? value?.integer.map(String.init)
    }
}
