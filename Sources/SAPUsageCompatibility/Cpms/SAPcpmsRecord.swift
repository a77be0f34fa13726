// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayCore

/// Creates records with the fields of SAP Mobile Services, for any reporter.
///
/// ```swift
/// let reporter = Usage.shared.reporter(for: "myTarget")
/// reporter.report(SAPcpmsRecord.sessionStart(applicationIdentifier: "org.example.shop", applicationVersion: "3.2.0"))
/// reporter.report(SAPcpmsRecord.event(type: "testType", key: "testKey"))
/// ```
open class SAPcpmsRecord {
    /// The application's ID on the back end.
    public static let applicationIdentifierKey = "application"
    /// The application's version.
    public static let applicationVersionKey = "appVersion"
    /// A type that distinguishes records with the same key.
    public static let typeKey = "type"
    /// The duration, in seconds.
    public static let durationKey = "duration"
    /// The screen where the event happened.
    public static let screenKey = "screen"
    /// The view where the event happened.
    public static let viewKey = "view"
    /// The control where the event happened.
    public static let elementKey = "element"
    /// The action.
    public static let actionKey = "action"
    /// The way in which the action was performed.
    public static let behaviorKey = "behavior"
    /// A value to filter by.
    public static let casesKey = "cases"
    /// A value to filter by.
    public static let categoryKey = "category"
    /// The result.
    public static let resultKey = "result"
    /// The value's unit.
    public static let unitKey = "unit"
    /// The measured quantity.
    public static let measurementKey = "measurement"
    /// The value.
    public static let valueKey = "value"
    /// Any other information.
    public static let othersKey = "others"

    /// Returns a record of a session's start.
    ///
    /// The record contains a new session ID, the application, the device, and its operating system.
    open class func sessionStart(applicationIdentifier: String, applicationVersion: String? = nil) -> UsageRecord {
        Usage.shared.core.environment.sessionStart(application: applicationIdentifier, version: applicationVersion)
    }

    /// Returns a record of the session's end.
    open class func sessionEnd() -> UsageRecord {
        UsageRecord(.sessionEnd)
    }

    /// Returns a record of an event in the session.
    ///
    /// - Parameters:
    ///   - type: a type that distinguishes records with the same key.
    ///   - key: the event.
    ///   - date: the time of the event.
    ///   - duration: the duration, in seconds.
    ///   - screen: the screen where the event happened.
    ///   - view: the view where the event happened.
    ///   - element: the control where the event happened.
    ///   - action: the action.
    ///   - behaviour: the way in which the action was performed; `behavior` in a report.
    ///   - case: a value to filter by; `cases` in a report.
    ///   - category: a value to filter by.
    ///   - result: the result.
    ///   - unit: the value's unit.
    ///   - measurement: the measured quantity.
    ///   - value: the value.
    ///   - others: any other JSON value. A report contains a string unchanged, and any other value as compact JSON.
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
    /// Returns a record of the start of an application's session.
    func sessionStart(application: String, version: String?) -> UsageRecord {
        var info = sessionInfo()
        info[SAPcpmsRecord.applicationIdentifierKey] = application
        info[SAPcpmsRecord.applicationVersionKey] = version
        return UsageRecord(.sessionStart, date: now.date, info: info)
    }
}
