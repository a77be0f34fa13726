// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayEvents

/// Makes records with the fields of SAP Mobile Services, for any reporter.
///
/// ```swift
/// let reporter = Usage.shared.reporter(for: "myTarget")
/// reporter.report(SAPcpmsRecord.sessionStart(applicationIdentifier: "org.example.shop", applicationVersion: "3.2.0"))
/// reporter.report(SAPcpmsRecord.event(type: "testType", key: "testKey"))
/// ```
open class SAPcpmsRecord {
    /// What the back-end knows the application by.
    public static let applicationIdentifierKey = "application"
    /// The application's version.
    public static let applicationVersionKey = "appVersion"
    /// What kind of record of its key it is.
    public static let typeKey = "type"
    /// How long it took, in seconds.
    public static let durationKey = "duration"
    /// Where: the screen.
    public static let screenKey = "screen"
    /// Where: the view.
    public static let viewKey = "view"
    /// Where: the control.
    public static let elementKey = "element"
    /// What was done.
    public static let actionKey = "action"
    /// How it was done.
    public static let behaviorKey = "behavior"
    /// A filter.
    public static let casesKey = "cases"
    /// A filter.
    public static let categoryKey = "category"
    /// What came of it.
    public static let resultKey = "result"
    /// The value's unit.
    public static let unitKey = "unit"
    /// What was measured.
    public static let measurementKey = "measurement"
    /// The value.
    public static let valueKey = "value"
    /// Anything else.
    public static let othersKey = "others"

    /// The start of a session: a new id, the application, and the device with its system.
    open class func sessionStart(applicationIdentifier: String, applicationVersion: String? = nil) -> UsageRecord {
        Usage.shared.core.environment.sessionStart(application: applicationIdentifier, version: applicationVersion)
    }

    /// The end of the session.
    open class func sessionEnd() -> UsageRecord {
        UsageRecord(.sessionEnd)
    }

    /// Something that happened in the session.
    ///
    /// - Parameters:
    ///   - type: what kind of record of its key it is.
    ///   - key: what happened.
    ///   - date: when.
    ///   - duration: how long it took, in seconds.
    ///   - screen: where.
    ///   - view: where.
    ///   - element: where.
    ///   - action: what was done.
    ///   - behaviour: how it was done; `behavior` in a report.
    ///   - case: a filter; `cases` in a report.
    ///   - category: a filter.
    ///   - result: what came of it.
    ///   - unit: the value's unit.
    ///   - measurement: what was measured.
    ///   - value: the value.
    ///   - others: anything else that is JSON; in a report a text as it is, everything else as compact JSON.
    open class func event(
        type: String? = nil,
        key: String = "Other",
        date: Date = Usage.now,
        duration: Double? = nil,
        screen: String? = nil,
        view: String? = nil,
        element: String? = nil,
        action: String? = nil,
        behaviour: String? = nil,
        case: String? = nil,
        category: String? = nil,
        result: String? = nil,
        unit: String? = nil,
        measurement: String? = nil,
        value: String? = nil,
        others: Any? = nil
    ) -> UsageRecord {
        var info: UsageInfo = [:]
        let texts = [
            (typeKey, type), (screenKey, screen), (viewKey, view), (elementKey, element), (actionKey, action),
            (behaviorKey, behaviour), (casesKey, `case`), (categoryKey, category), (resultKey, result),
            (unitKey, unit), (measurementKey, measurement), (valueKey, value),
        ]
        for (key, text) in texts { info[key] = text }
        if let duration { info[durationKey] = duration }
        if let others { info[othersKey] = others }
        return UsageRecord(.event(key), date: date, info: info)
    }
}

extension UsageEnvironment {
    /// The start of a session of an application.
    func sessionStart(application: String, version: String?) -> UsageRecord {
        var info = sessionInfo()
        info[SAPcpmsRecord.applicationIdentifierKey] = application
        info[SAPcpmsRecord.applicationVersionKey] = version
        return UsageRecord(.sessionStart, date: now.date, info: info)
    }
}
