// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// Translates a record of the Sensors Analytics format into our format.
///
/// Preset properties become the context. Captured events get their names in our vocabulary.
struct SensorsTranslation: VendorTranslation {
    private let project: String
    private let allows: (String) -> Bool
    private var occurrences = VendorOccurrences()

    /// Creates a translation for the events of one body.
    ///
    /// - Parameters:
    ///   - project: The project that the request names.
    ///   - allows: Returns whether an event may name another project.
    init(project: String, allows: @escaping (String) -> Bool) {
        self.project = project
        self.allows = allows
    }

    /// Returns the event for a record.
    ///
    /// - Throws: ``VendorFault`` if a required member is missing or invalid.
    mutating func event(_ value: JSONValue) throws(VendorFault) -> VendorEvent {
        try checkProject(value)
        guard let record = value.object else { throw .invalid("", "an object", value) }
        let kind = try Self.kind(record)
        guard let given = record["time"] else { throw .missing("time") }
        guard let moment = given.wholeNumber else {
            throw .invalid("time", "a whole number of milliseconds since 1970", given)
        }
        let time = Timestamp(milliseconds: moment)
        var properties = JSONValue.Object()
        if let given = record["properties"], given != .null {
            guard let object = given.object else { throw .invalid("properties", "an object", given) }
            properties = object.withoutNulls
        }
        let name = try Self.name(of: kind, record)
        let person = SensorsPerson(record, kind, properties)
        if !kind.isItem, person.distinctID == nil { throw .missing("distinct_id") }
        let id = id(of: record, kind, name, time, person)
        var event = VendorEvent(
            installation: person.installation(in: project),
            context: SensorsContext.context(
                record: record,
                properties: &properties,
                kind: kind,
                person: person,
                // An event may name its own project.
                project: record["project"]?.text ?? project
            ),
            id: id,
            name: kind.name ?? name ?? "",
            time: time
        )
        try Self.fill(&event, kind, name, record, properties, person)
        return event
    }

    /// Returns the installation of a record, valid or not.
    func installation(_ value: JSONValue) -> InstallationID? {
        guard let record = value.object, let kind = try? Self.kind(record) else {
            return nil  // Without a type, the owner is unknown.
        }
        return SensorsPerson(record, kind, record["properties"]?.object ?? .init()).installation(in: project)
    }

    private func checkProject(_ value: JSONValue) throws(VendorFault) {
        guard let own = value["project"]?.text, own != project, !allows(own) else { return }
        throw VendorFault(
            .projectUnknown,
            "project",
            "The event names the project “\(own.prefix(128))”, which the key of “\(project)” does not allow."
        )
    }

    private static func kind(_ record: JSONValue.Object) throws(VendorFault) -> SensorsAnalyticsKind {
        guard let type = record["type"] else { throw .missing("type") }
        guard let kind = type.string.flatMap(SensorsAnalyticsKind.init) else {
            throw VendorFault(.typeUnknown, "type", "The type of the record is unknown.")
        }
        return kind
    }

    private static func name(of kind: SensorsAnalyticsKind, _ record: JSONValue.Object) throws(VendorFault) -> String? {
        guard kind.isEvent else { return nil }
        guard let event = record["event"] else {
            // Identity records have no event name; their type identifies them.
            if kind != .track { return nil }
            throw .missing("event")
        }
        guard let name = event.text else { throw .invalid("event", "a name", event) }
        return name
    }

    /// Derives the event's id from the data that identifies the record.
    ///
    /// The records' own numbers have only 32 bits.
    private mutating func id(
        of record: JSONValue.Object,
        _ kind: SensorsAnalyticsKind,
        _ name: String?,
        _ time: Timestamp,
        _ person: SensorsPerson
    ) -> EventID {
        let who = record["project"]?.text ?? project
        if let number = record["_track_id"]?.wholeNumber {
            return StableID.event(
                at: time,
                ["sensors", who, person.distinctID ?? "", String(number), kind.rawValue, name ?? ""]
            )
        }
        var rest = record
        // Members that change with each transmission do not identify the event.
        rest.remove(["_flush_time", "_hybrid_h5"])
        let content = JSONValue.object(rest).json()
        let occurrence = occurrences.next(content)
        return StableID.event(
            at: time,
            ["sensors", who, String(decoding: content, as: UTF8.self), String(occurrence)]
        )
    }

