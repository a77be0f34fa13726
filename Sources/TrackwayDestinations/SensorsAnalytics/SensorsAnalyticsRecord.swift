// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// One event as a record, and the parts left out.
struct SensorsAnalyticsRecord {
    private let event: Event
    private let context: SensorsAnalyticsContext
    private let options: SensorsAnalyticsOptions
    private let translation: SensorsAnalyticsTranslation
    private(set) var properties: [(key: String, value: JSONValue)] = []
    private(set) var warnings: [(warning: SensorsAnalyticsRules.FormatWarning, field: String)] = []
    private var time: Timestamp
    private var project: String?
    private var token: String?
    private var appVersion: String?

    /// Translates an event.
    init(_ event: Event, in context: SensorsAnalyticsContext, options: SensorsAnalyticsOptions) {
        self.event = event
        self.context = context
        self.options = options
        translation = SensorsAnalyticsTranslation(event, in: context.recorded)
        time = event.time
        checkNames()
        collectProperties()
    }

    // MARK: Validation

    private mutating func checkNames() {
        if let name = translation.name, translation.name == event.name,
            let fault = SensorsAnalyticsRules.fault(inName: name), fault != .long
        {
            warnings.append((.eventNameInvalid, name))
        }
        if let note = translation.note { warnings.append((.limitBroken, "\(note.code.rawValue): \(note.message)")) }
        if !event.items.isEmpty { warnings.append((.itemsUnsupported, "items")) }
        switch translation.kind {
        case .itemSet, .itemDelete:
            if itemType == nil || translation.item.id == nil { warnings.append((.itemInvalid, "item")) }
        case .bind, .unbind:
            if translation.identity == nil { warnings.append((.identityInvalid, "identity")) }
        case .track, .signUp, .profileSet, .profileSetOnce, .profileIncrement, .profileAppend, .profileUnset,
            .profileDelete:
            break
        }
    }

    /// The item's type, if it is a valid name.
    private var itemType: String? {
        translation.item.type.flatMap { SensorsAnalyticsRules.acceptsProperty(named: $0) ? $0 : nil }
    }

    private mutating func collectProperties() {
        var own = translation.properties
        let method = own["$lib_method"]?.string ?? (translation.isAutomatic ? "autoTrack" : "code")
        libraryMethod = method
        extractReservedValues(&own)
        guard translation.kind.isEvent else {
            for (key, value) in own { add(key, value) }
            return
        }
        // Later, more specific values win. The ids of the device and the session cannot be overridden.
        var all = context.presets
        all["$lib_method"] = .string(method)
        all.merge(context.recorded.global)
        appVersion = context.recorded.global["$app_version"]?.string
        all.merge(own)
        if translation.kind != .signUp, let first = context.firstDay {
            all["$is_first_day"] = .boolean(context.zone.day(time) == first)
        }
        all["$device_id"] = .string(context.deviceID)
        if options.namesSession, let session = context.recorded.session {
            all["$event_session_id"] = .string(session.id)
        }
        for (key, value) in all { add(key, value) }
    }

    private var libraryMethod = "code"

    /// Removes values that the format stores outside the properties.
    private mutating func extractReservedValues(_ own: inout Attributes) {
        project = own["$project"]?.string
        token = own["$token"]?.string
        own["$project"] = nil
        own["$token"] = nil
        guard let customTime = own["$time"] else { return }
        own["$time"] = nil
        if let date = customTime.date, date >= SensorsAnalyticsRules.earliestTime {
            time = date
        } else {
            warnings.append((.timeInvalid, "$time"))
        }
    }

    private mutating func add(_ key: String, _ value: AttributeValue) {
        switch SensorsAnalyticsRules.fault(inName: key) {
        case nil: break
        case .long: warnings.append((.nameLong, key))
        case .empty, .characters, .reserved: return warnings.append((.nameInvalid, key))
        }
        if translation.kind == .profileUnset { return properties.append((key, .string(""))) }
        let limit =
            key == SensorsAnalyticsTranslation.crashReason
            ? SensorsAnalyticsRules.crashReasonLength : SensorsAnalyticsRules.textLength
        switch fitting(SensorsAnalyticsRules.outcome(of: value, limit: limit, in: context.zone)) {
        case .kept(let json):
            properties.append((key, json))
        case .changed(let json, let warning):
            properties.append((key, json))
            warnings.append((warning, key))
        case .dropped(let warning):
            warnings.append((warning, key))
        }
    }

