// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// One event as the format represents it, and the parts left out.
struct SiftRecord {
    /// The members, in the format's order.
    private(set) var members = JSONValue.Object()
    private var translation: SiftTranslation
    private let edition: SiftDestination.Edition

    /// The parts that were left out.
    var warnings: [SiftWarning] { translation.warnings }

    /// Translates an event, using its context and installation.
    init(_ event: Event, in context: RecordedContext, installation: String, edition: SiftDestination.Edition) {
        self.edition = edition
        translation = SiftTranslation(edition: edition)
        put("time", .integer(event.time.milliseconds))
        let isSnapshot = event.name == CapturedName.appState || event.name == CapturedName.deviceProperties
        let type = isSnapshot || isUntyped(event) ? nil : event.name
        put(text: text(SiftKey.type, of: event, else: type), under: "mobile_event_type")
        // Only events that do not control their own encoding have the screen as their path.
        let isOwn = !isSnapshot && event.attributes[SiftKey.fields] == nil
        put(text: text(SiftKey.path, of: event, else: isOwn ? Self.screen(of: event, context) : nil), under: "path")
        put(text: text(SiftKey.user, of: event, else: context.user.id), under: "user_id")
        put(text: text(SiftKey.installation, of: event, else: installation), under: "installation_id")
        if isOwn {
            putFields(of: event, context)
        } else {
            put(SiftKey.fields, of: event, under: "fields")
        }
        put(SiftKey.deviceProperties, of: event, under: "device_properties")
        put(SiftKey.metrics, of: event, under: "metrics")
        if isSnapshot {
            putSnapshot(event)
        } else if !isOwn {
            for key in Self.content(of: event).keys { translation.note(.keyUnknown, at: key) }
        }
        if !event.items.isEmpty { translation.note(.itemsUnsupported, at: "items") }
    }

    /// The attributes of an event, except those that only control encoding.
    private static func content(of event: Event) -> Attributes {
        Attributes(event.attributes.filter { !SiftKey.isReserved($0.key) })
    }

    private static func screen(of event: Event, _ context: RecordedContext) -> String? {
        event.attributes[CapturedKey.screenName]?.string ?? context.screen?.name
    }

    private mutating func isUntyped(_ event: Event) -> Bool {
        guard let value = event.attributes[SiftKey.untyped] else { return false }
        if value.boolean == nil {
            translation.note(.valueType, at: SiftKey.untyped, expected: SiftShape.boolean.summary)
        }
        return value.boolean ?? false
    }

    private mutating func put(_ key: String, _ value: JSONValue?) {
        if let value { members.members.append(.init(key: key, value: value)) }
    }

    /// Adds a string that is not empty.
    ///
    /// The format omits the keys of empty strings.
    private mutating func put(text: String?, under key: String) {
        if let text, !text.isEmpty { put(key, .string(text)) }
    }

    /// Returns the string of a reserved attribute, or `other` if the event has no such attribute.
    private mutating func text(_ key: String, of event: Event, else other: String?) -> String? {
        guard let value = event.attributes[key] else { return other }
        guard let text = value.siftText else {
            translation.note(.valueType, at: key, expected: SiftShape.string.summary)
            return other
        }
        return text
    }

    private mutating func put(_ attribute: String, of event: Event, under key: String) {
        guard let value = event.attributes[attribute] else { return }
        put(key, translation.value(value, .stringDictionary, at: attribute))
    }

    /// Adds all attributes of the event as strings.
    ///
    /// They override the global attributes.
    private mutating func putFields(of event: Event, _ context: RecordedContext) {
        let fields = context.global.merging(Self.content(of: event)).map { key, value in
            JSONValue.Object.Member(key: key, value: .string(value.siftField))
        }
        if !fields.isEmpty { put("fields", .object(.init(fields))) }
    }

    private mutating func putSnapshot(_ event: Event) {
        let isState = event.name == CapturedName.appState
        let known = isState ? SiftAppState.members : SiftDeviceProperties.members
        let snapshot = translation.object(Self.content(of: event), known)
        let version = JSONValue.Object.Member(key: "sdk_version", value: .string(edition.sdkVersion))
        put(
            isState ? "ios_app_state" : "ios_device_properties",
            .object(.init([version] + snapshot.members))
        )
    }
}

extension AttributeValue {
    /// The value as a string, the only type that fields have.
    ///
    /// Numbers and Booleans are written as in JSON, a date in its ISO 8601 form, and arrays and objects as JSON.
    fileprivate var siftField: String {
        switch self {
        case .string(let text): text
        case .integer, .double, .boolean, .date, .array, .object:
            siftText ?? String(decoding: json.json(), as: UTF8.self)
        }
    }
}
