// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// An event in the format's vocabulary, before presets and rules are applied.
struct SensorsAnalyticsTranslation {
    /// The kind of record.
    var kind = SensorsAnalyticsKind.track
    /// The event's name; nil for records that are not events.
    var name: String?
    /// The event's own properties.
    var properties: Attributes
    /// Whether the SDK recorded the event automatically.
    var isAutomatic = false
    /// The screen that the event belongs to, for `$lib_detail`.
    var detail: String?
    /// The identity that was bound or unbound.
    var identity: (key: String, value: String)?
    /// The item that the record describes.
    var item: (type: String?, id: String?) = (nil, nil)
    /// The recorded note that a part of the event exceeded a limit.
    ///
    /// The format does not support such notes, and would treat them as properties of the person, the item or the event.
    var note: RecordedLimitNote?

    /// Translates an event, using its context.
    init(_ event: Event, in context: RecordedContext) {
        properties = event.attributes
        note = RecordedLimitNote(event.attributes)
        if note != nil {
            properties[CapturedKey.errorCode] = nil
            properties[CapturedKey.errorMessage] = nil
        }
        name = event.name
        switch event.name {
        case CapturedName.appStart: translateStart()
        case CapturedName.appEnd: translateEnd()
        case CapturedName.screenView: translateScreen()
        case CapturedName.click: translateClick(context)
        case CapturedName.appException: translateException()
        case CapturedName.profileSet: translateProfile(event, context)
        case CapturedName.profileSetOnce: become(.profileSetOnce)
        case CapturedName.profileIncrement: become(.profileIncrement)
        case CapturedName.profileAppend: become(.profileAppend)
        case CapturedName.profileUnset: become(.profileUnset)
        case CapturedName.profileDelete:
            become(.profileDelete)
            properties = [:]
        case CapturedName.itemSet, CapturedName.itemDelete: translateItem(event.name)
        case CapturedName.identityBound, CapturedName.identityUnbound: translateIdentity(event.name)
        default: break
        }
    }

    private mutating func become(_ kind: SensorsAnalyticsKind) {
        self.kind = kind
        if !kind.isEvent { name = nil }
    }

    /// Removes an attribute from the properties, and returns it.
    private mutating func take(_ key: String) -> AttributeValue? {
        defer { properties[key] = nil }
        return properties[key]
    }

    private mutating func translateStart() {
        isAutomatic = true
        name = take(CapturedKey.startKind)?.string == "passive" ? "$AppStartPassively" : "$AppStart"
        // The format's "first time" is the first start of the installation, not the first of a process.
        _ = take(CapturedKey.isFirstTime)
        put("$is_first_time", .boolean(take(CapturedKey.isFirstStart)?.boolean ?? false))
        put("$resume_from_background", .boolean(take(CapturedKey.resumedFromBackground)?.boolean ?? false))
    }

    private mutating func translateEnd() {
        isAutomatic = true
        name = "$AppEnd"
        if let duration = take(CapturedKey.foregroundDuration)?.integer {
            put(CapturedKey.eventDuration, .double(Double(duration) / 1_000))
        }
    }

    private mutating func translateScreen() {
        isAutomatic = true
        name = "$AppViewScreen"
        let screen = take(CapturedKey.screenName)
        let url = take(CapturedKey.screenID) ?? screen
        let previous = take(CapturedKey.previousScreenName)
        let referrer = take(CapturedKey.previousScreenID) ?? previous
        for key in [
            CapturedKey.screenUniqueID, CapturedKey.previousScreenUniqueID, CapturedKey.previousTimestamp,
            CapturedKey.entrances, CapturedKey.engagementTime,
        ] {
            properties[key] = nil
        }
        put("$screen_name", screen)
        put("$title", take(CapturedKey.screenTitle))
        put("$url", url)
        put("$referrer", referrer)
        detail = properties["$screen_name"]?.string.map { "\($0)######" }
    }

    private mutating func translateClick(_ context: RecordedContext) {
        isAutomatic = true
        name = "$AppClick"
        put("$element_id", take(CapturedKey.elementID))
        put("$element_type", take(CapturedKey.elementType))
        put("$element_content", take(CapturedKey.elementContent))
        put("$element_position", take(CapturedKey.elementPosition))
        put("$title", take(CapturedKey.screenTitle))
        put("$screen_name", context.screen.map { .string($0.name) })
        detail = properties["$screen_name"]?.string.map { "\($0)######" }
    }

    private mutating func translateException() {
        name = "AppCrashed"
        let parts = [take(CapturedKey.exceptionMessage)?.string, take(CapturedKey.exceptionStack)?.string]
        put(Self.crashReason, .string(parts.compactMap { $0 }.joined(separator: "\n")))
    }

    private mutating func translateProfile(_ event: Event, _ context: RecordedContext) {
        switch properties[CapturedKey.signedIn]?.boolean {
        case true:
            properties[CapturedKey.signedIn] = nil
            kind = .signUp
            name = "$SignUp"
            return
        case false:
            return  // The format does not support signing out; the event keeps its own name.
        case nil:
            become(.profileSet)
        }
        // If a note exists, the event had content, but all of it was left out.
        guard properties.isEmpty, note == nil else { return }
        // The event does not contain the new values; they are the context's user attributes that were set at the
        // event's time. If the clock changed in the meantime, sending all user attributes again has no effect.
        let known = context.user.attributes.filter {
            $0.name != CapturedKey.userID && $0.name != CapturedKey.firstTouch
        }
        let changed = known.filter { $0.setAt == event.time }
        for attribute in changed.isEmpty ? known : changed { properties[attribute.name] = attribute.value }
    }

    private mutating func translateItem(_ event: String) {
        become(event == CapturedName.itemSet ? .itemSet : .itemDelete)
        item = (take(CapturedKey.itemType)?.string, take(CapturedKey.itemID)?.string)
        if kind == .itemDelete { properties = [:] }
    }

    private mutating func translateIdentity(_ event: String) {
        let isBound = event == CapturedName.identityBound
        kind = isBound ? .bind : .unbind
        name = isBound ? "$BindID" : "$UnbindID"
        guard let key = take(CapturedKey.identityKey)?.string, let value = take(CapturedKey.identityValue)?.string
        else { return }
        identity = (key, value)
    }

    /// Sets a property unless the app set it.
    private mutating func put(_ key: String, _ value: AttributeValue?) {
        if properties[key] == nil { properties[key] = value }
    }

    /// The property that contains the reason for a crash.
    static let crashReason = "app_crashed_reason"
}