    private static func fill(
        _ event: inout VendorEvent,
        _ kind: SensorsAnalyticsKind,
        _ name: String?,
        _ record: JSONValue.Object,
        _ properties: JSONValue.Object,
        _ person: SensorsPerson
    ) throws(VendorFault) {
        switch kind {
        case .track:
            let captured = SensorsCapturedEvent(name ?? "", properties)
            event.name = captured.name
            event.attributes = captured.attributes
        case .signUp:
            event.attributes = properties
            event.attributes.putNew(CapturedKey.signedIn, .boolean(true))
        case .profileSet:
            // As in our format, the values are in the context.
            event.context.user.attributes = properties.members.compactMap { member in
                AttributeValue(member.value).map {
                    RecordedContext.User.Attribute(name: member.key, value: $0, setAt: event.time)
                }
            }
        case .profileSetOnce, .profileIncrement, .profileAppend, .profileUnset, .profileDelete:
            event.attributes = properties
        case .bind, .unbind:
            event.attributes = properties
            guard let pair = SensorsPerson.pair(of: record) else { break }
            event.attributes.putNew(CapturedKey.identityKey, .string(pair.key))
            event.attributes.putNew(CapturedKey.identityValue, pair.value)
            if person.loginID == nil, person.anonymousID == nil {
                event.attributes.putNew("distinct_id", record["distinct_id"])
            }
        case .itemSet, .itemDelete:
            guard let type = record["item_type"]?.text else { throw .missing("item_type") }
            guard let id = record["item_id"]?.text ?? record["item_id"]?.wholeNumber.map(String.init) else {
                throw .missing("item_id")
            }
            event.attributes = .init([
                .init(key: CapturedKey.itemType, value: .string(type)),
                .init(key: CapturedKey.itemID, value: .string(id)),
            ])
            for member in properties.members { event.attributes.putNew(member.key, member.value) }
        }
    }
}

/// A captured event of the Sensors Analytics format, under our name.
///
/// Events that apps name themselves are not changed.
private struct SensorsCapturedEvent {
    /// The event's name.
    private(set) var name: String
    /// The event's attributes.
    private(set) var attributes: JSONValue.Object

    /// Translates an event; `properties` are its properties that are not preset.
    init(_ name: String, _ properties: JSONValue.Object) {
        self.name = name
        attributes = properties
        switch name {
        case "$AppStart": translateStart(isPassive: false)
        case "$AppStartPassively": translateStart(isPassive: true)
        case "$AppEnd":
            self.name = CapturedName.appEnd
            move(seconds: CapturedKey.eventDuration, to: CapturedKey.foregroundDuration)
        case "$AppViewScreen":
            self.name = CapturedName.screenView
            translateScreen()
        case "$AppClick":
            self.name = CapturedName.click
            translateClick()
        case "$AppPageLeave":
            self.name = CapturedName.userEngagement
            move(seconds: CapturedKey.eventDuration, to: CapturedKey.engagementTime)
        case "AppCrashed":
            self.name = CapturedName.appException
            translateException()
        default: break
        }
    }

    private mutating func translateStart(isPassive: Bool) {
        name = CapturedName.appStart
        let isFirst = attributes.take("$is_first_time")?.boolean ?? false
        let isResumed = attributes.take("$resume_from_background")?.boolean ?? false
        attributes.putNew(CapturedKey.isFirstTime, .boolean(!isResumed))
        attributes.putNew(CapturedKey.startKind, .string(isPassive ? "passive" : isResumed ? "hot" : "cold"))
        attributes.putNew(CapturedKey.isFirstStart, .boolean(isFirst))
        attributes.putNew(CapturedKey.resumedFromBackground, .boolean(isResumed))
    }

    private mutating func translateScreen() {
        for (source, target) in [
            ("$screen_name", CapturedKey.screenName), ("$url", CapturedKey.screenID),
            ("$referrer", CapturedKey.previousScreenID),
        ] {
            attributes.putNew(target, attributes.take(source))
        }
    }

    private mutating func translateClick() {
        for (source, target) in [
            ("$element_id", CapturedKey.elementID), ("$element_type", CapturedKey.elementType),
            ("$element_content", CapturedKey.elementContent), ("$element_position", CapturedKey.elementPosition),
            ("$screen_name", CapturedKey.screenName),
        ] {
            attributes.putNew(target, attributes.take(source))
        }
    }

    private mutating func translateException() {
        guard let reason = attributes.take("app_crashed_reason")?.string else { return }
        let lines = reason.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        attributes.putNew(CapturedKey.exceptionMessage, .string(lines.first.map(String.init) ?? ""))
        if lines.count > 1 { attributes.putNew(CapturedKey.exceptionStack, .string(String(lines[1]))) }
    }

    /// Moves seconds under one key to whole milliseconds under another.
    private mutating func move(seconds key: String, to target: String) {
        guard let seconds = attributes[key]?.double else { return }
        // No app runs longer than this, and beyond it the product would no longer be an exact whole number.
        guard seconds.isFinite, abs(seconds) < 1e12 else { return }
        attributes.remove([key])
        attributes.putNew(target, .integer(Int64((seconds * 1000).rounded())))
    }
}

extension SensorsAnalyticsKind {
    /// Our name for a record of this kind.
    ///
    /// Nil for an event, which has its own name.
    fileprivate var name: String? {
        switch self {
        case .track: nil
        case .signUp, .profileSet: CapturedName.profileSet
        case .bind: CapturedName.identityBound
        case .unbind: CapturedName.identityUnbound
        case .profileSetOnce: CapturedName.profileSetOnce
        case .profileIncrement: CapturedName.profileIncrement
        case .profileAppend: CapturedName.profileAppend
        case .profileUnset: CapturedName.profileUnset
        case .profileDelete: CapturedName.profileDelete
        case .itemSet: CapturedName.itemSet
        case .itemDelete: CapturedName.itemDelete
        }
    }
}
