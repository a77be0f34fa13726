// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

extension DeviceFacts {
    /// The maximum length of a string; longer ones are truncated.
    private static let textBytes = 256

    /// Reads the facts of a context, ignoring members of unexpected types.
    ///
    /// - Complexity: O(bytes of the context); only these facts are decoded.
    public init(context: UnsafeRawBufferPointer) {
        self.init()
        if let part = Self.part("app", of: context) {
            app = Self.text("id", of: part)
            version = Self.text("version", of: part)
        }
        guard let part = Self.part("device", of: context) else { return }
        model = Self.text("model", of: part)
        let name = Self.text("os_name", of: part) ?? Self.text("platform", of: part)
        let parts = [name, Self.text("os_version", of: part)].compactMap(\.self)
        if !parts.isEmpty { system = parts.joined(separator: " ") }
    }

    private static func part(_ key: StaticString, of context: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        do throws(JSONError) {
            guard let range = try JSONScanner.member(key, of: context) else { return nil }
            return UnsafeRawBufferPointer(rebasing: context[range])
        } catch {
            return nil  // Admission checked the text, so the context is not an object and has no facts.
        }
    }

    private static func text(_ key: StaticString, of object: UnsafeRawBufferPointer) -> String? {
        ContextFacts.text(key, of: object)?.truncated(toUTF8Count: textBytes)
    }
}
