// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayDestinations
internal import TrackwayEvents

extension ClickstreamCore {
    func record(_ name: String, _ attributes: ClickstreamAttribute, _ items: [ClickstreamAttribute]) {
        guard let analytics = analytics() else { return }
        guard name == CapturedName.screenView else {
            analytics.record(name, Attributes(attributes), items: items.map { Item($0) })
            return
        }
        var attributes = attributes
        guard case .string(let screen)? = attributes.removeValue(forKey: CapturedKey.screenName)?.attributeValue,
            !screen.isEmpty
        else { return Self.report(ClickstreamRules.screenNameMissing, analytics) }
        // An id that is no text is as good as none.
        let uniqueID = attributes.removeValue(forKey: CapturedKey.screenUniqueID)?.attributeValue.string
        let id = attributes.removeValue(forKey: CapturedKey.screenID)?.attributeValue.string
        analytics.screen(screen, id: id, uniqueID: uniqueID, Attributes(attributes))
    }

    func flush() {
        guard let analytics = analytics() else { return }
        // Nobody waits for it: the call it translates returns at once.
        Task { _ = await analytics.flush() }
    }

    func disable() {
        analytics()?.disable()
    }

    func enable() {
        analytics()?.enable()
    }

    // MARK: Global attributes

    func addGlobalAttributes(_ attributes: ClickstreamAttribute) {
        guard let analytics = analytics() else { return }
        // Counted where it is changed: of two calls that meet, the second sees what the first one left.
        var faults: [ClickstreamFault] = []
        analytics.changeGlobalAttributes { known in
            let (valid, wrong) = Self.fitting(attributes, beside: Set(known.keys))
            known.merge(valid)
            faults = wrong
        }
        for fault in faults { Self.report(fault, analytics) }
    }

    /// The attributes that keep the limits, beside those that there are already, and what is wrong with the others.
    static func fitting(
        _ attributes: ClickstreamAttribute,
        beside others: Set<String>
    ) -> (Attributes, [ClickstreamFault]) {
        var known = others
        var valid: [(String, AttributeValue)] = []
        var faults: [ClickstreamFault] = []
        for (name, value) in Attributes(attributes) {
            if let fault = ClickstreamRules.fault(inAttribute: name, value) {
                faults.append(fault)
            } else if !known.contains(name), known.count >= ClickstreamLimits.attributes {
                faults.append(ClickstreamRules.tooManyAttributes(name))
            } else {
                known.insert(name)
                valid.append((name, value))
            }
        }
        return (Attributes(uniquing: valid), faults)
    }

    func deleteGlobalAttributes(_ names: [String]) {
        analytics()?.removeGlobalAttributes(names)
    }

    // MARK: The user

    func setUser(_ id: String?) {
        guard let analytics = analytics() else { return }
        let former = analytics.recordedContext.user.id
        let id = id.flatMap { $0.isEmpty ? nil : $0 }
        // The document has an event for every such call; the SDK records one when something changes.
        guard id != former else {
            analytics.record(CapturedName.profileSet)
            return
        }
        if let id { analytics.identify(id) } else { analytics.signOut() }
    }

    func addUserAttributes(_ attributes: ClickstreamAttribute) {
        guard let analytics = analytics() else { return }
        var known = Set(analytics.recordedContext.user.attributes.map(\.name))
        var valid: [(String, AttributeValue)] = []
        for (name, value) in Attributes(attributes) {
            if let fault = ClickstreamRules.fault(inUserAttribute: name, value) {
                Self.report(fault, analytics)
            } else if !known.contains(name), known.count >= ClickstreamLimits.userAttributes {
                Self.report(ClickstreamRules.tooManyUserAttributes(name), analytics)
            } else {
                known.insert(name)
                valid.append((name, value))
            }
        }
        if valid.isEmpty {
            analytics.record(CapturedName.profileSet)
        } else {
            analytics.setUserAttributes(Attributes(uniquing: valid))
        }
    }

    /// Records what was left out as the document wants it: as an event of its own, and in the log.
    static func report(_ fault: ClickstreamFault, _ analytics: Analytics) {
        analytics.report(
            Diagnostic(
                code: .limitBroken,
                field: "\(fault.code.rawValue)",
                value: fault.message,
                remedy: "It was left out; see the document's limits."
            )
        )
        analytics.record(
            CapturedName.clickstreamError,
            [
                CapturedKey.errorCode: .integer(fault.code.rawValue),
                CapturedKey.errorMessage: .string(fault.message),
            ]
        )
    }
}
