// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

extension SiftContent {
    /// Decodes an event from an archive.
    ///
    /// - Parameter now: The time of the event if the archive contains none.
    init(_ coder: NSCoder, orAt now: UInt64) {
        self.init(time: coder.containsValue(forKey: "time") ? UInt64(clamping: coder.decodeInt64(forKey: "time")) : now)
        type = coder.text("type")
        path = coder.text("path")
        userId = coder.text("userId")
        installationId = coder.text("installationId")
        fields = coder.texts("fields")
        deviceProperties = coder.texts("deviceProperties")
        metrics = coder.texts("metrics")
        iosAppState = coder.attributes("iosAppState")
        iosDeviceProperties = coder.attributes("iosDeviceProperties")
    }

    /// Writes every member into an archive.
    func encode(with coder: NSCoder) {
        coder.encode(Int64(clamping: time), forKey: "time")
        coder.encode(type, "type")
        coder.encode(path, "path")
        coder.encode(userId, "userId")
        coder.encode(installationId, "installationId")
        coder.encode(fields, "fields")
        coder.encode(deviceProperties, "deviceProperties")
        coder.encode(metrics, "metrics")
        coder.encode(iosAppState, "iosAppState")
        coder.encode(iosDeviceProperties, "iosDeviceProperties")
    }
}

extension NSCoder {
    fileprivate func text(_ key: String) -> String? {
        // Some decoders treat decoding a missing key as an error.
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: NSString.self, forKey: key).map { "\($0)" }
    }

    fileprivate func texts(_ key: String) -> SiftStrings? {
        guard let texts = dictionary(key) else { return nil }
        var entries: [AnyHashable: Any] = [:]
        for (name, text) in texts { entries["\(name)"] = "\(text)" }
        // Invalid entries stay invalid: archiving must not make an invalid event valid.
        let invalidEntries = dictionary(Self.invalidEntriesKey(for: key))
        var content = SiftStrings(entries)
        for (name, value) in invalidEntries ?? [:] {
            content.add(SiftStrings.InvalidEntry(name: "\(name)", value: "\(value)"))
        }
        return content
    }

    private func dictionary(_ key: String) -> NSDictionary? {
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: [NSDictionary.self, NSString.self], forKey: key) as? NSDictionary
    }

    fileprivate func attributes(_ key: String) -> Attributes? {
        // An archive from another client has no string here, only objects that this client cannot decode.
        text(key).flatMap { text in try? JSONValue.parse(Array(text.utf8)) }?.object.map { Attributes($0) }
    }

    fileprivate func encode(_ text: String?, _ key: String) {
        if let text { encode(NSString(string: text), forKey: key) }
    }

    fileprivate func encode(_ texts: SiftStrings?, _ key: String) {
        guard let texts else { return }
        encode(NSDictionary(dictionary: texts.texts), forKey: key)
        guard !texts.invalidEntries.isEmpty else { return }
        let invalidEntries = Dictionary(texts.invalidEntries.map { ($0.name, $0.value) }) { first, _ in first }
        encode(NSDictionary(dictionary: invalidEntries), forKey: Self.invalidEntriesKey(for: key))
    }

    fileprivate func encode(_ attributes: Attributes?, _ key: String) {
        guard let attributes else { return }
        encode(String(decoding: JSONValue.object(attributes.json).json(), as: UTF8.self), key)
    }

    private static func invalidEntriesKey(for key: String) -> String { "\(key).noTexts" }
}
