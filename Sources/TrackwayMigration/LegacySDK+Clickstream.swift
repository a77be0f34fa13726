// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

extension LegacySDK {
    /// The Clickstream SDK for Swift.
    ///
    /// Its state is in user defaults, and its pending events are in an SQLite database.
    ///
    /// - Parameters:
    ///   - appID: The app's id in that SDK, which names the database.
    ///   - location: The location of the data; nil uses the system's location.
    package static func clickstream(appID: String, in location: LegacyStorageLocation? = nil) -> LegacySDK {
        let location = location ?? .system()
        let database = "\(location.temporary)/com/amazonaws/solution/Clickstream/\(appID)"
        let storage = location.storage
        return LegacySDK(
            name: "Clickstream",
            destination: "clickstream",
            in: location,
            state: { limits in ClickstreamState.read(location.value, limits) },
            pendingEvents: { () throws(StorageError) in
                // An id with a slash would be a path to another folder.
                guard !appID.contains("/"), try storage.size(of: database) != nil else { return .counted(0) }
                do throws(LegacyDatabase.Fault) {
                    return .clickstream(
                        try LegacyDatabase(
                            copying: database,
                            into: "\(location.scratch)/trackway-take-over-clickstream"
                        )
                    )
                } catch .notCopied {
                    throw StorageError(.denied, operation: "copy", path: database)
                } catch {
                    return .unknown(Diagnostic(database: database, error))
                }
            }
        )
    }
}

extension Diagnostic {
    /// Creates the diagnostic for an older SDK's database that cannot be read.
    init(database path: String, _ fault: LegacyDatabase.Fault) {
        switch fault {
        case .noSQLite:
            self.init(
                notMigrated: "pending events",
                path,
                "The pending events in \(path.quoted) were not migrated because the system has no SQLite. Their "
                    + "number is unknown."
            )
        case .notCopied(let why):
            self.init(
                notMigrated: "pending events",
                path,
                "The pending events in \(path.quoted) were not migrated because the file cannot be copied (\(why)). "
                    + "Their number is unknown."
            )
        case .notReadable(let number):
            self.init(
                notMigrated: "pending events",
                path,
                "The pending events in \(path.quoted) were not migrated because SQLite cannot read the file "
                    + "(\(number)). Their number is unknown, and the file is left unchanged."
            )
        }
    }
}

/// The Clickstream SDK's state in user defaults.
enum ClickstreamState {
    static let prefix = "software.aws.solution.clickstream."
    /// The SDK's internal values for a missing user; never a user's id.
    private static let sentinels: Set<String> = ["_clickstream_user_id_nil", "_clickstream_user_id_empty"]
    private static let userID = CapturedKey.userID
    private static let firstTouch = CapturedKey.firstTouch

    /// Reads the state.
    ///
    /// - Parameter value: Returns the user default with a complete key.
    static func read(_ value: (String) -> PropertyValue?, _ limits: EventLimits) -> LegacyState {
        var values = LegacyValueReader(limits)
        var state = LegacyState()
        func stored(_ key: String) -> PropertyValue? { value(prefix + key) }
        let attributes = values.members(stored("userAttributesKey"), "userAttributesKey")
        state.person = person(stored, attributes, &values)
        state.lifecycle.wasOpened = stored("isFirstOpenKey") != nil
        state.lifecycle.appVersion = values.version(stored("appVersionKey"), "appVersionKey")
        state.lifecycle.systemVersion = values.version(stored("osVersionKey"), "osVersionKey")
        session(stored("sessionKey"), into: &state.lifecycle, &values)
        state.vendorID = values.id(stored("deviceIdKey"), "deviceIdKey")
        state.problems = values.problems
        return state
    }

    private static func person(
        _ stored: (String) -> PropertyValue?,
        _ attributes: [String: PropertyValue],
        _ values: inout LegacyValueReader
    ) -> LegacyUser {
        var person = LegacyUser()
        person.uniqueID = values.id(stored("userUniqueIdKey"), "userUniqueIdKey")
        let user = attributes[userID]?["value"] ?? stored("userIdKey")
        if let id = values.id(user, "userIdKey"), !sentinels.contains(id) {
            person.user = id
            person.signedInAt = values.time(attributes[userID]?["set_timestamp"], "userAttributesKey.\(userID)")
        }
        // Some versions stored the first-touch time under `userInfoKey`, the key of the known users.
        let people = stored("userInfoKey")
        let touched = stored("userFirstTouchTimestampKey") ?? (people?.string == nil ? nil : people)
        person.firstTouch =
            values.time(attributes[firstTouch]?["value"], "userAttributesKey.\(firstTouch)")
            ?? values.time(touched, "userFirstTouchTimestampKey")
        if people?.string == nil {
            for (name, known) in values.members(people, "userInfoKey").ordered(by: { $0.key < $1.key }) {
                let field = "userInfoKey.\(name.truncated(toUTF8Count: 64))"
                guard let id = values.id(.string(name), field),
                    let unique = values.id(known["user_unique_id"], "\(field).user_unique_id")
                else { continue }
                let touch = values.time(known["user_first_touch_timestamp"], "\(field).user_first_touch_timestamp")
                person.known.append(KnownUser(user: id, uniqueID: unique, firstTouch: touch))
            }
        }
        person.attributes = described(attributes, &values)
        return person
    }

    /// Returns the user attributes that the app set, excluding the SDK's own.
    private static func described(
        _ attributes: [String: PropertyValue],
        _ values: inout LegacyValueReader
    ) -> [RecordedContext.User.Attribute] {
        let own = attributes.filter { $0.key != userID && $0.key != firstTouch }
        var given: Attributes = [:]
        for (name, attribute) in own.ordered(by: { $0.key < $1.key }) {
            guard let value = attribute["value"]?.attribute else {
                values.note("userAttributesKey.\(name)", attribute.kind, "a value with a time was expected")
                continue
            }
            given[name] = value
        }
        return values.attributes(given, "userAttributesKey").map { name, value in
            let set = values.time(own[name]?["set_timestamp"], "userAttributesKey.\(name).set_timestamp")
            return .init(name: name, value: value, setAt: set ?? Timestamp(milliseconds: 0))
        }
    }

    private static func session(
        _ stored: PropertyValue?,
        into lifecycle: inout LegacyLifecycle,
        _ values: inout LegacyValueReader
    ) {
        let session = values.members(stored, "sessionKey")
        guard !session.isEmpty else { return }
        guard let number = session["sessionIndex"]?.integer, (1..<Int64.max).contains(number) else {
            let found = session["sessionIndex"]
            values.note(
                "sessionKey.sessionIndex",
                found?.integer.map { "\($0)" } ?? found?.kind ?? "nothing",
                "a number of at least 1 was expected; session numbers restart at 1"
            )
            return
        }
        let start = values.time(session["startTime"], "sessionKey.startTime")
        let id = start == nil ? nil : values.id(session["sessionId"], "sessionKey.sessionId")
        lifecycle.session = .init(id: id ?? "", number: number, start: start ?? Timestamp(milliseconds: 0))
        lifecycle.lastSeen = values.time(session["pauseTime"], "sessionKey.pauseTime")
    }
}