    /// Applies the rules of the record's kind.
    ///
    /// Only numbers can be added, and only lists appended.
    private func fitting(_ outcome: SensorsAnalyticsRules.Outcome) -> SensorsAnalyticsRules.Outcome {
        switch (translation.kind, outcome) {
        case (_, .dropped): outcome
        case (.profileIncrement, .kept(.integer)), (.profileIncrement, .kept(.double)): outcome
        case (.profileIncrement, _): .dropped(.notANumber)
        case (.profileAppend, .kept(.array(let values))): .kept(.array(Self.unique(values)))
        case (.profileAppend, .changed(.array(let values), let warning)): .changed(.array(Self.unique(values)), warning)
        case (.profileAppend, _): .dropped(.notAList)
        default: outcome
        }
    }

    private static func unique(_ values: [JSONValue]) -> [JSONValue] {
        var seen: Set<JSONValue> = []
        return values.filter { seen.insert($0).inserted }
    }

    // MARK: Writing

    /// Returns the record's number: 32 bits of the id's hash.
    ///
    /// Processes and devices count their events separately; hashing gives their events different numbers. The same
    /// event always has the same number.
    static func trackID(of id: EventID) -> UInt32 {
        // The finalizer of SplitMix64, over both halves.
        func mixed(_ value: UInt64) -> UInt64 {
            var value = value &+ 0x9E37_79B9_7F4A_7C15
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
        return UInt32(truncatingIfNeeded: mixed(mixed(id.high) ^ id.low) >> 32)
    }

    /// Writes the record.
    func write(sentAt: Timestamp, into writer: inout JSONWriter) {
        let kind = translation.kind
        writer.beginObject()
        put("type", kind.rawValue, into: &writer)
        put("event", translation.name, into: &writer)
        writer.key("time")
        writer.integer(time.milliseconds)
        if !kind.isItem {
            writer.key("_track_id")
            writer.integer(UInt64(Self.trackID(of: event.id)))
        }
        writer.key("_flush_time")
        writer.integer(sentAt.milliseconds)
        if !kind.isItem { writePerson(into: &writer) }
        writeLibrary(into: &writer)
        if kind != .itemDelete {
            writer.key("properties")
            writer.beginObject()
            for (key, value) in properties {
                writer.key(key)
                value.write(into: &writer)
            }
            writer.endObject()
        }
        if kind.isItem {
            put("item_type", itemType, into: &writer)
            put("item_id", translation.item.id, into: &writer)
        }
        put("project", project, into: &writer)
        put("token", token, into: &writer)
        writer.endObject()
    }

    private func writePerson(into writer: inout JSONWriter) {
        put("distinct_id", context.distinctID, into: &writer)
        if translation.kind != .unbind {
            put("login_id", context.loginID, into: &writer)
            put("anonymous_id", context.anonymousID, into: &writer)
        }
        if translation.kind == .signUp { put("original_id", context.anonymousID, into: &writer) }
        writer.key("identities")
        writer.beginObject()
        for (key, value) in identities { put(key, value, into: &writer) }
        writer.endObject()
    }

    /// The ids in the record: only the id being unbound, or all ids.
    private var identities: [(key: String, value: String)] {
        switch (translation.kind, translation.identity) {
        case (.unbind, let pair): return pair.map { [$0] } ?? []
        case (.bind, let pair?) where !context.identities.contains(where: { $0.key == pair.key }):
            return context.identities + [pair]
        default: return context.identities
        }
    }

    private func writeLibrary(into writer: inout JSONWriter) {
        writer.key("lib")
        writer.beginObject()
        put("$lib", SensorsAnalyticsContext.library(of: context.recorded), into: &writer)
        put("$lib_version", options.libraryVersion, into: &writer)
        put("$app_version", appVersion ?? context.presets["$app_version"]?.string, into: &writer)
        put("$lib_method", libraryMethod, into: &writer)
        put("$lib_detail", translation.detail, into: &writer)
        writer.endObject()
    }

    private func put(_ key: String, _ value: String?, into writer: inout JSONWriter) {
        guard let value else { return }
        writer.key(key)
        writer.string(value)
    }
}
