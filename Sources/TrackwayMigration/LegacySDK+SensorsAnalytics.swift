// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayLifecycle

extension LegacySDK {
    /// The Sensors Analytics SDK.
    ///
    /// The SDK stores each part of its state in an archive, one flag in user defaults, and pending events in an SQLite
    /// database. The events are only counted: some of them may be encrypted, and the ids that distinguish them are not
    /// event ids in this SDK.
    package static func sensorsAnalytics(in location: LegacyStorageLocation? = nil) -> LegacySDK {
        let location = location ?? .system()
        return LegacySDK(
            name: "Sensors Analytics",
            destination: "sensors-analytics",
            in: location,
            state: { limits throws(StorageError) in
                try SensorsAnalyticsState.read(from: location, limits)
            },
            pendingEvents: { () throws(StorageError) in
                let name = "/sensorsanalytics-message-v2.plist"
                for path in [location.library + name, location.caches + name]
                where try location.storage.size(of: path) != nil {
                    do throws(LegacyDatabase.Fault) {
                        let scratch = "\(location.scratch)/trackway-take-over-sensors-analytics"
                        let database = try LegacyDatabase(copying: path, into: scratch)
                        return .counted(Int(clamping: try database.number("SELECT count(*) FROM dataCache")))
                    } catch {
                        return .unknown(Diagnostic(database: path, error))
                    }
                }
                return .counted(0)
            }
        )
    }
}

/// The state of the Sensors Analytics SDK.
enum SensorsAnalyticsState {
    /// The ids that the app does not set.
    ///
    /// These are the ids of the device, the visitor, and the signed-in user.
    private static let sdkKeys: Set<String> = [
        "$identity_login_id", "$identity_anonymous_id", "$identity_idfv", "$identity_ios_uuid", "$identity_mac_uuid",
        "$identity_mac_serial_id", "$mac_serial_id", "$identity_cookie_id",
    ]

    /// Reads the SDK's files, whose names differ on macOS.
    static func read(from location: LegacyStorageLocation, _ limits: EventLimits) throws(StorageError) -> LegacyState {
        var files: [String: [UInt8]] = [:]
        for key in keys {
            for prefix in ["sensorsanalytics-", "com.sensorsdata.analytics.mini.SensorsAnalyticsSDK."] {
                guard files[key] == nil else { continue }
                files[key] = try location.contents(of: "\(location.library)/\(prefix)\(key).plist")
            }
        }
        return state(of: files, hasLaunched: location.value("HasLaunchedOnce"), limits)
    }

    private static let keys = [
        "distinct_id", "login_id", "com.sensorsdata.loginidkey", "com.sensorsdata.identities", "first_day",
        "super_properties",
    ]

    /// Returns the state that the SDK's files contain.
    ///
    /// - Parameters:
    ///   - files: The archives by key.
    ///   - hasLaunched: The flag that records the first start.
    static func state(
        of files: [String: [UInt8]],
        hasLaunched: PropertyValue?,
        _ limits: EventLimits
    ) -> LegacyState {
        var values = LegacyValueReader(limits)
        var state = LegacyState()
        var objects: [String: PropertyValue] = [:]
        for (key, bytes) in files.ordered(by: { $0.key < $1.key }) {
            objects[key] = values.archived(bytes, key)
        }
        state.person.anonymousID = values.id(objects["distinct_id"], "distinct_id")
        state.person.user = values.id(objects["login_id"], "login_id")
        if let user = state.person.user {
            state.person.known = [KnownUser(user: user, uniqueID: nil, firstTouch: nil)]
        }
        let ids = identities(objects["com.sensorsdata.identities"], &values)
        state.vendorID = values.id(ids["$identity_idfv"], "com.sensorsdata.identities.$identity_idfv")
        let loginKey = values.text(objects["com.sensorsdata.loginidkey"], "com.sensorsdata.loginidkey")
        for (key, value) in ids.ordered(by: { $0.key < $1.key }) where !sdkKeys.contains(key) && key != loginKey {
            guard state.person.identities.count < IdentityMachine.maxIdentities else {
                values.note(
                    "com.sensorsdata.identities",
                    key,
                    "there are more identifier types than the limit",
                    "Call addIdentifier to add it."
                )
                break
            }
            guard (1...limits.keyBytes).contains(key.utf8.count) else { continue }
            state.person.identities[key] = values.id(value, "com.sensorsdata.identities.\(key)").map { .string($0) }
        }
        let properties = values.members(objects["super_properties"], "super_properties")
        state.global = values.attributes(Attributes(properties: properties), "super_properties")
        state.firstDay = firstDay(objects["first_day"], &values)
        if let hasLaunched {
            if let flag = hasLaunched.boolean {
                state.lifecycle.wasOpened = flag
            } else {
                values.note(
                    "HasLaunchedOnce",
                    hasLaunched.kind,
                    "a Boolean was expected; the next start counts as the first"
                )
            }
        }
        state.problems = values.problems
        return state
    }

    /// Returns the user's ids.
    ///
    /// Older versions store the ids as a dictionary, newer versions as Base64-encoded JSON.
    private static func identities(_ stored: PropertyValue?, _ values: inout LegacyValueReader) -> [String:
        PropertyValue]
    {
        let field = "com.sensorsdata.identities"
        guard let text = stored?.string else { return values.members(stored, field) }
        let mark = "Base64:"
        guard text.hasPrefix(mark), let bytes = Base64.decode(Array(text.utf8.dropFirst(mark.utf8.count))),
            // The exact parsing error does not matter; the problem is noted below.
            let object = (try? JSONValue.parse(bytes))?.object
        else {
            values.note(field, text, "a Base64-encoded JSON object was expected", "Call addIdentifier to add them.")
            return [:]
        }
        return Dictionary(
            object.members.compactMap { member in member.value.string.map { (member.key, .string($0)) } },
            uniquingKeysWith: { _, last in last }
        )
    }

    /// Returns a day such as 2024-05-31.
    private static func firstDay(_ stored: PropertyValue?, _ values: inout LegacyValueReader) -> String? {
        guard let day = values.id(stored, "first_day") else { return nil }
        let isDay =
            day.utf8.count == 10
            && day.utf8.enumerated().allSatisfy { index, byte in
                index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte)
            }
        guard isDay else {
            values.note("first_day", day, "a date such as 2024-05-31 was expected; today counts as the first day")
            return nil
        }
        return day
    }
}

extension LegacyValueReader {
    /// Returns the object in an archive.
    ///
    /// nil if the object is missing or cannot be read.
    mutating func archived(_ bytes: [UInt8], _ field: String) -> PropertyValue? {
        do throws(KeyedArchive.Fault) {
            return try KeyedArchive.root(of: bytes)
        } catch {
            note(
                field,
                "\(bytes.count) bytes: \(error)",
                "it is not a readable archive or is damaged, and is left unchanged"
            )
            return nil
        }
    }
}
