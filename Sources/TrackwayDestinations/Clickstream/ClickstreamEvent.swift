// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// One event in this format.
///
/// It contains the valid parts of the event, and the faults of the parts left out.
struct ClickstreamEvent: Sendable {
    /// The event's name in this format.
    private(set) var name: String
    /// The event's attributes, including the SDK's and the global ones.
    private(set) var attributes: [String: AttributeValue]
    /// The event's items, each as a list of members.
    private(set) var items: [[(key: String, value: AttributeValue)]] = []
    /// The faults of the parts left out, in the order of detection.
    private(set) var faults: [ClickstreamFault] = []
    /// The reason why an error event replaces the event.
    ///
    /// Nil if the format can express the event.
    private(set) var replacementFault: ClickstreamFault?
    /// Messages about omitted parts that have no documented code.
    private(set) var warnings: [String] = []

    init(_ event: Event, in context: ClickstreamContext) {
        attributes = context.presets
        if let duration = context.recorded.sessionDuration(at: event) {
            attributes[CapturedKey.sessionDuration] = .integer(duration)
        }
        attributes.merge(context.global) { preset, _ in preset }
        let native = ClickstreamNativeFault(event)
        name = ClickstreamVocabulary.name(of: event)
        if let fault = native?.nameFault ?? ClickstreamRules.fault(inEventName: event.name)
            ?? Self.missingScreen(event)
        {
            replacementFault = fault
            name = CapturedName.clickstreamError
            report(fault)
            return
        }
        if let fault = native?.fault { faults.append(fault) }
        faults += context.globalFaults
        if event.name == CapturedName.profileSet { faults += context.userFaults }
        for (key, value) in event.attributes where !(native?.isLimitNote(key) ?? false) {
            put(key, value, of: event, in: context)
        }
        for item in event.items { put(item) }
        if let fault = faults.first, attributes[CapturedKey.errorCode] == nil { report(fault) }
    }

    private mutating func put(_ key: String, _ value: AttributeValue, of event: Event, in context: ClickstreamContext) {
        if ClickstreamVocabulary.isUndocumented(key, in: event) { return }
        let isOwnScreen = event.name == CapturedName.screenView && ClickstreamVocabulary.isScreen(key)
        if let preset = context.presets[key], !isOwnScreen {
            // If the app's value equals the SDK's, nothing is lost; otherwise, the app's value is ignored.
            if preset != value, key != CapturedKey.sessionDuration {
                warnings.append("The attribute \(key) belongs to the SDK; the event's own value was left out.")
            }
            return
        }
        if !ClickstreamVocabulary.isExemptFromLimits(key, in: event.name),
            let fault = ClickstreamRules.fault(inAttribute: key, value)
        {
            faults.append(fault)
            return
        }
        if attributes[key] == nil,
            attributes.count >= ClickstreamLimits.attributes - ClickstreamLimits.commonAttributes
        {
            faults.append(ClickstreamRules.tooManyAttributes(key))
            return
        }
        attributes[key] = value
    }

    private mutating func put(_ item: Item) {
        guard !item.id.isEmpty else {
            warnings.append("An item without an id was left out.")
            return
        }
        if let fault = ClickstreamRules.fault(in: item) {
            faults.append(fault)
            return
        }
        guard items.count < ClickstreamLimits.items else {
            faults.append(ClickstreamRules.tooManyItems(item))
            return
        }
        var members: [(key: String, value: AttributeValue)] = [("id", .string(item.id))]
        if let name = item.name { members.append(("name", .string(name))) }
        for (key, value) in item.attributes where key != "id" && (key != "name" || item.name == nil) {
            if key == "quantity", !ClickstreamRules.isQuantity(value) {
                warnings.append("The quantity of item \(item.id.prefix(64)) was left out: it is not a number.")
            } else {
                members.append((key, value))
            }
        }
        items.append(members)
    }

    private mutating func report(_ fault: ClickstreamFault) {
        attributes[CapturedKey.errorCode] = .integer(fault.code.rawValue)
        attributes[CapturedKey.errorMessage] = .string(fault.message)
    }

    /// Returns a fault if a screen view has no screen name.
    private static func missingScreen(_ event: Event) -> ClickstreamFault? {
        guard event.name == CapturedName.screenView,
            event.attributes[CapturedKey.screenName]?.string?.isEmpty ?? true
        else { return nil }
        return ClickstreamRules.screenNameMissing
    }
}
