// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// The file `amplifyconfiguration.json`, which the solution's console generates for an app.
package enum ClickstreamConfigurationFile {
    /// Returns the content of the main bundle's file.
    ///
    /// Returns nil if the file does not exist.
    package static func readFromMainBundle() throws(ClickstreamError) -> [UInt8]? {
        guard let url = Bundle.main.url(forResource: "amplifyconfiguration", withExtension: "json") else {
            return nil
        }
        do {
            return Array(try Data(contentsOf: url))
        } catch {
            throw ClickstreamError(.invalidFile, "amplifyconfiguration.json cannot be read: \(error)")
        }
    }

    /// The supported keys of the plug-in.
    private static let keys = [
        "appId", "endpoint", "isCompressEvents", "isTrackAppExceptionEvents", "isLogEvents", "autoFlushEventsInterval",
    ]

    /// Returns the settings in a file's content.
    static func settings(_ content: [UInt8]) throws(ClickstreamError) -> ClickstreamSettings {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue.parse(content)
        } catch {
            throw ClickstreamError(.invalidFile, "amplifyconfiguration.json is not JSON: \(error)")
        }
        let plugins = json["analytics"]?["plugins"]?.object?.members ?? []
        // In the documentation, the name has a trailing space, which some files contain, too.
        guard let plugin = plugins.last(where: { $0.key.filter { $0 != " " } == "awsClickstreamPlugin" })?.value else {
            return ClickstreamSettings()
        }
        guard plugin.object != nil else { throw invalidValue("awsClickstreamPlugin", "an object") }
        var settings = ClickstreamSettings()
        settings.appID = try text("appId", in: plugin)
        settings.endpoint = try text("endpoint", in: plugin)
        settings.isCompressingEvents = try boolean("isCompressEvents", in: plugin)
        settings.isTrackingAppExceptions = try boolean("isTrackAppExceptionEvents", in: plugin)
        settings.isLoggingEvents = try boolean("isLogEvents", in: plugin)
        settings.unknownKeys = (plugin.object?.members ?? []).map(\.key).filter { !keys.contains($0) }
        if let interval = plugin["autoFlushEventsInterval"] {
            guard let number = interval.double, number >= 0, number <= 1e12 else {
                throw invalidValue("autoFlushEventsInterval", "a number of milliseconds, 0 or more")
            }
            // If `Int` has 32 bits, use the longest interval that fits: several weeks.
            settings.sendEventsInterval = Int(exactly: number.rounded()) ?? .max
        }
        return settings
    }

    private static func text(_ key: String, in plugin: JSONValue) throws(ClickstreamError) -> String? {
        guard let value = plugin[key] else { return nil }
        guard let text = value.string else { throw invalidValue(key, "a string") }
        return text
    }

    private static func boolean(_ key: String, in plugin: JSONValue) throws(ClickstreamError) -> Bool? {
        guard let value = plugin[key] else { return nil }
        guard let boolean = value.boolean else { throw invalidValue(key, "true or false") }
        return boolean
    }

    private static func invalidValue(_ key: String, _ expected: String) -> ClickstreamError {
        ClickstreamError(.invalidFile, "\"\(key)\" in amplifyconfiguration.json must be \(expected).")
    }
}

extension Diagnostic {
    /// Creates a diagnostic for an unknown key of the plug-in.
    init(unknownKey key: String) {
        self.init(
            code: .configurationKeyUnknown,
            field: "amplifyconfiguration.json: analytics.plugins.awsClickstreamPlugin",
            value: key,
            message: "The key \(key.quoted) is unknown and was ignored.",
            recoverySuggestion: "Correct its spelling, remove it, or set it with ClickstreamConfiguration."
        )
    }
}
