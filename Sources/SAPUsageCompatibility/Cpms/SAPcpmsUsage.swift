// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Reports records in SAP Mobile Services' format to the default target.
///
/// ```swift
/// SAPcpmsUsage.sessionStart(applicationIdentifier: "org.example.shop", applicationVersion: "3.2.0")
/// SAPcpmsUsage.event(type: "testType", key: "testKey")
/// SAPcpmsUsage.sessionEnd()
/// ```
open class SAPcpmsUsage {
    /// The reporter that all calls use: the reporter of the default target.
    open class var reporter: UsageReporter { Usage.shared.reporter() }

    /// The kind of a behavior event.
    public enum BehaviorEvent: String, Sendable, Hashable, CaseIterable {
        /// A view was shown.
        case viewDisplayed
        /// The user interacted with the app.
        case userInteraction
    }

    /// Begins a session.
    ///
    /// Every record until the next session start belongs to this session.
    open class func sessionStart(applicationIdentifier: String, applicationVersion: String? = nil) {
        reporter.report(
            SAPcpmsRecord.sessionStart(
                applicationIdentifier: applicationIdentifier,
                applicationVersion: applicationVersion
            )
        )
    }

    /// Ends the session.
    open class func sessionEnd() {
        reporter.report(SAPcpmsRecord.sessionEnd())
    }

    /// Reports an event in the session.
    ///
    /// The parameters are those of
    /// ``SAPcpmsRecord/event(type:key:date:duration:screen:view:element:action:behaviour:case:category:result:unit:measurement:value:others:)``.
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
    ) {
        reporter.report(
            SAPcpmsRecord.event(
                type: type,
                key: key,
                date: date,
                duration: duration,
                screen: screen,
                view: view,
                element: element,
                action: action,
                behaviour: behaviour,
                case: `case`,
                category: category,
                result: result,
                unit: unit,
                measurement: measurement,
                value: value,
                others: others
            )
        )
    }

    /// Reports user behavior, for analysis of the application's use.
    ///
    /// The behavior is either a displayed view or a user interaction.
    ///
    /// - Parameters:
    ///   - behaviorEvent: whether a view was shown or the user interacted with the app.
    ///   - viewIdentifier: the name of the screen.
    ///   - elementIdentifier: the name of the control.
    ///   - action: the action on the control.
    ///   - value: additional information about the action.
    open class func logBehaviorEvent(
        behaviorEvent: BehaviorEvent,
        viewIdentifier: String,
        elementIdentifier: String? = nil,
        action: String? = nil,
        value: String? = nil
    ) {
        event(
            type: behaviorEvent.rawValue,
            key: "BehaviorEvent",
            view: viewIdentifier,
            element: elementIdentifier,
            action: action,
            value: value
        )
    }
}
