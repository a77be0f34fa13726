// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
public import TrackwayJournal

/// The remote configuration that clients of Sensors Analytics ask for: a JSON file the operator writes, handed out as it is.
public struct SensorsConfigurationFile: Sendable {
    /// The file as it is now.
    public struct Content: Sendable, Hashable {
        /// Its bytes.
        public var bytes: [UInt8]
        /// Its version: `v`.
        public var version: String?
        /// The version of what is in it: `configs.nv`.
        public var contentVersion: String?
        /// A strong entity tag, quotes included.
        public var entityTag: String
    }

    /// The file's path.
    public let path: String
    private let storage: any JournalStorage
    /// No configuration is longer than this.
    private static let longest = 1 << 20

    /// The file at a path; it need not be there.
    public init(path: String, storage: any JournalStorage = DiskStorage()) {
        self.path = path
        self.storage = storage
    }

    /// What the file says now; nil when there is none. Read each time: clients ask once a day, and operators want no restart.
    ///
    /// - Throws: ``StoreError`` when it cannot be read or is not a JSON object.
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
        guard json.object != nil else { throw StoreError("\(path) is no JSON object") }
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
